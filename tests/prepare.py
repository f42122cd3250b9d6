#!/usr/bin/env python3
"""Installs what tests need besides a C compiler, if it is missing: Debian packages, Python packages into target/python, and Chromium.

As a script it installs everything and says what: tests/prepare.py. `make test` calls it first. Debian packages need root and apt-get; where
something cannot be installed, the tests that need it are skipped, and the summary lists them."""

import fcntl
import importlib
import importlib.util
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

PLACE = pathlib.Path(__file__).resolve().parent.parent / "target" / "python"
# Debian's own Python, which has Debian's packages of modules.
DEBIAN_PYTHON = "/usr/bin/python3"
# Readers of timelines, by the module they are imported as; and what drives the browser.
TIMELINES = {"pandas": "pandas", "pyarrow": "pyarrow", "perfetto": "perfetto", "google.protobuf": "protobuf"}
PLAYWRIGHT = {"playwright": "playwright"}
# Reads exports of call trees.
CUBE = {"pycubexr": "pycubexr"}
# Runs the tests, two files at a time.
PYTEST = {"pytest": "pytest", "xdist": "pytest-xdist"}
# Checks results against docs/reference/result.schema.json.
SCHEMAS = {"jsonschema": "jsonschema"}
# Commands, and the packages of Debian that have them. Of a key with several words, the command must succeed.
PIP = {f"{sys.executable} -m pip --version": "python3-pip"}
VENV = {f"{sys.executable} -c 'import ensurepip'": "python3-venv"}
DEBIAN = PIP | VENV | {
    "mpicc.mpich": "libmpich-dev", "mpiexec.mpich": "mpich", "mpicc.openmpi": "libopenmpi-dev", "mpirun.openmpi": "openmpi-bin",
    "g++": "g++", "gfortran": "gfortran", "cmake": "cmake", "meson": "meson", "ninja": "ninja-build", "pkg-config": "pkg-config",
    "jq": "jq", "tshark": "tshark", "gdb": "gdb", "strace": "strace", "valgrind": "valgrind", "dot": "graphviz", "pj_dump": "pajeng",
    "zsh": "zsh", "fish": "fish", "tcsh": "tcsh", "test -e /usr/lib/x86_64-linux-gnu/modulecmd.tcl": "environment-modules"}
# Reads and writes OTF2: the tools, and the package of Debian's Python, which imports six without depending on it.
OTF2 = {"otf2-print": "otf2-tools", f"{DEBIAN_PYTHON} -c 'import otf2'": "python3-otf2 python3-six"}
SLURM = {"slurmctld": "slurm-wlm", "munged": "munge"}
DEBIAN_BROWSER = {"chromium": "chromium fonts-dejavu-core"}
# `CHROMIUM` names another browser.
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"


class Missing(Exception):
    """Something is missing and cannot be installed."""


def python(packages):
    """Installs Python packages. Two tests may do so at the same time."""
    if str(PLACE) not in sys.path:
        sys.path.insert(0, str(PLACE))
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(PLACE / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        importlib.invalidate_caches()
        missing = [package for module, package in packages.items() if not found(module)]
        if missing:
            debian(PIP)
            say(f"installs Python packages into target/python: {' '.join(missing)}")
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--no-compile", "--target", str(PLACE), *missing]
            install(command, missing)
    importlib.invalidate_caches()


def found(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package it is in
        return False


def debian(packages):
    """Installs Debian packages whose commands are missing."""
    missing = sorted({name for command, names in packages.items() if not there(command) for name in names.split()})
    if not missing:
        return
    if not shutil.which("apt-get"):
        raise missing_packages(missing, "there is no apt-get")
    if os.geteuid() != 0:
        raise missing_packages(missing, "only root can install them")
    say(f"installs Debian packages: {' '.join(missing)}")
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=600", "-qq"]
    install([*apt, "update"], missing)
    install([*apt, "install", "-y", "--no-install-recommends", *missing], missing)


def there(command):
    """True if a command is on the path, or, if it has arguments, succeeds."""
    words = shlex.split(command)
    if len(words) == 1:
        return shutil.which(command) is not None
    return shutil.which(words[0]) is not None and subprocess.run(words, capture_output=True).returncode == 0


def install(command, packages):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise missing_packages(packages, f"`{' '.join(command[:2])}` failed: {last[0]}")


def missing_packages(packages, reason):
    return Missing(f"needs {' '.join(packages)}: {reason}")


def browser():
    """Installs a browser and its driver, if they are missing."""
    python(PLAYWRIGHT)
    if not pathlib.Path(CHROMIUM).exists():
        debian(DEBIAN_BROWSER)


def say(text):
    print(f"tests/prepare.py: {text}", flush=True)


def everything():
    """Installs all that can be installed, and says what cannot."""
    browser_here = pathlib.Path(CHROMIUM).exists()
    for step in (lambda: debian(DEBIAN | OTF2 | SLURM | ({} if browser_here else DEBIAN_BROWSER)), lambda: python(PYTEST | TIMELINES | PLAYWRIGHT | SCHEMAS | CUBE)):
        try:
            step()
        except Missing as missing:
            say(f"{missing}; tests that need them are skipped")


if __name__ == "__main__":
    everything()
