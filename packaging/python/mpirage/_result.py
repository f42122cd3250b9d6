"""What a run gave."""

import json
import pathlib


class Result:
    """The result of a run. `summary` has every field of `mpirage run --json`; the most used ones are attributes."""

    def __init__(self, summary, stdout="", stderr="", exit_code=0, folder=None):
        self.summary = summary
        self.stdout = stdout
        self.stderr = stderr
        self.exit_code = exit_code
        self._folder = folder

    @property
    def seconds(self):
        """Simulated time until the last rank ended."""
        return self.summary["simulated_seconds"]

    @property
    def interval(self):
        """Where the real time is in nine of ten cases, (low, high) in seconds; None if an error is unknown."""
        trust = self.summary.get("trust") or {}
        return None if trust.get("low_seconds") is None else (trust["low_seconds"], trust["high_seconds"])

    @property
    def per_rank_seconds(self):
        """Simulated time at which each rank ended."""
        return self.summary["per_rank_seconds"]

    @property
    def ranks(self):
        """Number of ranks."""
        return self.summary["ranks"]

    @property
    def outcome(self):
        """`finished`, `deadlock`, `aborted`, …"""
        return self.summary["outcome"]

    @property
    def warnings(self):
        """Doubts about the result."""
        return self.summary["warnings"]

    @property
    def tables(self):
        """Names of the tables of a run with `tables=True`."""
        return sorted(path.stem for path in self._tables().glob("*.csv"))

    def table(self, name):
        """A table of the run as a pandas.DataFrame; the run needs `tables=True`."""
        path = self._tables() / f"{name}.csv"
        if not path.exists():
            raise KeyError(f"no table {name}; there are {', '.join(self.tables)}")
        return _pandas().read_csv(path)

    def rank_table(self):
        """A pandas.DataFrame with a row for each rank."""
        return _pandas().DataFrame({"rank": range(self.ranks), "seconds": self.per_rank_seconds})

    def json(self):
        """The summary as text."""
        return json.dumps(self.summary, indent=2)

    def _tables(self):
        if self._folder is None:
            raise ValueError("the run has no tables; run it with tables=True")
        return pathlib.Path(self._folder.name) / "tables.csv"

    def __repr__(self):
        return f"<Result: {self.outcome}, {self.ranks} ranks, {self.seconds:.6g} s>"

    def _repr_html_(self):
        """For notebooks."""
        fields = ["outcome", "ranks", "simulated_seconds", "messages", "bytes", "platform", "model", "ranks_as", "wall_seconds"]
        rows = "".join(f"<tr><th>{name}</th><td>{self.summary.get(name)}</td></tr>" for name in fields)
        return f"<table>{rows}</table>"


class RunFailed(Exception):
    """A run that did not finish. `result` has everything about it."""

    def __init__(self, result):
        super().__init__(result.summary.get("explanation") or result.stderr.strip() or f"outcome {result.outcome}")
        self.result = result


def frame(results):
    """A pandas.DataFrame with a row for each result, or for each item of a dictionary with its key as index. Lists and objects are left out."""
    pandas = _pandas()
    items = results.items() if hasattr(results, "items") else enumerate(results)
    plain = {key: {name: value for name, value in result.summary.items() if not isinstance(value, (list, dict))} for key, result in items}
    return pandas.DataFrame.from_dict(plain, orient="index")


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables need pandas: `pip install mpirage[tables]`") from error
    return pandas
