"""The report's page in a real Chromium, headless, opened from disk.

`MPIRAGE_PAGES` names a folder that keeps the reports.

Most runs are synthetic (page_data.py), so that the expected contents are known; `real_runs` uses runs of mpirage. Uses Debian's `chromium` and Python's
`playwright` (its driver only), and installs them if they are missing. `CHROMIUM` names another browser.
"""

import csv
import io
import json
import os
import pathlib
import subprocess
import tarfile
import xml.etree.ElementTree

import page_data
import pictures
import prepare
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = page_data.PAGE
MPIRAGE = os.environ.get("MPIRAGE") or ROOT / "target/release/mpirage"
# What the page says is left of the rows, and above them.
GUTTER, AXIS = 132, 24
# What is left and right of the rows of links.
BESIDE = 200, 140
VIEW = "mpirageReport.runs[0].timelineView"


class Browser:
    """A Chromium, and the reports it has been shown."""

    def __init__(self, playwright, folder):
        self.chromium = playwright.chromium.launch(executable_path=prepare.CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        self.folder = pathlib.Path(folder).resolve()

    def file(self, kind):
        path = self.folder / f"{kind}.html"
        if not path.exists() or kind in page_data.KINDS and path.stat().st_mtime < PAGE.stat().st_mtime:
            path.write_text(page_data.page(*page_data.KINDS[kind]()))
        return path

    def open(self, kind, ready=True, script=None, **context):
        """A page with this report; complaints of the console and requests are kept in it."""
        page = self.chromium.new_context(viewport={"width": 1400, "height": 900}, **context).new_page()
        page.complaints, page.requests = [], []
        page.on("console", lambda said: page.complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        if script:
            page.add_init_script(script)
        page.processor = page.context.new_cdp_session(page)
        page.processor.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(self.file(kind).as_uri())
        if ready:
            until(page, "Boolean(window.mpirageReport)")
        return page


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    prepare.browser()
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        one = Browser(playwright, os.environ.get("MPIRAGE_PAGES") or tmp_path_factory.mktemp("page"))
        yield one
        one.chromium.close()


@pytest.fixture
def browser(chromium):
    yield chromium
    for context in chromium.chromium.contexts:
        context.close()


def worked(page):
    """Seconds of processor time that the page has used: other work on this machine does not make them longer, as it does `readyAfter`."""
    metrics = page.processor.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def until(page, expression):
    """Waits until it holds, at most 30 s. (Playwright's own waiting needs `eval`, which the page forbids itself.)"""
    for _ in range(600):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{expression} does not come true; {page.complaints}")


def box(page):
    return page.locator(".timeline canvas").first.bounding_box()


def place(page, time, rank):
    """Where a time (ns) and a rank are on the screen."""
    page.locator(".timeline canvas").first.scroll_into_view_if_needed()
    canvas = box(page)
    view = page.evaluate(f"({{...{VIEW}.view, rows: {VIEW}.rows}})")
    x = GUTTER + (time - view["from"]) / (view["to"] - view["from"]) * (canvas["width"] - GUTTER)
    y = AXIS + (rank + 0.5 - view["top"]) / (view["bottom"] - view["top"]) * view["rows"]
    return canvas["x"] + x, canvas["y"] + y


def frame(page):
    """Waits until what was asked for is drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


def ring():
    return page_data.Ring(16, 30, 1, 5)


def downloaded(page, figure):
    with page.expect_download() as download:
        page.locator(f"[data-figure={figure}] .csv").first.click()
    return list(csv.reader(io.StringIO(pathlib.Path(download.value.path()).read_text())))


def test_loads_offline(browser):
    """Nothing is fetched, nothing is complained about, and all panels are there."""
    for kind in ("demo", "deadlock", "two", "torus", "fat_tree", "dragonfly", "dragonfly_plus", "cabinets"):
        page = browser.open(kind)
        frame(page)
        assert page.requests == [browser.file(kind).as_uri()], page.requests
        assert page.complaints == [], page.complaints
        titles = page.locator("section h2").all_text_contents()
        assert titles == ["Summary", "Timeline", "Communication", "Network", "Critical path"], titles
        page.context.close()


def test_figures(browser):
    """The figures of the summary are those of the data."""
    page, run = browser.open("demo"), page_data.made(16, 30, late=5).json
    for field in ("simulated_seconds", "ranks", "messages", "bytes", "calls", "wall_seconds"):
        shown = page.locator(f"[data-field={field}]").first.get_attribute("data-value")
        assert float(shown) == run["run"][field], (field, shown)
    shown = page.locator("[data-field='efficiency.load_balance']").first
    assert float(shown.get_attribute("data-value")) == run["efficiency"]["load_balance"]
    assert shown.text_content() == f"{100 * run['efficiency']['load_balance']:.1f} %"
    assert "0.116040897 s" in page.locator(".big").text_content()
    text = page.locator("#summary").text_content()
    assert all(warning["text"] in text for warning in run["warnings"])


def test_zoom_and_hover(browser):
    """From the whole run to one call; the tooltip says what the call is."""
    page = browser.open("demo")
    start, duration, *_ = call = ring().calls[5][60]
    for _ in range(40):
        page.mouse.move(*place(page, start + duration / 2, 5))
        page.mouse.wheel(0, -120)
        frame(page)
    span = page.evaluate(f"{VIEW}.view.to - {VIEW}.view.from")
    assert span < 20 * duration, f"{span} ns in sight, the call has {duration}"
    assert page.evaluate(f"{VIEW}.source.calls") is True
    page.locator(".timeline canvas").first.focus()
    page.keyboard.press("m")
    frame(page)
    page.mouse.move(*place(page, start + duration / 2, 5))
    tip = page.locator("#tooltip").inner_text()
    _, _, function, site, peer, size, tag, _ = call
    for wanted in (page_data.FUNCTIONS[function], "5 on node-2", f"{duration / 1e3:.1f} µs", page_data.SITES[site]):
        assert wanted in tip, (wanted, tip)
    if peer >= 0:
        assert f"rank {peer}" in tip and str(tag) in tip and "64.0 KiB" in tip and "MPI_COMM_WORLD" in tip, tip


def test_drag_and_overview(browser):
    """Dragging moves the view; a click into the overview goes there."""
    page = browser.open("demo")
    page.evaluate(f"{VIEW}.look(40e6, 50e6)")
    frame(page)
    page.locator(".timeline canvas").first.scroll_into_view_if_needed()
    canvas = box(page)
    page.mouse.move(canvas["x"] + 700, canvas["y"] + 100)
    page.mouse.down()
    page.mouse.move(canvas["x"] + 600, canvas["y"] + 100, steps=5)
    page.mouse.up()
    view = page.evaluate(f"{VIEW}.view")
    expected = 40e6 + 10e6 * 100 / (canvas["width"] - GUTTER)
    assert abs(view["from"] - expected) < 0.1e6, (view, expected)
    page.mouse.click(canvas["x"] + canvas["width"] - 2, canvas["y"] + canvas["height"] - 10)
    assert page.evaluate(f"{VIEW}.view.to") > 115e6


def test_keyboard(browser):
    """Everything the pointer does, keys do."""
    page = browser.open("demo")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.press("Escape")
    assert page.evaluate(f"document.activeElement === {VIEW}.canvas")
    page.keyboard.press("+")
    zoomed = page.evaluate(f"{VIEW}.view")
    assert zoomed["to"] - zoomed["from"] < 0.7 * 116e6
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{VIEW}.view.from") > zoomed["from"]
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert page.evaluate(f"{VIEW}.entire")
    page.keyboard.press("n")
    frame(page)
    assert "MPI_Init" in page.locator("#tooltip").inner_text()
    page.keyboard.press("n")
    assert "MPI_Irecv" in page.locator("#tooltip").inner_text()
    assert "MPI_Irecv" in page.locator("#announce").text_content()
    before = page.evaluate(f"{VIEW}.show.path")
    page.keyboard.press("c")
    assert page.evaluate(f"{VIEW}.show.path") != before
    page.keyboard.press("?")
    assert page.locator("#helpbox").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#helpbox").is_visible()
    page.locator(".skip").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_search(browser):
    """A rank is jumped to; calls are gone through in time order."""
    page = browser.open("large_ranks")
    search = page.locator("input[type=search]")
    search.fill("rank 200")
    search.press("Enter")
    view = page.evaluate(f"{VIEW}.view")
    assert view["top"] < 200 < view["bottom"] and view["bottom"] - view["top"] < 60, view
    assert page.evaluate(f"{VIEW}.highlighted") == 200
    search.fill("allreduce")
    search.press("Enter")
    first = page.evaluate(f"{VIEW}.selected")
    calls = [(call[0], rank) for rank, row in enumerate(page_data.Ring(256, 6, 1).calls) for call in row if call[2] == 4]
    assert (first["start"], first["rank"]) == min(calls), (first, min(calls))
    search.press("Enter")
    second = page.evaluate(f"{VIEW}.selected")
    assert (second["start"], second["rank"]) == sorted(calls)[1]
    search.press("Shift+Enter")
    assert page.evaluate(f"{VIEW}.selected.rank") == first["rank"]
    search.fill("nothing of that name")
    search.press("Enter")
    assert "No call" in page.locator(".timeline [role=status]").text_content()


def test_theme(browser):
    """Light and dark follow the system and the button; canvases follow too."""
    page = browser.open("demo", color_scheme="dark")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate(f"{VIEW}.canvas.toDataURL()")
    page.locator("#theme").click()
    frame(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(f"{VIEW}.canvas.toDataURL()") != dark


def test_csv(browser):
    """Every figure gives its data."""
    page, made = browser.open("demo"), page_data.made(16, 30, late=5).json
    figures = page.locator(".figure:has(.csv)").count()
    assert figures == page.locator(".csv").count() >= 14, figures
    assert downloaded(page, "time-split")[1:] == [[name, repr_js(made["time"][name])] for name in page_data.CATEGORIES[1:]]
    rows = downloaded(page, "matrix")
    assert rows[0] == ["from_rank", "to_rank", "bytes", "messages"] and ["0", "1", "1966080", "30"] in rows
    calls = downloaded(page, "calls")
    assert ["MPI_Isend", "halo.c:40 in exchange", "960"] in [row[:3] for row in calls]
    timeline = downloaded(page, "timeline")
    assert len(timeline) - 1 == made["run"]["calls"]
    start, duration, function, site, peer, size, tag, _ = ring().calls[3][4]
    assert [str(v) for v in (3, start, duration, 0, page_data.FUNCTIONS[function], page_data.SITES[site], peer, size, tag)] in [row[:9] for row in timeline]
    for at in range(page.locator(".csv").count()):
        # A page may download ten files in a row.
        page = browser.open("demo") if at % 8 == 0 else page
        button = page.locator(".csv").nth(at)
        with page.expect_download(timeout=5000) as download:
            button.click()
        assert len(pathlib.Path(download.value.path()).read_text().splitlines()) > 1, button.get_attribute("aria-label")


def repr_js(number):
    """As JavaScript writes it."""
    text = repr(float(number))
    return text[:-2] if text.endswith(".0") else text


def test_tables_sort(browser):
    page = browser.open("demo")
    head = page.locator("[data-figure=calls] th button", has_text="Calls").first
    head.click()
    cells = page.locator("[data-figure=calls] tbody tr td:nth-child(3)").all_text_contents()
    assert cells == ["960", "960", "480", "480", "16", "16"], cells
    head.click()
    assert page.locator("[data-figure=calls] tbody tr td:nth-child(3)").first.text_content() == "16"


def test_matrix_and_slider(browser):
    """The matrix tells what is under the pointer; the slider colours the machine at a time."""
    page = browser.open("demo")
    canvas = page.locator("[data-figure=matrix] canvas").first
    canvas.scroll_into_view_if_needed()
    where = canvas.bounding_box()
    side = min(where["width"] - 52, 520 - 36)
    page.mouse.move(where["x"] + 52 + side * 3.5 / 16, where["y"] + side * 2.5 / 16)
    tip = page.locator("#tooltip").inner_text()
    assert "rank 2 → rank 3" in tip and "1.9 MiB" in tip and "30" in tip, tip
    colours = "[...document.querySelectorAll('[data-edge]')].map((line) => line.getAttribute('stroke')).join()"
    mean = page.evaluate(colours)
    page.locator("input[type=range]").focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(colours) != mean
    assert "at 4.352 ms" in page.locator("output").text_content(), page.locator("output").text_content()


def test_deadlock(browser):
    """The blocked calls are in the summary, and in the timeline."""
    page = browser.open("deadlock")
    alarm = page.locator(".alarm").inner_text()
    assert "deadlock" in alarm and "from rank 10, tag 7" in alarm and "halo.c:42 in exchange" in alarm
    assert page.locator(".alarm tbody tr").count() == 15
    page.mouse.move(*place(page, 24.5e6, 9))
    tip = page.locator("#tooltip").inner_text()
    assert "Blocked in MPI_Recv" in tip and "from rank 10" in tip, tip
    page.locator(".alarm .link", has_text="12").click()
    assert page.evaluate(f"{VIEW}.highlighted") == 12


def test_selection(browser):
    """A box has the calls inside it; filters choose among them; the histogram counts them."""
    page = browser.open("demo")
    calls = ring().calls
    start, end = calls[4][10][0], calls[4][40][0]
    x, y = place(page, start, 4)
    page.keyboard.down("Shift")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*place(page, end, 6), steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    box = page.evaluate(f"{VIEW}.selection")
    assert (box["top"], box["bottom"]) == (4, 7) and abs(box["from"] - start) < 1e5 and abs(box["to"] - end) < 1e5, box

    def inside(passes=lambda call: True, ranks=range(4, 7)):
        return [call for rank in ranks for call in calls[rank] if call[0] <= box["to"] and call[0] + call[1] >= box["from"] and passes(call)]

    def shown(count):
        until(page, f"document.querySelector('[data-field=selection]')?.dataset.value === '{count}'")

    shown(len(inside()))
    assert page.evaluate(f"{VIEW}.statistics.histogram.reduce((a, b) => a + b)") == len(inside())
    page.locator("[data-filter=call]").fill("isend")
    sends = inside(lambda call: call[2] == 2)
    shown(len(sends))
    rows = downloaded(page, "selection")
    total = sum(min(call[0] + call[1], box["to"]) - max(call[0], box["from"]) for call in sends)
    assert len(rows) == 2 and rows[1][:3] == ["MPI_Isend", "halo.c:40 in exchange", str(len(sends))] and abs(float(rows[1][4]) - total / 1e9) < 1e-9, rows
    page.locator("[data-filter=ranks]").fill("0-4, 6")
    shown(len(inside(lambda call: call[2] == 2, (4, 6))))
    page.locator("[data-filter=sizes]").fill("1KiB-32KiB")
    shown(0)
    page.locator("[data-filter=sizes]").fill("64KiB-")
    shown(len(inside(lambda call: call[2] == 2, (4, 6))))
    page.locator("[data-act=zoom]").click()
    view = page.evaluate(f"{VIEW}.view")
    assert abs(view["from"] - box["from"]) < 1 and abs(view["to"] - box["to"]) < 1 and page.evaluate(f"{VIEW}.selection") is None, view
    assert page.complaints == [], page.complaints


def test_link(browser):
    """The address of a view shows the same view again."""
    page = browser.open("demo")
    page.evaluate(f"{VIEW}.look(40e6, 50e6)")
    page.evaluate(f"{VIEW}.lookAtRanks(2, 12)")
    page.locator("[data-filter=call]").fill("waitall")
    page.locator(".timeline canvas").first.focus()
    page.keyboard.press("s")
    page.keyboard.press("c")
    page.locator("[data-act=link]").click()
    view, box, address = page.evaluate(f"{VIEW}.view"), page.evaluate(f"{VIEW}.selection"), page.evaluate("location.href")
    assert "#view=" in address, address
    other = browser.chromium.new_context(viewport={"width": 1400, "height": 900}).new_page()
    other.complaints = []
    other.goto(address)
    until(other, "Boolean(window.mpirageReport)")
    assert other.evaluate(f"{VIEW}.view") == view and other.evaluate(f"{VIEW}.selection") == box
    assert other.evaluate(f"[{VIEW}.filter.call, {VIEW}.show.path, {VIEW}.show.arrows]") == ["waitall", False, True]
    assert other.locator("[data-filter=call]").input_value() == "waitall"
    broken = browser.chromium.new_context().new_page()
    broken.complaints = []
    broken.goto(address.split("#")[0] + "#view=1_2_x_4&rank=-7")
    until(broken, "Boolean(window.mpirageReport)")
    assert broken.evaluate(f"{VIEW}.entire")


def test_waits(browser):
    """Wait states of a chain of ranks: sentences, tables and the matrix name who waits for whom."""
    name = real_report(browser, "waits", ["run", "-q", "-n", "5", "-p", "cluster:5", "--compute", "none"], "tests/views/wait_states/cases.c", 0, ["chain"])
    page = browser.open(name)
    frame(page)
    assert page.complaints == [], page.complaints
    assert "Waiting" in page.locator("section h2").all_text_contents()
    text = page.locator("#waits").inner_text()
    assert "due to late senders" in text and "Rank 0 makes other ranks wait 40.000 ms" in text and "cases.c:" in text, text[:500]
    causes = downloaded(page, "wait-causes")
    assert causes[0][:2] == ["rank", "what"] and causes[1][:3] == ["0", "computes before", "MPI_Send"] and abs(float(causes[1][4]) - 0.04) < 1e-6, causes[:2]
    pairs = downloaded(page, "wait-pairs")
    assert sorted(row[:3] for row in pairs[1:]) == [[str(rank), str(rank - 1), "late sender"] for rank in range(1, 5)], pairs
    matrix = downloaded(page, "wait-matrix")
    assert sorted((int(row[0]), int(row[1])) for row in matrix[1:]) == [(rank, rank - 1) for rank in range(1, 5)], matrix
    canvas = page.locator("[data-figure=wait-matrix] canvas").first
    canvas.scroll_into_view_if_needed()
    where = canvas.bounding_box()
    side = min(where["width"] - 52, 300 - 36)
    page.mouse.move(where["x"] + 52 + side * 0.5 / 5, where["y"] + side * 1.5 / 5)
    tip = page.locator("#tooltip").inner_text()
    assert "rank 1 for rank 0" in tip and "10.00 ms" in tip, tip
    page.locator("[data-figure=wait-causes] .link").first.click()
    assert page.evaluate(f"{VIEW}.highlighted") == 0


# Runs whose trouble is known, and what the verdict says of it.
TROUBLES = {
    "late_sender": (["run", "-q", "-n", "5", "-p", "cluster:5", "--compute", "none"], "tests/views/wait_states/cases.c", ["chain"],
                    ["due to late senders", "Rank 0 makes other ranks wait 40.000 ms by what it does before MPI_Send at cases.c:"]),
    "imbalance": (["replay", "-q", "gen:halo2d,ranks=16,iterations=20,compute=1ms,imbalance=1.5,bytes=8", "-p", "cluster:16"], None, [], ["If computation were even, the run would take about"]),
    "contention": (["run", "-q", "-n", "4", "-p", "cluster:4", "--model", "flow:affine", "--compute", "none"], "tests/views/wait_states/cases.c", ["contention"],
                   ["Messages that share links cost", "the link with the most is cluster_link_2_DOWN"]),
    "serialisation": (["run", "-q", "-n", "8", "-p", "cluster:8,speed=10Gf", "--compute", "none"], "tests/views/wait_states/turns.c", [],
                      ["due to late senders", "Ranks work in turn: if messages took no time, the run would still take 80.", "though no rank computes for more than 10."]),
    "network": (["replay", "-q", "gen:halo2d,ranks=16,iterations=5,bytes=1MiB,compute=100us", "-p", "cluster:16"], None, [], ["If messages took no time, the run would take"]),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_verdict(browser, trouble):
    """The page begins with what costs most and what would be gained."""
    command, source, arguments, wanted = TROUBLES[trouble]
    page = browser.open(real_report(browser, trouble, command, source, 0, arguments))
    said = page.locator("[data-figure=verdict] p").all_text_contents()
    assert 1 <= len(said) <= 3 and all(any(words in text for text in said) for words in wanted), said
    assert page.locator("[data-figure=verdict]").bounding_box()["y"] < 300 and page.complaints == [], page.complaints


CALL_TREE = ["run", "-q", "-n", "4", "-p", "cluster:4", "--compute", "none"], "tests/views/wait_states/call_paths.c", []


def test_call_tree(browser):
    """The tree of the paths on which the program called MPI: as a graph, as a table, and for speedscope."""
    command, source, arguments = CALL_TREE
    page = browser.open(real_report(browser, "call_tree", command, source, 0, arguments))
    until(page, "Boolean(document.querySelector('[data-figure=call-tree]'))")
    columns, *rows = downloaded(page, "call-tree")
    found = [dict(zip(columns, row)) for row in rows]
    calls = {(row["path"].split(";")[1], int(row["rank"])): float(row["own_calls"]) for row in found if row["path"].endswith("MPI_Sendrecv")}
    assert set(calls) == {(name, rank) for name in ("first", "second") for rank in range(4)}, found
    assert all(calls["second", rank] == 3 * calls["first", rank] > 0 for rank in range(4)), calls
    assert all(row["path"].startswith("main;") for row in found) and any(";exchange;" in row["path"] for row in found), found
    total = sum(float(row["own_time"]) for row in found)
    in_calls = sum(page.evaluate("mpirageReport.runs[0].calls_table.seconds"))
    assert abs(sum(float(row["own_mpi"]) for row in found) - in_calls) < 1e-7, (total, in_calls)
    with page.expect_download() as waiting:
        page.locator("[data-figure=call-tree] button", has_text="speedscope").click()
    scope = json.loads(pathlib.Path(waiting.value.path()).read_text())
    assert [profile["name"] for profile in scope["profiles"]] == ["all ranks", *(f"rank {rank}" for rank in range(4))]
    everyone = scope["profiles"][0]
    assert abs(sum(everyone["weights"]) - total) < 1e-9 and len(everyone["samples"]) == len(everyone["weights"])
    assert all(scope["shared"]["frames"][stack[0]]["name"] == "main" for stack in everyone["samples"])
    part = page.locator(".flame .part", has_text="second").first
    part.click()
    assert page.locator(".flame .part").first.inner_text() == "second" and page.locator("h3", has_text="of second, by rank").count() == 1
    assert page.complaints == [], page.complaints


@pytest.mark.parametrize("ranks_as", ["processes", "folded"])
def test_functions_that_compute(browser, ranks_as):
    """Samples of the stack find the functions that compute, whether or not they call MPI."""
    command = ["run", "-q", "-n", "4", "-p", "cluster:4", "--ranks-as", ranks_as]
    page = browser.open(real_report(browser, f"functions_{ranks_as}", command, "tests/views/wait_states/functions.c", 0))
    until(page, "Boolean(document.querySelector('[data-figure=call-tree]'))")
    columns, *rows = downloaded(page, "call-tree")
    computed = {}
    for row in (dict(zip(columns, row)) for row in rows):
        function = next((name for name in ("smooth", "residual") if f"main;{name};" in row["path"]), "other")
        computed[function] = computed.get(function, 0) + float(row["own_compute"])
    assert abs(sum(computed.values()) - page.evaluate("mpirageReport.runs[0].time.compute")) < 1e-6, computed
    share = {name: seconds / sum(computed.values()) for name, seconds in computed.items()}
    # Three quarters and one quarter; some 50 samples of each rank or more.
    assert 0.6 < share["smooth"] < 0.9 and 0.1 < share["residual"] < 0.4 and share.get("other", 0) < 0.05, share
    assert page.get_by_text("samples of the program's stack").count() == 1
    assert page.complaints == [], page.complaints


def test_cubex(browser):
    """The export for Cube, read by pycubexr: metrics, call tree and ranks, with the values of the table."""
    prepare.python(prepare.CUBE)
    from pycubexr import CubexParser

    command, source, arguments = CALL_TREE
    page = browser.open(real_report(browser, "cubex", command, source, 0, arguments))
    until(page, "Boolean(document.querySelector('[data-figure=call-tree]'))")
    columns, *rows = downloaded(page, "call-tree")
    with page.expect_download() as waiting:
        page.locator("[data-figure=call-tree] button", has_text="Cube").click()
    file = browser.folder / "call_tree.cubex"
    waiting.value.save_as(file)
    wanted = {}
    for row in (dict(zip(columns, row)) for row in rows):
        for metric, column in (("time", "own_time"), ("computation", "own_compute"), ("mpi", "own_mpi"), ("mpi_waiting", "own_waiting"), ("visits", "own_calls"), ("bytes", "own_bytes")):
            if float(row[column]) > 0:
                wanted[metric, row["path"], row["line"], int(row["rank"])] = float(row[column])
    found = {}
    with CubexParser(str(file)) as cube:
        above = {child.id: node for node in cube.all_cnodes() for child in node.get_children()}
        lines = {int(node.get("id")): f"{node.get('mod')}:{node.get('line')}" for node in anchor(file).iter("cnode")}
        places = [location.id for location in cube.get_locations()]
        for metric in cube.all_metrics():
            values = cube.get_metric_values(metric)
            for number in values.cnode_indices:
                node, path = cube.get_cnode(number), []
                while node.id in above:
                    path.insert(0, cube.get_region(node).name)
                    node = above[node.id]
                line = lines[number].removesuffix(":-1").strip(":")
                for rank, value in zip(places, values.cnode_values(number)):
                    if value > 0:
                        found[metric.name, ";".join(path), line, rank] = value
        tree = {metric.name: {child.name for child in metric.childs} for metric in cube.all_metrics()}
    assert places == list(range(4)) and tree["time"] >= {"mpi"} and tree["visits"] == set(), (places, tree)
    # The table has no calls that take no time.
    in_table = {key for key in found if key[1:] in {other[1:] for other in wanted}}
    assert in_table == wanted.keys() and all(abs(found[key] - wanted[key]) <= 1e-12 * abs(wanted[key]) for key in wanted), in_table ^ wanted.keys()
    assert {key[0] for key in found.keys() - in_table} <= {"visits", "bytes"}, found.keys() - in_table
    assert page.complaints == [], page.complaints


def anchor(cubex):
    """The XML of a file of Cube."""
    with tarfile.open(cubex) as tar:
        return xml.etree.ElementTree.parse(tar.extractfile("anchor.xml"))


CROWDED = """() => {
    const shown = [], walker = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement;
        if (!node.data.trim() || !parent.checkVisibility() || parent.closest(".flame, .unseen, select, script, title, [hidden]")) continue;
        const range = document.createRange(), box = parent.closest(".scroll, .wide, .charts, pre")?.getBoundingClientRect();
        range.selectNodeContents(node);
        for (const { left, right, top, bottom } of range.getClientRects()) {
            // What lies outside of a box that scrolls is not seen.
            const [from, to] = box ? [Math.max(left, box.left), Math.min(right, box.right)] : [left, right];
            if (to > from) shown.push({ left: from, right: to, top, bottom, text: node.data.trim() });
        }
    }
    shown.sort((one, other) => one.top - other.top);
    const troubles = shown.filter(({ left, right }) => left < -1 || right > innerWidth + 1).map(({ text }) => `outside: ${text}`);
    shown.forEach((one, at) => {
        for (let next = at + 1; next < shown.length && shown[next].top < one.bottom - 4; next += 1) {
            const other = shown[next], wide = Math.min(one.right, other.right) - Math.max(one.left, other.left), high = Math.min(one.bottom, other.bottom) - other.top;
            if (wide > 2 && high > 4) troubles.push(`overlap: ${one.text} / ${other.text}`);
        }
    });
    if (document.scrollingElement.scrollWidth > innerWidth) troubles.push(`the page is ${document.scrollingElement.scrollWidth} wide`);
    return troubles;
}"""


@pytest.mark.parametrize("width", [1200, 1600])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_text_overlaps(browser, width, theme):
    """At both widths no text lies on another or outside of the page."""
    reports = {name: (command, source, arguments) for name, (command, source, arguments, _) in TROUBLES.items()}
    reports["call_tree"] = CALL_TREE
    for name, (command, source, arguments) in reports.items():
        if not (browser.folder / f"{name}.html").exists():
            real_report(browser, name, command, source, 0, arguments)
    for name in [*reports, kinds_report(browser), "two", "deadlock", "torus", "large"]:
        page = browser.open(name, color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert page.evaluate(CROWDED) == [], (name, width)


def kinds_report(browser):
    """1,024 ranks of which two compute other than the rest."""
    trace = browser.folder / "slow.ti"
    trace.write_text(page_data.trace_with_slow_ranks())
    return real_report(browser, "kinds", ["replay", "-q", trace, "-p", "fat-tree:16x64"], None, 0)


def all_ranks(part):
    """The switches of a page or a part of it between kinds and all ranks."""
    return part.get_by_role("button", name="All ranks", exact=True)


def test_kinds(browser):
    """Ranks that behave alike are one row; those that deviate are named, with what they do otherwise."""
    page = browser.open(kinds_report(browser))
    said = page.locator("[data-field=kinds]").inner_text()
    assert said.startswith("1\u202f024 ranks in ") and "rank 33 (computation +" in said and "rank 900 (computation −" in said, said
    columns, *ranks = downloaded(page, "kinds")
    kinds = {int(row[0]): row[1] for row in ranks}
    assert len(kinds) == 1024 and kinds[33] == kinds[900] == "deviates" and kinds[500].startswith("kind "), said
    rows = page.evaluate(f"{VIEW}.kinds.rows.map(({{ name, ranks, rank }}) => ({{ name, ranks, rank }}))")
    assert sorted(rank for row in rows for rank in row["ranks"]) == list(range(1024)) and page.evaluate(f"{VIEW}.view.bottom") == len(rows) <= 24, rows
    assert all(row["rank"] in row["ranks"] and {kinds[rank] for rank in row["ranks"]} <= {row["name"], "deviates"} for row in rows), rows
    at = next(at for at, row in enumerate(rows) if row["rank"] == 33)
    # `place` is about rows: that of rank 33 computes when others wait for it.
    page.mouse.move(*place(page, 120e3, at))
    tip = page.locator("#tooltip").inner_text()
    assert "Computation" in tip and "33 on" in tip, tip
    page.mouse.move(*place(page, 120e3, 0))
    assert f"kind 1: {len(rows[0]['ranks'])} ranks" in page.locator("#tooltip").inner_text()
    assert page.complaints == [], page.complaints


def test_kinds_are_alike(browser):
    """No rank of a kind is farther from the first of it than the page says."""
    page = browser.open(kinds_report(browser))
    columns, *ranks = downloaded(page, "kinds")
    limit = page.evaluate(f"{VIEW}.kinds.tolerance * {VIEW}.run.timeline.seconds")
    members = {}
    for _, kind, *figures in ranks:
        members.setdefault(kind, []).append([float(value) for value in figures])
    far = lambda one, other: max(abs(a - b) for a, b in zip(one, other))
    for kind in members.keys() - {"deviates"}:
        assert min(max(far(leader, one) for one in members[kind]) for leader in members[kind]) <= limit * (1 + 1e-9), kind
    assert all(far(one, other) > limit for one in members["deviates"] for other in members["kind 1"][:1])


def test_all_ranks_instead_of_kinds(browser):
    """The switch shows all ranks everywhere; a search for a rank without a row does so too, and links remember it."""
    page = browser.open(kinds_report(browser))
    bars = "document.querySelector('[data-figure=ranks] .note').textContent"
    assert "mean of each kind" in page.evaluate(bars)
    until(page, "Boolean(document.querySelector('[data-field=selection]'))")
    calls = page.evaluate("mpirageReport.runs[0].run.calls")
    assert page.locator("[data-field=selection]").get_attribute("data-value") == str(calls), "a row stands for all its ranks"
    all_ranks(page.locator("[data-figure=timeline]")).first.click()
    assert page.evaluate(f"{VIEW}.view.bottom") == 1024 and "Means of 8 ranks" in page.evaluate(bars)
    assert all_ranks(page.locator("[data-figure=kinds]")).first.get_attribute("aria-pressed") == "true"
    page.locator("[data-act=link]").click()
    address = page.evaluate("location.href")
    all_ranks(page.locator("[data-figure=kinds]")).first.click()
    assert page.evaluate(f"{VIEW}.view.bottom") < 25
    hidden = page.evaluate(f"{VIEW}.kinds.rows[0].ranks.find((rank) => !{VIEW}.isDrawn(rank))")
    search = page.locator("input[type=search]")
    for rank, rows in ((33, page.evaluate(f"{VIEW}.lines")), (hidden, 1024)):
        search.fill(str(rank))
        search.press("Enter")
        view = page.evaluate(f"({{row: {VIEW}.rowOf({rank}), ...{VIEW}.view}})")
        assert view["top"] <= view["row"] < view["bottom"] and page.evaluate(f"{VIEW}.lines") == rows, (rank, view)
    other = browser.chromium.new_context(viewport={"width": 1400, "height": 900}).new_page()
    other.complaints = []
    other.goto(address)
    until(other, "Boolean(window.mpirageReport)")
    assert other.evaluate(f"{VIEW}.view.bottom") == 1024 and page.complaints == other.complaints == [], page.complaints


def test_kinds_by_function(browser):
    """Ranks that spend as long in each category, but in other functions, are of other kinds."""
    trace = browser.folder / "functions.ti"
    trace.write_text(page_data.trace_with_two_functions())
    page = browser.open(real_report(browser, "functions", ["replay", "-q", trace, "-p", "fat-tree:8x8"], None, 0))
    columns, *ranks = downloaded(page, "kinds")
    assert "MPI_Send" in columns and "MPI_Waitall" in columns, columns
    kinds = {int(row[0]): row[1] for row in ranks}
    halves = [{kinds[rank] for rank in half} for half in (range(32), range(32, 64))]
    assert not halves[0] & halves[1] and "deviates" not in halves[0] | halves[1], kinds
    by_category = [index for index, name in enumerate(columns) if not name.startswith("MPI_")][2:]
    limit = page.evaluate(f"{VIEW}.kinds.tolerance * {VIEW}.run.timeline.seconds")
    one, other = ranks[0], ranks[62]
    assert all(abs(float(one[index]) - float(other[index])) < limit for index in by_category), (one, other)


def test_kinds_of_rows_that_ranks_share(browser):
    """Above 2,048 ranks several share a row of tiles: kinds have rows of their own, and a rank that deviates has that of its neighbours."""
    page = browser.open(real_report(browser, "shared_rows", ["replay", "-q", page_data.write(browser.folder / "shared.ti", page_data.trace_of_halves(4096, {77: 3.0})), "-p", "fat-tree:64x64"], None, 0))
    rows = page.evaluate(f"{VIEW}.kinds.rows.map(({{ name, ranks, rank }}) => ({{ name, rank, count: ranks.length }}))")
    assert page.evaluate("mpirageReport.runs[0].timeline.ranks_per_row") == 2 and page.evaluate(f"{VIEW}.view.bottom") == len(rows) < 25, rows
    assert {row["rank"] for row in rows if row["count"] == 1} == {77}, rows
    group = page.evaluate("mpirageReport.runs[0].kinds.kinds.map(({ rank }) => mpirageReport.runs[0].kinds.isUnmixed(rank))")
    assert all(group) and len(group) >= 2, group
    assert "share a row" in page.locator("[data-figure=kinds]").inner_text()
    assert page.complaints == [], page.complaints


def test_kinds_need_many_ranks(browser):
    """Few ranks are all shown, without a switch."""
    page = browser.open("demo")
    assert page.evaluate("mpirageReport.runs[0].kinds") is None and all_ranks(page).count() == 0
    assert page.evaluate(f"{VIEW}.view.bottom") == 16


def test_busiest_links(browser):
    """The map's scale ends at the link that is used most, says so, and names the busiest links."""
    page = browser.open("demo")
    rows = downloaded(page, "topology")
    use = sorted(((float(row[-2]), f"{row[0]} – {row[1]}") for row in rows[1:]), reverse=True)
    assert 0 < use[0][0] < 0.5, "a scale of capacities would differ"
    legend = page.locator("[data-figure=topology] .scale").inner_text()
    assert f"{100 * use[0][0]:.1f} % of the bandwidth" in legend, (legend, use[0])
    named = page.locator("[data-field=busiest] li").all_inner_texts()
    assert len(named) == min(5, len(use)) and use[0][1] in named[0], (named, use[:5])
    stops = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--load').trim().split(/\\s+/)")
    full = "rgb({} {} {})".format(*bytes.fromhex(stops[-1][1:]))
    assert full in page.evaluate("[...document.querySelectorAll('[data-edge]')].map((line) => line.getAttribute('stroke'))"), full
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert "busiest moment" in page.locator("[data-figure=topology] .scale").inner_text()


def test_names_of_runs(browser):
    """Runs are named by what differs between them."""
    command = ["replay", "-q", "gen:halo2d,ranks=4,iterations=2,bytes=8"]
    files = [browser.file(real_report(browser, net, [*command, "--net", net], None, 0)) for net in ("edr", "10gige-tcp")]
    subprocess.run([MPIRAGE, "report", *files, "-o", browser.folder / "nets.html"], check=True, capture_output=True)
    heads = browser.open("nets").locator("[data-figure=comparison] th").all_text_contents()
    assert "A: edr, rdma" in heads and "B: 10gige-tcp, openmpi-tcp" in heads, heads
    subprocess.run([MPIRAGE, "report", *files, "--name", "old <cluster>", "-o", browser.folder / "named.html"], check=True, capture_output=True)
    heads = browser.open("named").locator("[data-figure=comparison] th").all_text_contents()
    assert "A: old <cluster>" in heads and "B: 10gige-tcp, openmpi-tcp" in heads, heads
    many = subprocess.run([MPIRAGE, "report", files[0], "--name", "one", "--name", "two", "-o", browser.folder / "many.html"], capture_output=True, text=True)
    assert many.returncode == 84 and "--name is given 2 times, for 1 runs" in many.stderr, many


def test_waterfall(browser):
    """From the time of one run to that of another: the steps add up, and a sentence says what the slower one does longer."""
    files = [browser.file(real_report(browser, f"even{imbalance}", ["replay", "-q", f"gen:halo2d,ranks=16,iterations=5,bytes=8,compute=1ms,imbalance={imbalance}", "-p", "cluster:16"], None, 0)) for imbalance in (1, 2)]
    subprocess.run([MPIRAGE, "report", *files, "-o", browser.folder / "waterfall.html"], check=True, capture_output=True)
    page = browser.open("waterfall")
    _, first, *steps, last = downloaded(page, "waterfall-b")
    assert first[0] == "A" and last[0] == "B" and abs(float(first[1]) + sum(float(seconds) for _, seconds in steps) - float(last[1])) < 1e-12, steps
    said = page.locator("[data-figure=waterfall-b] .why").inner_text()
    assert said.startswith("B takes ") and "longer than A" in said and "of computation" in said and "Most of it is in MPI_" in said, said


def test_regions(browser):
    """Regions of the program: how often, how long, how much of it in MPI; calls can be filtered by them."""
    name = real_report(browser, "regions", ["run", "-q", "-n", "2", "-p", "cluster:2", "--compute", "none"], "tests/views/wait_states/regions.c", 0)
    page = browser.open(name)
    until(page, "Boolean(document.querySelector('[data-figure=regions]'))")
    columns, *rows = downloaded(page, "regions")
    found = {int(row[0]): dict(zip(columns, row)) for row in rows}
    assert {number: int(row["times"]) for number, row in found.items()} == {1: 2, 2: 6, 3: 1}, found
    close = lambda number, column, seconds: abs(float(found[number][column]) - seconds) < 1e-3
    # Rank 1 waits 4 ms in each barrier of region 2; region 1 has 2 ms more after each.
    assert close(2, "seconds", 0.030) and close(2, "waiting", 0.012) and close(2, "outside", 0.018) and close(2, "longest", 0.005), found
    assert close(1, "seconds", 0.042) and close(3, "seconds", 0.004) and "regions.c:13 in main" in found[2]["place"], found
    page.locator("[data-filter=region]").fill("2")
    page.locator("[data-filter=call]").fill("barrier")
    until(page, "document.querySelector('[data-field=selection]').dataset.value === '6'")
    page.locator("[data-filter=region]").fill("3")
    until(page, "document.querySelector('[data-field=selection]').dataset.value === '1'")
    assert page.complaints == [], page.complaints


def test_named_regions(browser):
    """Regions of mpirage/regions.h have names: in the table, in the filter and in tooltips."""
    name = real_report(browser, "named", ["run", "-q", "-n", "2", "-p", "cluster:2", "--compute", "none"], "tests/views/wait_states/named_regions.c", 0)
    page = browser.open(name)
    until(page, "Boolean(document.querySelector('[data-figure=regions]'))")
    columns, *rows = downloaded(page, "regions")
    found = {row[1]: dict(zip(columns, row)) for row in rows}
    assert {name: int(row["times"]) for name, row in found.items()} == {"time loop": 2, "stencil": 6, "halo exchange": 6}, found
    # Rank 1 waits 4 ms in each barrier.
    assert abs(float(found["stencil"]["seconds"]) - 0.030) < 1e-3 and abs(float(found["halo exchange"]["waiting"]) - 0.012) < 1e-3, found
    page.locator("[data-filter=call]").fill("barrier")
    for text, calls in (("Halo", 6), ("time loop", 6), ("stencil", 6), ("nothing", 0), ("", 8)):
        page.locator("[data-filter=region]").fill(text)
        until(page, f"document.querySelector('[data-field=selection]').dataset.value === '{calls}'")
    page.locator("[data-filter=call]").fill("")
    page.mouse.move(*place(page, 3e6, 1))
    tip = page.locator("#tooltip").inner_text()
    assert "time loop › stencil › halo exchange" in tip, tip
    assert page.complaints == [], page.complaints


def test_wait_for_graph(browser):
    """A deadlock is drawn as a graph instead of efficiencies."""
    page = browser.open(real_report(browser, "graph", ["run", "-q", "-n", "3", "-p", "cluster:3"], "tests/mistakes/faults/deadlock_recv.c", 80))
    frame(page)
    assert page.complaints == [], page.complaints
    deadlock = page.evaluate("mpirageReport.runs[0].run.deadlock")
    assert page.locator(".wait-for .node.blocked").count() == deadlock["blocked_ranks"] > 0
    assert page.locator(".wait-for .edge.cycle").count() == len(deadlock["cycle"] or [])
    assert page.locator("[data-figure=efficiency]").count() == 0
    edges = downloaded(page, "wait-for")
    assert edges[0] == ["rank", "waits_for", "why"] and len(edges) - 1 == page.locator(".wait-for .edge").count(), edges
    page.locator(".wait-for .node").nth(1).click()
    assert page.evaluate(f"{VIEW}.highlighted") is not None


def test_two_runs(browser):
    """Both runs in every panel, their difference in figures, the same time in both timelines."""
    page = browser.open("two")
    assert page.locator(".timeline canvas").count() == 2 and page.locator("#network .pair > div").count() == 2
    row = page.locator("[data-figure=comparison] tbody tr").first.inner_text()
    a, b = (container.json["run"]["simulated_seconds"] for container in page_data.KINDS["two"]())
    assert f"{b / a:.3f}" in row and "better" in row, row
    page.evaluate(f"{VIEW}.look(10e6, 20e6)")
    assert page.evaluate("mpirageReport.runs[1].timelineView.view.to") == 20e6


def test_three_runs(browser):
    """More than two runs: a column each, and the later ones compared with the first."""
    runs = [page_data.made(8, steps) for steps in (6, 12, 9)]
    (browser.folder / "three.html").write_text(page_data.page(*runs))
    page = browser.open("three")
    frame(page)
    assert page.complaints == [], page.complaints
    assert page.locator(".timeline canvas").count() == 3 and page.locator("#network .pair > div").count() == 3
    rows = downloaded(page, "comparison")
    seconds = [run.json["run"]["simulated_seconds"] for run in runs]
    assert rows[0] == ["figure", "a", "b", "c", "b-a", "c-a"] and [float(cell) for cell in rows[1][1:4]] == seconds, rows[:2]
    assert abs(float(rows[1][5]) - (seconds[2] - seconds[0])) < 1e-12
    assert "C ÷ A" in page.locator("[data-figure=comparison] th").all_text_contents()
    page.evaluate(f"{VIEW}.look(1e6, 2e6)")
    assert page.evaluate("mpirageReport.runs[2].timelineView.view.to") == 2e6


def test_print(browser):
    """Prints to a PDF of several pages, in light colours."""
    page = browser.open("demo", color_scheme="dark")
    data = page.pdf(prefer_css_page_size=True, print_background=True)
    (browser.folder / "demo.pdf").write_bytes(data)
    assert data.startswith(b"%PDF") and 4 <= data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") <= 12, len(data)


def test_says_what_is_wrong(browser):
    """Without data, with damaged data, or without DecompressionStream the page says so in words."""
    page = browser.open("none", ready=False)
    assert "holds no data" in page.locator("#message").inner_text()
    page = browser.open("demo", ready=False, script="delete window.DecompressionStream")
    assert "too old" in page.locator("#message").inner_text()
    text = browser.file("demo").read_text()
    head = text.index('id="data"')
    (browser.folder / "damaged.html").write_text(text[:head + 400] + text[head + 4400:])
    page = browser.open("damaged", ready=False)
    until(page, "Boolean(document.querySelector('.message.bad'))")
    assert "cannot be read" in page.locator("#message").inner_text()
    other = page_data.made(4, 2)
    other.json["version"] = 1
    (browser.folder / "other.html").write_text(text.replace(embedded(text), other.packed()))
    page = browser.open("other", ready=False)
    until(page, "Boolean(document.querySelector('.message.bad'))")
    assert "version 1" in page.locator("#message").inner_text() and "anew" in page.locator("#message").inner_text()


def embedded(text):
    """The data in a page."""
    return text.split('<script id="data" type="text/plain">', 1)[1].split("</script>", 1)[0]


def test_large(browser):
    """1,024 ranks, 1 M calls: ready after less than 3 s of work, and smooth: a frame that nothing else on this machine disturbs takes less than 16 ms."""
    page = browser.open("large")
    work, size = worked(page), browser.file("large").stat().st_size
    print(f"  {size / 1e6:.1f} MB, ready after {page.evaluate('mpirageReport.readyAfter') / 1e3:.2f} s, {work:.2f} s of work")
    assert work < 3, work
    until(page, f"{VIEW}.calls.ranks.filter(Boolean).length === 1024")
    page.evaluate(f"{VIEW}.kinds.show(false)")
    frame(page)
    assert page.evaluate(f"{VIEW}.source.calls") is None, "the whole run is drawn as tiles"
    for name, action in (("whole run", "v.zoom(0.97)"), ("half the run, all ranks", "v.look(300e6, 560e6 + i * 1e5)"), ("a tenth", "v.look(300e6 + i * 1e5, 360e6 + i * 1e5)"),
                         ("32 ranks, 3 ms", "v.look(300e6 + i * 1e4, 303e6 + i * 1e4), v.lookAtRanks(500, 532)")):
        page.evaluate(f"{VIEW}.frames.length = 0")
        page.evaluate(f"""(async () => {{ const v = {VIEW}; v.everything();
            for (let i = 0; i < 30; i += 1) {{ {action}; await new Promise(requestAnimationFrame); }} }})()""")
        times = sorted(page.evaluate(f"{VIEW}.frames"))
        print(f"  {name}: {times[len(times) // 2]:.1f} ms a frame, at worst {times[-1]:.1f} ms")
        assert times[len(times) // 4] < 16, (name, times)


def test_huge(browser):
    """100,000 ranks: tiles only, and it opens."""
    page = browser.open("huge")
    print(f"  {browser.file('huge').stat().st_size / 1e6:.1f} MB, ready after {page.evaluate('mpirageReport.readyAfter') / 1e3:.2f} s")
    page.mouse.move(*place(page, 5e6, 50_000))
    assert "Mostly" in page.locator("#tooltip").inner_text()
    search = page.locator("input[type=search]")
    search.fill("99999")
    search.press("Enter")
    assert page.evaluate(f"{VIEW}.view.bottom") == 100_000
    assert page.complaints == [], page.complaints


# Reports of real runs: what is typed before `--report`, the exit code, and what the page must say.
REAL = {
    "real_demo": (["run", "-q", "-n", "16", "-p", "cluster:16"], "examples/halo2d.c", 0, ["16 ranks on cluster:16", "MPI_Waitall", "halo2d.c:"]),
    "real_halo": (["replay", "-q", "gen:halo2d,ranks=1024,iterations=120,compute=1ms,imbalance=1.5,noise=0.1,bytes=8KiB", "-p", "fat-tree:16x64"],
                  None, 0, ["1\u202f024 ranks", "The fat tree"]),
    "real_deadlock": (["run", "-q", "-n", "3", "-p", "cluster:3"], "tests/mistakes/faults/deadlock_recv.c", 80, ["deadlock", "Blocked calls", "MPI_Recv", "deadlock_recv.c:"]),
    "real_crash": (["run", "-q", "-n", "3", "-p", "cluster:3"], "tests/mistakes/faults/crash_abort.c", None, ["until it stopped"]),
}


def test_real_runs(browser):
    """Reports that mpirage makes: they load without a request or a complaint, can be searched, and tell what happened."""
    for name, (command, source, code, wanted) in REAL.items():
        page = browser.open(real_report(browser, name, command, source, code))
        frame(page)
        assert page.complaints == [] and len(page.requests) == 1, (name, page.complaints, page.requests)
        text = page.locator("body").inner_text()
        for words in wanted:
            assert words in text, (name, words, text[:600])
        size, work, ready = browser.file(name).stat().st_size, worked(page), page.evaluate("mpirageReport.readyAfter")
        calls = page.evaluate("mpirageReport.runs[0].run.calls")
        print(f"  {name}: {calls} calls, {size / 1e6:.2f} MB, ready after {ready / 1e3:.2f} s, {work:.2f} s of work")
        assert size < (8e6 if calls > 10_000 else 0.3e6) and work < 3, (size, work)
        search = page.locator("input[type=search]")
        search.fill("2")
        search.press("Enter")
        assert page.evaluate(f"{VIEW}.highlighted") == 2
        page.mouse.move(*place(page, page.evaluate(f"{VIEW}.whole") / 2, 2))
        assert page.locator("#tooltip").inner_text(), name


def real_report(browser, name, command, source, code, arguments=()):
    path = browser.folder / f"{name}.html"
    rest = []
    if source:
        rest = [browser.folder / name]
        subprocess.run([MPIRAGE, "cc", "-O2", "-g", ROOT / source, "-o", *rest, "-lm"], check=True)
    done = subprocess.run([MPIRAGE, *command, "--report", path, *rest, *arguments], capture_output=True)
    assert code is None or done.returncode == code, (name, done.returncode, done.stderr[-500:])
    return name


def test_irregular_network(browser):
    """A machine of zones is drawn with the names of its hosts and links; the link inside a switch is a ring around it."""
    command = ["replay", "gen:alltoall,ranks=41,bytes=65536", "-p", ROOT / "platforms/grid.xml"]
    page = browser.open(real_report(browser, "irregular", command, None, 0))
    frame(page)
    drawing = page.locator("[data-figure=topology] svg")
    names = drawing.locator("text").all_text_contents()
    assert {"big-1.north", "small-8.south", "front.south", "big_backbone", "wide"} <= set(names), names
    assert drawing.locator("circle[data-node]").count() == 43
    ring = drawing.locator("circle[data-edge]")
    assert ring.count() == 1
    ring.dispatch_event("pointermove", {"clientX": 300, "clientY": 300, "bubbles": True})
    tip = page.locator("#tooltip").inner_text()
    assert "big_backbone" in tip and "inside big_backbone" in tip and "use" in tip, tip
    # All at once: the page moves while its other figures are drawn.
    boxes = drawing.evaluate("svg => [...svg.querySelectorAll('text')].map(text => text.getBoundingClientRect().toJSON())")
    assert len(boxes) == len(names) and all(box["width"] > 0 for box in boxes), boxes
    apart = lambda a, b: a["x"] + a["width"] <= b["x"] + 2 or b["x"] + b["width"] <= a["x"] + 2 or a["y"] + a["height"] <= b["y"] + 4 or b["y"] + b["height"] <= a["y"] + 4
    assert all(apart(a, b) for at, a in enumerate(boxes) for b in boxes[:at]), "names cover each other"
    rows = downloaded(page, "topology")
    assert rows[0][:3] == ["from", "to", "name"] and any(row[2] == "campus" for row in rows), rows[:3]
    assert page.complaints == [], page.complaints


def test_messages_inside_collectives(browser):
    """They are arrows if they were asked for, and the first to be left out where there are too many."""
    arrows = f"{VIEW}.arrows.map((arrow) => arrow.scope)"
    command = ["replay", "gen:allreduce,ranks=8,bytes=65536,iterations=3,compute=100us", "-p", "cluster:8"]
    page = browser.open(real_report(browser, "without-inner", command, None, 0))
    assert page.evaluate(arrows) == [], page.evaluate(arrows)
    page = browser.open(real_report(browser, "inner", [*command, "--trace-collectives", "yes"], None, 0))
    frame(page)
    whole = page.evaluate(f"{VIEW}.whole")
    assert "Zoom in for messages" in page.locator(".timeline").inner_text()
    page.evaluate(f"{VIEW}.look(0, {whole / 3})")
    frame(page)
    shown = page.evaluate(arrows)
    assert shown and all(shown), shown
    page.locator(".timeline canvas").first.scroll_into_view_if_needed()
    arrow, canvas = page.evaluate(f"{VIEW}.arrows[0]"), box(page)
    page.mouse.move(canvas["x"] + (arrow["x0"] + arrow["x1"]) / 2, canvas["y"] + (arrow["y0"] + arrow["y1"]) / 2)
    assert "Message of a collective" in page.locator("#tooltip").inner_text(), page.locator("#tooltip").inner_text()


def test_packets(browser):
    """Queues and drops of a packet-level network are shown; another model has no such figures."""
    platform = browser.folder / "short.toml"
    platform.write_text('name = "short"\n[cluster]\nhosts = 8\nspeed = "1Gf"\nbandwidth = "100Mbps"\nlatency = "50us"\n[packet]\nqueue = "32KB"\n')
    workload = "gen:alltoall,ranks=8,bytes=65536,iterations=2"
    for model, there in (("packet", 1), ("flow", 0)):
        command = ["replay", workload, "-p", platform, "--model", model]
        page = browser.open(real_report(browser, f"packets-{model}", command, None, 0))
        frame(page)
        assert page.complaints == [], page.complaints
        assert page.locator("[data-figure=queues]").count() == page.locator("[data-figure=worst-links]").count() == there
        if there:
            check_queues(page)


def check_queues(page):
    packets = page.evaluate("mpirageReport.runs[0].packets")
    assert packets["missing"] > 0 and packets["retransmissions"] > 0, packets
    canvas = page.locator("[data-figure=queues] canvas.plot")
    canvas.scroll_into_view_if_needed()
    # The first bin with drops of the queue that dropped most has a mark, and the tooltip says so.
    queue = max(range(len(packets["queues"]["names"])), key=lambda at: packets["queues"]["dropped"][at])
    bins = packets["bins"]
    first = page.evaluate(f"Array.from(mpirageReport.runs[0].section('queue_missing')).slice({queue * bins}, {(queue + 1) * bins}).findIndex((count) => count > 0)")
    left, right = BESIDE
    box = canvas.bounding_box()
    x, y = left + (box["width"] - left - right) * (first + 0.5) / bins, 20 + 18 * queue + 9
    page.mouse.move(box["x"] + x, box["y"] + y)
    said = page.locator("#tooltip").inner_text()
    assert packets["queues"]["names"][queue] in said and "dropped or lost" in said and not said.rstrip().endswith(" 0"), said
    red, green, blue = page.evaluate(f"""() => {{ const canvas = document.querySelector("[data-figure=queues] canvas.plot"), scale = canvas.width / canvas.clientWidth;
        return Array.from(canvas.getContext("2d").getImageData(Math.round({x} * scale), Math.round({y} * scale), 1, 1).data.slice(0, 3)); }}""")
    assert red > green + 60 and red > blue + 60, (red, green, blue)
    rows = downloaded(page, "worst-links")
    dropped = sum(int(row[rows[0].index("dropped")]) for row in rows[1:])
    assert dropped == packets["missing"], (dropped, packets["missing"])
    cell = page.locator("[data-figure=worst-links] tbody tr").first.inner_text()
    assert cell.split()[0] == packets["queues"]["names"][queue], cell


def test_bundle(browser):
    """The joined page is current."""
    subprocess.run([ROOT / "crates/views/report/page/join.py", "--check"], check=True)


def study_pages(folder):
    """Pages of a sweep, a balancing study, a calibration, a comparison and a search for methods."""
    (folder / "scaling.toml").write_text(pictures.SCALING)
    front = folder / "front"
    commands = {
        "sweep": ["sweep", "scaling.toml"],
        "front": ["cc", "-O2", ROOT / "examples/front.c", "-o", front, "-lm"],
        "trace": ["run", "-q", "-n", "32", "--compute", "none", "--trace", "front.mpirage", front, "100", "96x96x2", "4x8", "4"],
        "balance": ["balance", "front.mpirage", "--on-cores", "16", "--net", "hdr100", "--balancer", "none,greedy,refine", "--every", "10,50", "--report", "balance.html"],
        "calibrate": ["calibrate", ROOT / "examples/pingpong-openmpi.csv", "-p", ROOT / "platforms/testbed.toml", "--breakpoints", "1448,65472", "--report", "calibrate.html"],
        "compare": ["compare", ROOT / "examples/pingpong-mpich.csv", ROOT / "examples/pingpong-openmpi.csv", "--report", "compare.html"],
        "tune": ["tune", "allreduce,bcast", "-n", "16", "--report", "tune.html"],
    }
    for name, words in commands.items():
        done = subprocess.run([MPIRAGE, *words], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, (name, done.stderr)
    return {"sweep": folder / "scaling.sweep/index.html"} | {name: folder / f"{name}.html" for name in STUDIES if name != "sweep"}


# What the verdict of each study says.
STUDIES = {
    "sweep": ["net = hdr200 is the best", "times as fast"],
    "balance": ["is the fastest:", "Cores compute for"],
    "calibrate": ["The fit (piece-wise linear) is", "Neighbouring sizes scatter by"],
    "compare": ["The simulation is"],
    "tune": ["default loses", "not distinguishable"],
}


def test_study_pages(browser, tmp_path):
    """Pages of studies begin with a verdict; no text lies on another or outside at both widths, light and dark."""
    for study, path in study_pages(tmp_path).items():
        for width in (1200, 1600):
            for theme in ("light", "dark"):
                page = browser.chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme).new_page()
                page.goto(path.as_uri())
                said = page.locator(".verdict p").all_text_contents()
                assert 1 <= len(said) <= 3 and all(any(words in text for text in said) for words in STUDIES[study]), (study, said)
                assert page.locator(".verdict").bounding_box()["y"] < 200, study
                assert page.evaluate(CROWDED) == [], (study, width, theme)
                page.context.close()
