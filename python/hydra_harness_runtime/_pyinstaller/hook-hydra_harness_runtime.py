"""What a frozen application takes along: the executables, and modules that are loaded by name.

The executables are data for PyInstaller: it must not look for the libraries of
static programs. Public modules are seen where an application imports them, so
that none drags in a framework that the application does not use.
"""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

PACKAGE = "hydra_harness_runtime"

datas = collect_data_files(PACKAGE, includes=["_bin/*"])
hiddenimports = collect_submodules(
    PACKAGE,
    filter=lambda name: name == PACKAGE or (name.startswith(f"{PACKAGE}._") and not name.endswith("_pyinstaller")),
)
