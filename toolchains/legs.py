"""The legs of the matrix: a requirement file each, installed into a virtual environment each."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ENVIRONMENTS = ROOT / ".venv-toolchains"
OUTPUT = ROOT / "build-toolchains"
NVRTC_PREFIX = "nvrtc-"
DISASSEMBLER = "disassembler"
# Debian's interpreter, whose venv module scripts/setup.sh installs; elsewhere the one on PATH.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else shutil.which("python3") or "python3"


class ToolchainError(Exception):
    """What stops a leg; the text is for people."""


class Unreachable(ToolchainError):
    """The package index did not answer: nothing is known about the leg."""


@dataclasses.dataclass(frozen=True)
class Leg:
    name: str

    @property
    def is_nvrtc(self) -> bool:
        return self.name.startswith(NVRTC_PREFIX)

    @property
    def requirements(self) -> pathlib.Path:
        return HERE / f"requirements-{self.name}.txt"

    @property
    def environment(self) -> pathlib.Path:
        return ENVIRONMENTS / self.name

    @property
    def output(self) -> pathlib.Path:
        return OUTPUT / self.name

    @property
    def toolkit(self) -> pathlib.Path:
        """The folder with bin, include, lib and nvvm."""
        return next(iter(self.environment.glob("lib/python3*/site-packages/nvidia/cu13")), self.environment)

    @property
    def installed(self) -> bool:
        stamp = self.environment / ".requirements"
        return stamp.exists() and stamp.read_bytes() == self.requirements.read_bytes()

    def tool(self, name: str) -> str:
        path = self.toolkit / "bin" / name
        if not path.exists():
            raise ToolchainError(f"{self.name}: expected {path}; run `toolchains.py install {self.name}` first")
        return str(path)

    def packages(self) -> dict[str, str]:
        return dict(re.findall(r"^([\w-]+)==(\S+)$", self.requirements.read_text(), re.MULTILINE))


def all_legs() -> list[Leg]:
    names = [path.stem.removeprefix("requirements-") for path in HERE.glob("requirements-*.txt")]
    names.remove(DISASSEMBLER)
    return [Leg(name) for name in sorted(names, key=lambda name: (name.startswith(NVRTC_PREFIX), version_key(name)))]


def version_key(name: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", name)]


def find_leg(name: str) -> Leg:
    legs = {leg.name: leg for leg in all_legs()}
    if name in ("oldest", "newest"):
        compilers = [leg for leg in legs.values() if not leg.is_nvrtc]
        return compilers[0 if name == "oldest" else -1]
    if name not in legs:
        raise ToolchainError(f"leg: expected one of {', '.join(legs)}, oldest, newest; got '{name}'")
    return legs[name]


def install(leg: Leg) -> None:
    """Does nothing where the requirement file has not changed since."""
    if leg.installed:
        return
    print(f"{leg.name}: installing {', '.join(f'{name} {version}' for name, version in leg.packages().items())}",
          flush=True)
    shutil.rmtree(leg.environment, ignore_errors=True)
    run([PYTHON, "-m", "venv", str(leg.environment)])
    pip = [str(leg.environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
           "--no-deps", "--retries", "2", "--timeout", "20", "-r", str(leg.requirements)]
    result = subprocess.run(pip, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        # pip says the same, "no matching distribution", of an index that cannot be reached and of a wrong version;
        # only the former comes with complaints about connections.
        unreachable = re.search(r"connection|timed out|resolution|unreachable|proxy", result.stderr, re.IGNORECASE)
        text = f"{leg.name}: pip ended with {result.returncode}: {result.stderr.strip()[-400:]}"
        raise Unreachable(text) if unreachable else ToolchainError(text)
    libraries = leg.toolkit / "lib"
    if libraries.is_dir() and not (leg.toolkit / "lib64").exists():
        (leg.toolkit / "lib64").symlink_to("lib")  # where nvcc and CMake look
    shutil.copyfile(leg.requirements, leg.environment / ".requirements")


def run(command: list[str], cwd: pathlib.Path | None = None, env: dict[str, str] | None = None) -> str:
    """Standard output; a command that fails is a ToolchainError with the end of what it said."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env)
    if result.returncode != 0:
        said = (result.stdout + result.stderr).strip()[-1500:]
        raise ToolchainError(f"{' '.join(command[:6])} ...: ended with {result.returncode}: {said}")
    return result.stdout
