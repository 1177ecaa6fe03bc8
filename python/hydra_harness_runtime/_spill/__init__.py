"""Saved results: what the runtime says of them (``types``) and how they are read (``client``)."""
