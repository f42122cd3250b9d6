#!/usr/bin/env python3
"""Makes the pictures of reports in README.md and docs/: docs/plots/report-NAME.png, and report-NAME-dark.png in dark colours.

    tests/views/pictures.py [NAME …]        all, or those with these names; MPIRAGE names another mpirage

Each shows a part of a report in a window that is 1,200 pixels wide. Simulated times are the same on each computer; the time of the simulation is not."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import page_data  # noqa: E402
import prepare  # noqa: E402

MPIRAGE = os.environ.get("MPIRAGE") or ROOT / "target/release/mpirage"
PLOTS = ROOT / "docs" / "plots"
WIDTH, HEIGHT, MARGIN = 1200, 900, 12
VIEW = "mpirageReport.runs[0].timelineView"
# The bar at the top would cover parts of tall pictures.
STILL = ".bar { position: static }"


class Reports:
    """The reports in a folder, made when they are wanted."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, name, *command):
        path = self.folder / f"{name}.html"
        if not path.exists():
            done = subprocess.run([MPIRAGE, *command[:2], "--report", path, *command[2:]], capture_output=True, text=True, cwd=self.folder)
            # Deadlocks have a report too.
            if not path.exists():
                sys.exit(f"{name}: {done.stderr}")
        return path

    def program(self, name, source, ranks, *arguments, flags=(), platform=None):
        binary = self.folder / name
        subprocess.run([MPIRAGE, "cc", "-O1", "-g", *flags, ROOT / source, "-o", binary], check=True)
        return self.run(name, "run", "-q", "--host-speed", "10Gf", "--compute", "none", "-n", str(ranks), "-p", platform or f"cluster:{ranks}", binary, *arguments)

    def triangle(self):
        return self.program("triangle", "tests/views/pictures/triangle.c", 16)

    def two(self):
        cyclic = self.program("cyclic", "tests/views/pictures/triangle.c", 16, flags=["-DCYCLIC"])
        path = self.folder / "two.html"
        subprocess.run([MPIRAGE, "report", self.triangle(), cyclic, "-o", path], check=True, capture_output=True)
        return path

    def ring(self):
        return self.run("ring", "replay", "-q", "gen:ring,ranks=8,iterations=10,compute=200us,noise=0.5,bytes=1MiB", "-p", "cluster:8")

    def waits(self):
        return self.program("waits", "tests/views/wait_states/cases.c", 5, "chain")

    def deadlock(self):
        return self.program("blocked", "tests/views/pictures/cycle.c", 4)

    def torus(self):
        return self.run("torus", "replay", "-q", "gen:halo3d,ranks=64,iterations=20,compute=2ms,imbalance=1.5,bytes=1MiB,dims=16x2x2", "-p", "torus:4x4x4")

    def kinds(self):
        (self.folder / "slow.ti").write_text(page_data.trace_with_slow_ranks())
        return self.run("kinds", "replay", "-q", "slow.ti", "-p", "fat-tree:16x64")


    def three(self):
        """One workload on three networks."""
        path, runs = self.folder / "three.html", []
        for net in ("hdr200", "edr", "10gige-tcp"):
            runs.append(self.run(f"on-{net}", "replay", "-q", "gen:halo2d,ranks=16,iterations=20,compute=300us,imbalance=0.3,bytes=64KiB", "--ppn", "1", "-p", "cluster:16", "--net", net))
        subprocess.run([MPIRAGE, "report", *runs, "-o", path], check=True, capture_output=True)
        return path

    def flame(self):
        return self.program("flame", "tests/views/wait_states/call_paths.c", 4)

    def imbalance(self):
        return self.run("imbalance", "replay", "-q", "gen:halo2d,ranks=16,iterations=20,compute=1ms,imbalance=1.5,bytes=8", "-p", "cluster:16")

    def contention(self):
        return self.program("contention", "tests/views/wait_states/cases.c", 4, "contention")

    def turns(self):
        return self.program("turns", "tests/views/wait_states/turns.c", 8, platform="cluster:8,speed=10Gf")

    def study(self, name, text):
        """The page of a study."""
        path = self.folder / f"{name}.sweep" / "index.html"
        if path.exists():
            return path
        (self.folder / f"{name}.toml").write_text(text)
        done = subprocess.run([MPIRAGE, "sweep", f"{name}.toml"], capture_output=True, text=True, cwd=self.folder)
        if not path.exists() or done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        return path

    def scaling(self):
        return self.study("scaling", SCALING)

    def states(self):
        return self.study("states", block("energy.md", "states.toml"))

    def bandwidths(self):
        return self.study("bandwidths", block("ai-training.md", "bandwidths.toml"))

    def devices(self):
        return self.study("devices", block("ai-training.md", "devices.toml"))

    def power(self):
        (self.folder / "green.toml").write_text(block("energy.md", "green.toml"))
        return self.run("power", "replay", "-q", "gen:halo2d,ranks=4,iterations=20,compute=5ms,imbalance=4,bytes=8KiB", "--ppn", "1", "-p", "green.toml", "--governor", "slack:period=1ms")


def block(document, name):
    """The file of this name as a document shows it."""
    text = (ROOT / "docs/howto" / document).read_text()
    shown = re.search(rf"^```toml\n# {re.escape(name)}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return shown[1] if shown else sys.exit(f"{document} has no {name}")


def charts(heading):
    """The first and the last part of a section of a study's page."""
    title = f"h2:text-is('{heading}')"
    return title, f"{title} + p + .charts"


SCALING = """command = "replay -p cluster:{ranks} --net {net} --ppn 1 gen:halo2d,ranks={ranks},bytes=64KiB,compute={ranks.compute},iterations=20"
[parameters]
ranks = [{ value = 4, compute = "800us" }, { value = 16, compute = "200us" }, { value = 64, compute = "50us" }, { value = 256, compute = "12.5us" }]
net = ["hdr200", "10gige-tcp"]
"""
VERDICT = "[data-figure=verdict]", "[data-figure=verdict]"
TIMELINE = "[data-figure=timeline]", "[data-figure=timeline] > .legend"
# Each picture: the report, its first and its last part, and what is done before.
PICTURES = {
    "summary": (Reports.triangle, ".bar", "[data-figure=ranks]", None),
    "staircase": (Reports.triangle, *TIMELINE, f"{VIEW}.look(0, 5 / 20 * {VIEW}.whole)"),
    "timeline": (Reports.ring, *TIMELINE, f"{VIEW}.look(0.9e6, 1.9e6)"),
    "waits": (Reports.waits, "#waits h2", "[data-figure=wait-matrix]", None),
    "deadlock": (Reports.deadlock, "[data-figure=wait-for]", "[data-figure=wait-for]", None),
    "network": (Reports.torus, "#network h2", "[data-figure=topology]", None),
    "kinds": (Reports.kinds, "[data-figure=kinds]", "[data-figure=kinds]", None),
    "kinds-timeline": (Reports.kinds, *TIMELINE, None),
    "verdict-late-sender": (Reports.waits, *VERDICT, None),
    "verdict-imbalance": (Reports.imbalance, *VERDICT, None),
    "verdict-contention": (Reports.contention, *VERDICT, None),
    "verdict-in-turn": (Reports.turns, *VERDICT, None),
    "flame": (Reports.flame, "[data-figure=call-tree]", "[data-figure=call-tree]", None),
    "three": (Reports.three, "[data-figure=waterfall-b]", "[data-figure=comparison]", None),
    "scaling": (Reports.scaling, "h1", ".charts", None),
    "states": (Reports.states, "h2:text-is('Pareto front')", ".front", None),
    "power": (Reports.power, "[data-figure=power]", "[data-figure=power]", None),
    "bandwidths": (Reports.bandwidths, *charts("Small multiples"), None),
    "devices": (Reports.devices, *charts("Small multiples"), None),
    "two": (Reports.two, ".bar", "[data-figure=comparison]", None),
}


def settled(page):
    """Waits until the page and what was asked for are drawn. (Playwright's own waiting needs `eval`, which the page forbids itself.)"""
    # Pages of studies are drawn when they are loaded.
    while not page.evaluate("Boolean(window.mpirageReport) || !document.getElementById('main')"):
        page.wait_for_timeout(50)
    page.wait_for_timeout(500)


def take(browser, path, first, last, act, theme, picture):
    page = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme).new_page()
    page.goto(path.as_uri())
    settled(page)
    page.add_style_tag(content=STILL)
    if act:
        page.evaluate(act)
    page.wait_for_timeout(500)
    top, bottom = page.locator(first).first.bounding_box(), page.locator(last).first.bounding_box()
    above = max(0, top["y"] - MARGIN)
    page.screenshot(path=picture, full_page=True, clip={"x": 0, "y": above, "width": WIDTH, "height": bottom["y"] + bottom["height"] + MARGIN - above})
    page.context.close()


def make(names, plots):
    """Makes pictures in a folder, light and dark."""
    prepare.browser()
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser, reports = playwright.chromium.launch(executable_path=prepare.CHROMIUM, args=["--no-sandbox", "--disable-gpu"]), Reports(folder)
        for name in names:
            report, first, last, act = PICTURES[name]
            for theme, ending in (("light", ""), ("dark", "-dark")):
                take(browser, report(reports), first, last, act, theme, plots / f"report-{name}{ending}.png")
            print(f"report-{name}.png, report-{name}-dark.png")
        browser.close()


def main():
    wanted = sys.argv[1:] or list(PICTURES)
    if unknown := set(wanted) - PICTURES.keys():
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    make(wanted, PLOTS)


if __name__ == "__main__":
    main()
