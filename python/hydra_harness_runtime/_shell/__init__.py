"""Shell commands: what the runtime says of them (``types``), read from the wire (``decode``), as a gate (``gate``)."""
