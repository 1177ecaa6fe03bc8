"""The runtime of hydra-harness-runtime as a library for this process.

It is loaded and called by ``hydra_harness_runtime.Runtime(transport="inprocess")``;
nothing here is an interface for anybody else. Importing this module loads no
Go; importing ``_hydra_native`` does.
"""

__version__ = "0.1.0"
