"""The commands of the papers run, with a small case of each table (`make papers SMALL=1`)."""

import pytest
from harness import ROOT
from page import END, Page

pytestmark = pytest.mark.alone
PAPERS = {
    "smpi_paper.py": ["Figure 7", "Figure 8", "Figure 9", "Figure 12", "Figure 15", "Figure 17"],
    "netsim_paper.py": ["Figure 5", "Figure 6", "Figure 8"],
    "smp_sim_paper.py": ["Figure 12"],
    "sampi_paper.py": ["Figure 3"],
    "dimemas_paper.py": ["| benchmark |", "| buses |", "| pattern |"],
}
PAGES = ["smpi-paper.md", "netsim-paper.md", "smp-sim-paper.md", "sampi-paper.md", "dimemas-study.md"]


@pytest.mark.parametrize("name", PAPERS)
def test_small(suite, name):
    done = suite.run([ROOT / "tests" / "papers" / name, "--small"], timeout=500)
    suite.check(f"{name} --small runs", done.code == 0, done)
    missing = [title for title in PAPERS[name] if title not in done.out]
    suite.check(f"{name} --small prints its tables", not missing, missing)


@pytest.mark.parametrize("name", PAPERS)
def test_mistakes(suite, name):
    done = suite.run([ROOT / "tests" / "papers" / name, "--smal", "--nbp"])
    suite.check(f"{name}: an option that does not exist", done.code == 2 and "unrecognized arguments" in done.err, done)


def test_pages(suite):
    """Each paper has a page that says which command makes it; tables are closed."""
    for name, script in zip(PAGES, ["smpi_paper", "netsim_paper", "smp_sim_paper", "sampi_paper", "dimemas_paper"]):
        text = (ROOT / "docs" / name).read_text()
        suite.check(f"{name} names its command", f"tests/papers/{script}.py" in text)
        suite.check(f"{name}: tables are closed", text.count("<!-- table ") == text.count(END))


def test_write(suite):
    """A table goes to its place; one without a place is an error, and changes nothing."""
    page = suite.folder / "page.md"
    page.write_text(f"before\n<!-- table a -->\nold\n{END}\nafter\n<!-- table b -->\n{END}\n")
    made = Page(page)
    made.table("a", ["x", "y"], [[1, 2]])
    made.write()
    text = page.read_text()
    suite.check("the table is there", f"before\n<!-- table a -->\n| x | y |\n|---|---:|\n| 1 | 2 |\n{END}\nafter\n<!-- table b -->\n{END}\n" == text, text)
    made.table("c", ["x"], [[1]])
    with pytest.raises(SystemExit, match="no place for the table c"):
        made.write()
    suite.check("nothing has changed", page.read_text() == text)
