"""The one place where the version is written; everything else reads it."""

__version__ = "0.1.0"
"""The version of this package, and of the runtime inside it."""
