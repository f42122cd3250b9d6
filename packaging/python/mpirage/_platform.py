"""Simulated machines."""

import json
import pathlib
import tempfile

from ._command import must


class Platform:
    """A machine: a built-in name (`cluster:16`), a file, or the text of a platform file.

    >>> Platform("fat-tree:8x16,cores=32").figures["topology"]
    """

    def __init__(self, name):
        """A built-in name or a file. Raises MpirageError if there is none."""
        self.name = str(name)
        self._folder = None
        self._figures = None
        must(["platform", "check", self.name])

    @classmethod
    def from_text(cls, text):
        """The platform that a file with this text describes."""
        folder = tempfile.TemporaryDirectory(prefix="mpirage-platform-")
        path = pathlib.Path(folder.name) / "platform.toml"
        path.write_text(text)
        platform = cls(path)
        platform._folder = folder  # the file lives as long as the object
        return platform

    @property
    def figures(self):
        """Hosts, links and figures of the network, as `mpirage platform show --json` prints them."""
        if self._figures is None:
            self._figures = json.loads(must(["platform", "show", self.name, "--json"]))
        return self._figures

    def show(self):
        """The description as text."""
        return must(["platform", "show", self.name])

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"Platform({self.name!r})"
