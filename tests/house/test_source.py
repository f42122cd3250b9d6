"""The source itself: what structure.py counts, and the floors of crates that architecture.py draws."""

import sys

import pytest
from harness import TESTS


@pytest.mark.parametrize("script", ["structure.py", "architecture.py"])
def test_source(suite, script):
    done = suite.run([sys.executable, TESTS / "house" / script], timeout=300)
    print(done.out)
    suite.check(f"{script} has no findings", done.code == 0, done.out + done.err)
