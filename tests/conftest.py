"""What pytest needs to run these tests: the fixture `suite`, checks that do not end a test, and a summary of checks and of what was skipped."""

import collections
import os
import pathlib
import signal
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS / "programs")]

import harness  # noqa: E402
import prepare  # noqa: E402

# tests/run names the folder of pytest in it; programs of the tests must not see that folder.
os.environ.pop("PYTHONPATH", None)
# Under nohup, programs of the tests would ignore what they are to die of.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# These files take longest, so they begin first where several run at a time.
LONGEST = ["test_same_as_mpich", "test_page", "test_other_mpis", "test_reported_errors", "test_replay", "test_command_line", "test_check", "test_documents", "test_run_ahead",
           "test_faults"]


@pytest.fixture(scope="module")
def suite(request):
    """The checks and the folder of a file of tests. A parameter says how ranks live in all its runs (MPIRAGE_RANKS_AS)."""
    mode = getattr(request, "param", None)
    variables = {"MPIRAGE_RANKS_AS": mode} if mode in ("processes", "folded") else {}
    one = harness.Suite(request.module.__name__.removeprefix("test_"), variables=variables)
    yield one
    one.close()


@pytest.fixture
def record(request):
    """True if a test writes what it compares with."""
    return request.config.option.record


def pytest_addoption(parser):
    parser.addoption("--record", action="store_true", help="write what tests compare with: counts of instructions, outputs of Fortran programs, the table of docs/packet.md")
    parser.addoption("--live", action="store_true", help="also run tests that compare with an MPI that is installed here")


def pytest_collection_modifyitems(config, items):
    live = [item for item in items if item.get_closest_marker("live") and not config.option.live]
    config.hook.pytest_deselected(items=live)
    items[:] = [item for item in items if item not in live]
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    try:
        return (yield)
    except prepare.Missing as missing:
        pytest.skip(str(missing))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A test fails at its end if one of its checks failed. It is skipped if it needs something that cannot be installed here."""
    try:
        result = yield
    except (prepare.Missing, pytest.skip.Exception) as reason:
        fail_if_a_check_failed(item)
        pytest.skip(str(reason))
    except BaseException:
        count_checks(item)
        raise
    fail_if_a_check_failed(item)
    return result


def fail_if_a_check_failed(item):
    number, failures = count_checks(item)
    if failures:
        pytest.fail(f"{len(failures)} of {number} checks failed: " + "; ".join(failures), pytrace=False)


def count_checks(item):
    """Checks of the test: their number, and those that failed. A test without `suite` is one check."""
    suite = item.funcargs.get("suite")
    passed, failures, skips = suite.taken() if suite else (1, [], [])
    item.user_properties.append(("checks", passed + len(failures)))
    item.user_properties.extend(("skipped", reason) for reason in skips)
    return passed + len(failures), failures


def pytest_terminal_summary(terminalreporter):
    reports = [report for group in terminalreporter.stats.values() for report in group if isinstance(report, pytest.TestReport)]
    checks, skips = collections.Counter(), []
    for report in reports:
        if report.skipped:
            skips.append((report.nodeid, report.longrepr[2].removeprefix("Skipped: ")))
        if report.when == "call":
            checks[report.nodeid.split("::")[0]] += sum(value for name, value in report.user_properties if name == "checks")
            skips.extend((report.nodeid, value) for name, value in report.user_properties if name == "skipped")
    terminalreporter.section("checks")
    for file, number in sorted(checks.items()):
        terminalreporter.write_line(f"{number:6} {file}")
    terminalreporter.write_line(f"{sum(checks.values()):6} in all")
    if skips:
        terminalreporter.section("skipped")
    for test, reason in skips:
        terminalreporter.write_line(f"{test}: {reason}")
