"""Where PyInstaller finds what it must know about this package.

The entry point group ``pyinstaller40`` leads here, so that freezing an
application needs no option.
"""

from __future__ import annotations

__all__ = ["hook_folders"]


def hook_folders() -> list[str]:
    """The folders that hold hooks."""
    return list(__path__)
