"""The command `mpirage`: where it is, and how it is called."""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig


class MpirageError(Exception):
    """The command could not do what it was called for; the text is its message."""


def executable():
    """The path of the command: the one in MPIRAGE, the one installed with this module, or the first on PATH."""
    named = os.environ.get("MPIRAGE")
    beside = [pathlib.Path(folder) / "mpirage" for folder in (sysconfig.get_path("scripts"), pathlib.Path(sys.executable).parent, _user_scripts())]
    found = named or next((str(path) for path in beside if path.exists()), None) or shutil.which("mpirage")
    if not found:
        raise MpirageError("the command mpirage is not installed; `pip install mpirage`, or name it in the variable MPIRAGE")
    return found


def _user_scripts():
    return sysconfig.get_path("scripts", "posix_user")


def call(words, **settings):
    """Runs the command with these words; texts are captured."""
    command = [executable(), *(os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **settings)


def must(words, **settings):
    """What the command prints; raises its message if it fails."""
    done = call(words, **settings)
    if done.returncode != 0:
        raise MpirageError(done.stderr.strip() or f"mpirage ended with {done.returncode}")
    return done.stdout


def cc(*words):
    """Compiles or links C: the arguments are those of the compiler."""
    must(["cc", *words])


def cxx(*words):
    """Compiles or links C++."""
    must(["cxx", *words])


def fc(*words):
    """Compiles or links Fortran."""
    must(["fc", *words])
