"""mpirage from Python: runs MPI programs on simulated machines and returns what came out.

    >>> import mpirage
    >>> mpirage.cc("ring.c", "-o", "ring")
    >>> result = mpirage.run("./ring", ranks=8, platform="cluster:8", compute="none")
    >>> result.seconds
    0.00123

Nothing but Python's own library is needed; tables need pandas."""

from ._command import MpirageError, cc, cxx, executable, fc
from ._platform import Platform
from ._result import Result, RunFailed, frame
from ._run import replay, run
from ._version import __version__

__all__ = ["MpirageError", "Platform", "Result", "RunFailed", "__version__", "cc", "cxx", "executable", "fc", "frame", "replay", "run"]
