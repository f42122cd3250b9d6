"""The checks and skips of these tests: conftest.py and harness.py."""

import sys

import prepare
from harness import TESTS

EXAMPLE = """import prepare

def test_good(suite):
    suite.check("one", True)

def test_bad(suite):
    suite.check("one", True)
    suite.check("two", False, "why")
    suite.check("three", False)

def test_in_part(suite):
    suite.check("one", True)
    suite.skip("the other half", "no compiler")

def test_crash(suite):
    suite.check("two", False, "before the crash")
    suite.missing

def test_missing(suite):
    raise prepare.Missing("needs gold: there is none")

def test_missing_after_a_failure(suite):
    suite.check("four", False)
    raise prepare.Missing("needs gold: there is none")
"""


def test_summary(suite):
    """A failed check does not hide the rest; the summary says what failed, what was skipped and why."""
    file = suite.folder / "test_example.py"
    file.write_text(EXAMPLE)
    words = ["-p", "conftest", "-c", "/dev/null", "--rootdir", suite.folder, "--color=no", file]
    done = suite.run([sys.executable, "-m", "pytest", *words], env={"PYTHONPATH": f"{TESTS}:{prepare.PLACE}"}, timeout=60)
    suite.check("tests that fail, pass and are skipped", done.code == 1 and "3 failed, 2 passed, 1 skipped" in done.out, done)
    for text in ("2 of 3 checks failed: two; three", "FAILED two\n    why", "before the crash", "AttributeError", "1 of 1 checks failed: four",
                 "test_example.py::test_in_part: the other half: no compiler", "test_example.py::test_missing: needs gold: there is none", "7 in all"):
        suite.check(f"the output has {text!r}", text in done.out, done.out)
