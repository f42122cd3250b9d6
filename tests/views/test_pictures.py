"""The pictures of reports in the documents: all are made by pictures.py, from the current page."""

import re
import struct
import subprocess
import sys

import pictures
from harness import ROOT

SHOWN = re.compile(r"plots/report-([\w-]+?)(-dark)?\.png")


def size(path):
    """Width and height of a PNG."""
    return struct.unpack(">2I", path.read_bytes()[16:24])


def test_documents_show_made_pictures():
    """Each picture of a report in a document is one that the script makes, light and dark, and each that it makes is shown."""
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {(name, bool(dark)) for path in documents for name, dark in SHOWN.findall(path.read_text())}
    assert shown == {(name, dark) for name in pictures.PICTURES for dark in (False, True)}
    made = {path.name for path in pictures.PLOTS.glob("report-*.png")}
    assert made == {f"report-{name}{'-dark' if dark else ''}.png" for name, dark in shown}
    assert all(size(pictures.PLOTS / name)[0] == pictures.WIDTH for name in made)


def test_pictures_are_made_again(tmp_path):
    """Pictures of the current page are as large as those in the documents."""
    again = ["deadlock", "kinds-timeline", "states", "bandwidths"]
    program = f"import pathlib, pictures; pictures.make({again}, pathlib.Path({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT / "tests" / "views")
    for name in [f"{name}{theme}" for name in again for theme in ("", "-dark")]:
        made, shown = tmp_path / f"report-{name}.png", pictures.PLOTS / f"report-{name}.png"
        assert size(made)[0] == size(shown)[0] and abs(size(made)[1] - size(shown)[1]) < 20, (name, size(made), size(shown))
