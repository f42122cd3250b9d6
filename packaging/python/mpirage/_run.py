"""Runs and replays."""

import json
import os
import pathlib
import tempfile

from ._command import MpirageError, call
from ._result import Result, RunFailed


def run(program, *arguments, ranks=1, check=True, tables=False, timeout=None, cwd=None, env=None, mpi_abi="auto", **settings):
    """Runs an MPI program on a simulated machine.

    `settings` are options of `mpirage run`: `platform="cluster:16"`, `model="packet"`, `compute="none"`, `map_by="node"`, `report="run.html"`.
    `tables` keeps the tables of the run (Result.table). `env` are further variables of the ranks. Raises RunFailed if the program does not finish,
    unless `check` is False, and MpirageError if it cannot be started."""
    variables = {name: str(value) for name, value in (env or {}).items()}
    part = {"words": [str(_plain(word)) for word in (program, *arguments)], "ranks": ranks, "environment": variables, "mpi_abi": mpi_abi}
    return _ask("run", {"programs": [part]}, settings, check, tables, timeout, cwd)


def replay(trace, *, check=True, tables=False, timeout=None, cwd=None, **settings):
    """Replays a trace, or a generated workload such as `gen:ring,ranks=64`, on a simulated machine."""
    return _ask("replay", {"workload": str(_plain(trace))}, settings, check, tables, timeout, cwd)


def _ask(command, request, settings, check, tables, timeout, cwd):
    folder = tempfile.TemporaryDirectory(prefix="mpirage-run-")
    asked, answer = (pathlib.Path(folder.name) / name for name in ("request.json", "answer.json"))
    request |= {name: _plain(value) for name, value in settings.items() if value is not None}
    if tables:
        traces = request.get("trace", [])
        request["trace"] = [*(traces if isinstance(traces, list) else [traces]), str(pathlib.Path(folder.name) / "tables.csv")]
    asked.write_text(json.dumps({command: request}))
    done = call(["request", asked, answer], timeout=timeout, cwd=cwd)
    if not answer.exists():
        raise MpirageError(done.stderr.strip() or f"mpirage ended with {done.returncode}")
    result = Result(json.loads(answer.read_text()), done.stdout, done.stderr, done.returncode, folder if tables else None)
    if check and (result.outcome != "finished" or done.returncode != 0):
        raise RunFailed(result)
    return result


def _plain(value):
    """A value for JSON: paths and platforms by their names."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value) if hasattr(value, "figures") else value
