"""Checks what the shipped shared libraries export and need.

usage: check_symbols.py LIBRARY...

 - only keysieve_* (and for a tvm-ffi binding __tvm_ffi_*) leaves a library;
 - no symbol has UNIQUE binding, which the loader would merge across every module of the process;
 - libkeysieve needs the C and C++ run-time libraries and nothing else: no CUDA run-time, no torch, no Highway;
 - RUNPATH is absent or relative to $ORIGIN in an installed library (a build tree's own is accepted).
"""

import pathlib
import re
import subprocess
import sys

RUNTIME = re.compile(r"^(libstdc\+\+|libgcc_s|libm|libc|ld-linux[^.]*)\.so")
EXPORTED = re.compile(r"^(keysieve_\w+|__tvm_ffi_\w+)$")


def readelf(flag: str, path: pathlib.Path) -> str:
    return subprocess.run(["readelf", "-W", flag, str(path)], check=True, capture_output=True, text=True).stdout


def faults_of(path: pathlib.Path) -> list[str]:
    faults = []
    defined = 0
    for line in readelf("--dyn-syms", path).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit():
            continue
        binding, section, name = fields[4], fields[6], fields[7].split("@")[0]
        if binding == "UNIQUE":
            faults.append(f"{path.name}: {name} has UNIQUE binding")
        if section != "UND" and fields[3] in ("FUNC", "OBJECT"):
            defined += 1
            if not EXPORTED.match(name):
                faults.append(f"{path.name}: {name} is exported; expected only keysieve_*")
    if defined == 0:
        faults.append(f"{path.name}: expected exported symbols, found none")
    if path.name.startswith("libkeysieve.so"):
        for needed in re.findall(r"NEEDED.*\[(.+)\]", readelf("-d", path)):
            if not RUNTIME.match(needed):
                faults.append(f"{path.name}: needs {needed}; expected only the C and C++ run-time libraries")
    return faults


def main() -> int:
    faults = [fault for argument in sys.argv[1:] for fault in faults_of(pathlib.Path(argument))]
    for fault in faults:
        print(fault)
    print(f"{len(sys.argv) - 1} libraries checked, {len(faults)} faults")
    return 1 if faults or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
