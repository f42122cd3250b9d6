#!/usr/bin/env python3
"""Installs what tests need besides the compiler, if it is missing: Python packages into target/python, Debian packages, and Chromium.
As a script it installs everything, which can be done during compilation: tests/prepare.py"""

import fcntl
import importlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

PLACE = pathlib.Path(__file__).resolve().parent.parent / "target" / "python"
# Readers of timelines, by the module they are imported as; and what drives the browser.
TIMELINES = {"pandas": "pandas", "pyarrow": "pyarrow", "perfetto": "perfetto", "google.protobuf": "protobuf"}
PLAYWRIGHT = {"playwright": "playwright"}
# Checks results against docs/reference/result.schema.json.
SCHEMAS = {"jsonschema": "jsonschema"}
# Commands, and the packages of Debian that have them.
DEBIAN = {"mpicc.mpich": "libmpich-dev", "mpiexec.mpich": "mpich", "mpicc.openmpi": "libopenmpi-dev", "mpirun.openmpi": "openmpi-bin", "cmake": "cmake", "g++": "g++", "gfortran": "gfortran", "jq": "jq", "pkg-config": "pkg-config", "tshark": "tshark"}
# Reads and writes OTF2: the tools, and the package of Debian's Python.
OTF2 = {"otf2-print": "otf2-tools python3-otf2"}
DEBIAN_BROWSER = {"chromium": "chromium fonts-dejavu-core"}
# `CHROMIUM` names another browser.
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"


def python(packages):
    """Installs Python packages. Two tests may do so at the same time."""
    sys.path.insert(0, str(PLACE))
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(PLACE / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        importlib.invalidate_caches()
        missing = [package for module, package in packages.items() if not found(module)]
        if missing:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--no-compile", "--target", str(PLACE), *missing]
            subprocess.run(command, check=True)
    importlib.invalidate_caches()


def found(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package it is in
        return False


def debian(packages):
    """Installs Debian packages whose commands are missing."""
    missing = [package for command, package in packages.items() if not shutil.which(command)]
    if missing:
        apt = ["apt-get", "-o", "DPkg::Lock::Timeout=600"]
        quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, "check": True}
        subprocess.run([*apt, "update", "-qq"], **quiet)
        subprocess.run([*apt, "install", "-y", "-qq", "--no-install-recommends", *" ".join(missing).split()], **quiet)


def browser():
    """Installs a browser and its driver, if they are missing."""
    python(PLAYWRIGHT)
    if not pathlib.Path(CHROMIUM).exists():
        debian(DEBIAN_BROWSER)


if __name__ == "__main__":
    debian(DEBIAN | DEBIAN_BROWSER | OTF2)
    python(TIMELINES | PLAYWRIGHT | SCHEMAS)
