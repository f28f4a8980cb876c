"""What was loaded, and from where."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from typing import Any

import numpy as np

from ._library import ffi, library_folder
from ._plan import _parse_device


def system() -> dict[str, Any]:
    """CPU features, GPUs, library versions and paths as loaded: what a bug report needs.

    >>> import keysieve
    >>> keysieve.system()["python"]["numpy"] == __import__("numpy").__version__
    True
    """
    info: dict[str, Any] = json.loads(str(ffi.system_json()))
    torch = sys.modules.get("torch")
    info["python"] = {
        "version": sys.version.split()[0],
        "numpy": np.__version__,
        "apache_tvm_ffi": importlib.metadata.version("apache-tvm-ffi"),
        "torch": None if torch is None else str(torch.__version__),
        "library_folder": str(library_folder()),
        "build": str(ffi.build_info()),
    }
    return info


def prepare(device: str | None = None) -> None:
    """Load the code for a device now instead of in the first call: "cpu" (None) or "cuda:N".

    Idempotent and safe from several threads.

    Raises:
        ValueError: not a device of this machine. RuntimeError: it cannot be used, with the reason.

    >>> import keysieve
    >>> keysieve.prepare("cpu")
    """
    place, profile = _parse_device(device)
    if profile is not None:
        raise ValueError(f"device: expected None, 'cpu', 'cuda' or 'cuda:N', got {device!r}")
    ffi.prepare(*place)
