"""Runs and replays."""

import json
import pathlib
import tempfile

from ._command import MpirageError, call, options
from ._result import Result, RunFailed


def run(program, *arguments, ranks=1, check=True, tables=False, timeout=None, cwd=None, env=None, **settings):
    """Runs an MPI program on a simulated machine.

    `settings` are options of `mpirage run`: `platform="cluster:16"`, `model="packet"`, `compute="none"`, `map_by="node"`, `report="run.html"`.
    `tables` keeps the tables of the run (Result.table). `env` are further variables of the ranks. Raises RunFailed if the program does not finish,
    unless `check` is False, and MpirageError if it cannot be started."""
    variables = [word for name, value in (env or {}).items() for word in ("-x", f"{name}={value}")]
    return _perform("run", ["-n", ranks, *variables], [program, *arguments], settings, check, tables, timeout, cwd)


def replay(trace, *, check=True, tables=False, timeout=None, cwd=None, **settings):
    """Replays a trace, or a generated workload such as `gen:ring,ranks=64`, on a simulated machine."""
    return _perform("replay", [], [trace], settings, check, tables, timeout, cwd)


def _perform(command, words, program, settings, check, tables, timeout, cwd):
    folder = tempfile.TemporaryDirectory(prefix="mpirage-run-")
    summary = pathlib.Path(folder.name) / "result.json"
    if tables:
        words = [*words, "--trace", pathlib.Path(folder.name) / "tables.csv"]
    settings = {name: str(value) if hasattr(value, "figures") else value for name, value in settings.items()}
    done = call([command, "-q", f"--json={summary}", *options(settings), *words, *program], timeout=timeout, cwd=cwd)
    if not summary.exists():
        raise MpirageError(done.stderr.strip() or f"mpirage ended with {done.returncode}")
    result = Result(json.loads(summary.read_text()), done.stdout, done.stderr, done.returncode, folder if tables else None)
    if check and (result.outcome != "finished" or done.returncode != 0):
        raise RunFailed(result)
    return result
