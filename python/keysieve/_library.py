"""Finds and loads ``libkeysieve_ffi.so``, the binding library that lies beside this file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import tvm_ffi

_FILE_NAME = "libkeysieve_ffi.so"
_ENVIRONMENT = "KEYSIEVE_LIBRARY_DIR"


def library_folder() -> Path:
    """The folder that the libraries are loaded from: KEYSIEVE_LIBRARY_DIR, else the package's own."""
    named = os.environ.get(_ENVIRONMENT)
    return Path(named) if named else Path(__file__).resolve().parent


def _load() -> Any:
    path = library_folder() / _FILE_NAME
    if not path.is_file():
        raise ImportError(
            f"keysieve: expected the binding library at {path}, found none; install the wheel, or build with "
            f"KEYSIEVE_BUILD_PYTHON=ON and set {_ENVIRONMENT} to the folder of the built libraries"
        )
    module = tvm_ffi.load_module(str(path))
    built, loaded = module.expected_abi_version(), module.abi_version()
    if built != loaded:
        raise ImportError(
            f"keysieve: expected libkeysieve of ABI {built} beside {path}, found ABI {loaded}; "
            "both libraries must be of one build"
        )
    return module


# Typed Any: the functions are looked up by name in a shared library, which no stub can describe.
ffi: Any = _load()
