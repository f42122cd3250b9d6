"""`--live`: the report while the run goes on. A file tells the program when to end, so nothing here depends on how fast this machine is."""

import base64
import gzip
import json
import re
import signal
import socket
import struct
import time
import urllib.error
import urllib.request

import prepare
import pytest
from harness import MPIRAGE

PATIENCE = 60
# It ends when the file exists.
PROGRAM = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank, go_on = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (go_on) {
        if (rank == 0)
            go_on = access(argv[1], F_OK) != 0;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""
ENDLESS = ["replay", "gen:halo2d,ranks=16,bytes=1KiB,iterations=100000000"]


class Live:
    """A run that is shown while it goes on."""

    def __init__(self, suite, *command):
        self.process = suite.start([*map(str, [MPIRAGE, *command])], "live")
        said = self.process.stderr.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/[0-9a-f]{32}/", said)
        assert found, said
        self.address, self.port = found[0], int(found[1])

    def get(self, path=""):
        """The code and the body of an answer."""
        return get(self.address + path)

    def data(self, known=0):
        """The next data of the run."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            code, body = self.get(f"data/{known}")
            if code == 200:
                return decoded(body)
            assert code == 204, code
            time.sleep(0.05)
        raise AssertionError("no data")

    def end(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), err.decode()


def get(address):
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


def decoded(text):
    data = gzip.decompress(base64.b64decode(text))
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length])


def program_run(suite, tmp_path, mode, *more):
    source = tmp_path / "until.c"
    source.write_text(PROGRAM)
    stop = tmp_path / "stop"
    return Live(suite, "run", "--live", "-n", 4, "--ranks-as", mode, "--compute", "none", "--json", *more, suite.compile(source), stop), stop


@pytest.mark.parametrize("mode", ["processes", "folded"])
def test_run(suite, mode, tmp_path):
    live, stop = program_run(suite, tmp_path, mode, "--report", tmp_path / "report.html")
    first = live.data()
    # The first look may come before the first message, and ranks may wait for a processor between two looks.
    until = time.monotonic() + PATIENCE
    while not first["run"]["messages"] and time.monotonic() < until:
        first = live.data(first["live"]["number"])
    second = live.data(first["live"]["number"])
    while second["run"]["messages"] == first["run"]["messages"] and time.monotonic() < until:
        second = live.data(second["live"]["number"])
    still = [key for key in ("calls", "messages", "simulated_seconds") if not 0 < first["run"][key] < second["run"][key]]
    suite.check(f"{mode}: figures grow", not still, (still, first["run"], second["run"]))
    suite.check(f"{mode}: the run goes on", first["run"]["outcome"] == "running" and first["live"]["ended"] == 0, first["live"])
    suite.check(f"{mode}: the page asks for data", b'id="live"' in live.get()[1], "")
    stop.touch()
    number, last = second["live"]["number"], second
    while "live" in last:
        last = live.data(number)
        number = last.get("live", {}).get("number", number)
    code, out, err = live.end()
    result = json.loads(out)
    suite.check(f"{mode}: exit code and outcome", code == 0 and last["run"]["outcome"] == result["outcome"] == "finished", (code, err))
    suite.check(f"{mode}: the last data are those of the result", last["run"]["calls"] == result["calls"] and last["run"]["simulated_seconds"] == result["simulated_seconds"], last["run"])
    suite.check(f"{mode}: the report is written too", (tmp_path / "report.html").read_text().rstrip().endswith("</html>"))


def test_looking_changes_nothing(suite, tmp_path):
    """A replay gives the same report whether somebody looks at it or not."""
    trace = "gen:halo2d,ranks=16,bytes=1KiB,iterations=20000,noise=0.3"
    pages = {}
    for live in (False, True):
        page = tmp_path / f"{live}.html"
        words = ["replay", trace, "--report", page, "--json"]
        if live:
            one = Live(suite, *words, "--live")
            looks, number = 0, 0
            while True:
                data = one.data(number)
                looks += 1
                if "live" not in data:
                    break
                number = data["live"]["number"]
            code, out, err = one.end()
            suite.check("it was looked at", looks >= 1 and code == 0, (looks, err))
        else:
            suite.run([MPIRAGE, *words], timeout=PATIENCE)
        text = re.search(r'<script id="data" type="text/plain">([^<]*)', page.read_text())[1]
        pages[live] = decoded(text)
    for page in pages.values():
        for key in ("wall_seconds", "cpu_seconds", "peak_rss_bytes", "command", "disturbed"):
            page["run"].pop(key, None)
    suite.check("the reports are equal", pages[False] == pages[True], [key for key in pages[True] if pages[True][key] != pages[False].get(key)])


def test_other_addresses(suite):
    """Without the token there is nothing, whatever is asked for."""
    live = Live(suite, *ENDLESS, "--live")
    root = f"http://127.0.0.1:{live.port}"
    token = live.address.split("/")[3]
    for path in ("/", "/data/0", f"/{'0' * 32}/", f"/{token}", f"/{token[:-1]}/data/0", f"/{token}/../", f"/{token}/etc/passwd"):
        suite.check(f"{path.replace(token, 'TOKEN')} is not found", get(root + path)[0] == 404)
    with socket.create_connection(("127.0.0.1", live.port)) as silent, socket.create_connection(("127.0.0.1", live.port)) as wrong:
        wrong.sendall(b"POST / HTTP/1.1\r\n\r\n")
        suite.check("requests that are no GET get nothing", wrong.recv(100) == b"")
        silent.shutdown(socket.SHUT_WR)
    data = live.data()
    suite.check("the run goes on meanwhile", data["run"]["outcome"] == "running", data["run"])
    listening = {line.split()[1] for line in open("/proc/net/tcp").read().splitlines()[1:] if line.split()[3] == "0A"}
    suite.check("only the loopback interface listens", f"0100007F:{live.port:04X}" in listening and f"00000000:{live.port:04X}" not in listening, listening)
    live.process.send_signal(signal.SIGINT)
    code, _, err = live.end()
    suite.check("Ctrl-C ends it", code == 130, (code, err))


def test_end_without_a_page(suite, tmp_path):
    """The report of a run that ended before a page was opened is served until it was fetched, or until Ctrl-C."""
    words = ["replay", "gen:ring,ranks=4", "--live", "--json"]
    live = Live(suite, *words)
    waits = live.process.stderr.readline().decode()
    while "serves the report until" not in waits:
        assert waits, "it does not wait"
        waits = live.process.stderr.readline().decode()
    code, page = live.get()
    suite.check("the page is whole, with its data", code == 200 and b'id="data"' in page and b'id="live"' not in page, code)
    suite.check("then mpirage ends", live.end()[0] == 0)
    live = Live(suite, *words)
    while "serves the report until" not in live.process.stderr.readline().decode():
        pass
    live.process.send_signal(signal.SIGINT)
    suite.check("Ctrl-C ends it with the code of the run", live.end()[0] == 0)


def test_refusals(suite, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for words, named in (
            (["replay", f"--live={port}", "gen:ring,ranks=4"], f"--live={port}"),
            (["replay", "--live", "--repeat", 3, "gen:ring,ranks=4"], "--live"),
            (["run", "--live", "--repeat", 3, "-n", 2, "/bin/true"], "--live"),
            (["emulate", "--live", "-n", 2, "/bin/true"], "--live"),
            (["check", "--live", "-n", 2, "/bin/true"], "--live"),
            (["replay", "--live=x", "gen:ring,ranks=4"], "--live"),
        ):
            ended = suite.run([MPIRAGE, *map(str, words)])
            suite.check(f"{' '.join(map(str, words[:3]))} is refused by name", ended.code in (2, 84) and named in ended.err, ended)


def test_in_a_browser(suite, tmp_path):
    """The page follows the run, keeps what the reader looks at, and says when the run has ended."""
    prepare.browser()
    from playwright.sync_api import sync_playwright

    live, stop = program_run(suite, tmp_path, "folded")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=prepare.CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport={"width": 1400, "height": 900})
        complaints, requests = [], []
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(live.address)
        page.locator("[data-figure=live]").wait_for(timeout=1000 * PATIENCE)
        notice = page.locator("[data-figure=live]").inner_text()
        suite.check("the page says that the run goes on", notice.startswith("The run goes on: simulated") and "of 4 ranks ended" in notice, notice)
        number = "mpirageReport.runs[0].live?.number ?? 0"
        seen = page.evaluate(number)
        page.evaluate("mpirageReport.runs[0].timelineView.look(0, mpirageReport.runs[0].timelineView.whole / 4)")
        page.evaluate("scrollTo({ top: 300, behavior: 'instant' })")
        wait(page, f"({number}) > {seen}")
        view = page.evaluate("({ width: mpirageReport.runs[0].timelineView.view.to / mpirageReport.runs[0].timelineView.whole, top: scrollY })")
        suite.check("the view stays", view["width"] < 0.5 and abs(view["top"] - 300) < 2, view)
        stop.touch()
        wait(page, "!mpirageReport.runs[0].live")
        suite.check("the page says that the run has ended", "The run has ended" in page.locator("[data-figure=live]").inner_text())
        suite.check("it is the report of the whole run", page.evaluate("mpirageReport.runs[0].run.outcome") == "finished")
        suite.check("nothing but the server is asked", all(url.startswith(live.address) for url in requests), requests)
        suite.check("no complaints", not complaints, complaints)
        chromium.close()
    suite.check("then mpirage ends", live.end()[0] == 0)


def wait(page, expression):
    """Waits until it holds. (Playwright's own waiting needs `eval`, which the page forbids itself.)"""
    for _ in range(20 * PATIENCE):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{expression} does not come true")
