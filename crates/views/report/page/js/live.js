// A run that goes on: the page asks its server for newer data, and draws itself anew.

const ASK_EVERY = 1000;

/** Follows the run until it has ended, or nobody answers any more. */
async function follow() {
  const runs = [];
  let known = 0;
  document.getElementById("message").textContent = "Waiting for the first figures of the run…";
  for (;;) {
    const answer = await fetch(`data/${known}`).catch(() => null);
    if (!answer?.ok) return lost(runs[0]);
    if (answer.status === 200) {
      const run = await unpackText(await answer.text());
      known = run.live?.number ?? known;
      drawAgain(runs, run);
      if (!run.live) return;
    }
    await new Promise((done) => setTimeout(done, ASK_EVERY));
  }
}

/** Draws newer data; what the reader looks at stays in sight. */
function drawAgain(runs, run) {
  const before = runs[0]?.timelineView, zoomed = before && before.view.to - before.view.from < before.whole;
  const place = scrollY, shown = zoomed ? fragmentOf(before) : "";
  themeListeners.length = 0;
  hideTooltip();
  document.getElementById("sections").replaceChildren();
  if (!runs.length) startKeys(runs);
  runs[0] = run;
  build(runs);
  if (!run.live) document.getElementById("main").prepend(liveNotice("The run has ended. This is its report; nothing serves it any more: save this page to keep it."));
  if (shown) applyView(run.timelineView, shown);
  scrollTo({ top: place, behavior: "instant" });
  window.mpirageReport = { runs, readyAfter: performance.now() };
}

/** The server is gone before the run has ended. */
function lost(run) {
  const text = "mpirage does not answer any more: it was stopped, or another page has got the end of the run.";
  if (!run) return complain(text);
  document.querySelector("[data-figure=live]")?.remove();
  document.getElementById("main").prepend(liveNotice(`${text} These are the last figures.`));
}

function liveNotice(text) {
  return el("p", { class: "live", "data-figure": "live", role: "status" }, text);
}

/** How far a run has come that goes on. */
function progressNotice({ live, run }) {
  const { ended, share } = live, took = run.wall_seconds;
  const left = share > 0.01 ? `${formatPercent(share)}, about ${Math.round(took * (1 / share - 1))} s left` : null;
  const parts = [`simulated ${formatTime(run.simulated_seconds)} in ${significant(took, 3)} s`, left, `${ended} of ${plural(run.ranks, "rank")} ended`];
  return liveNotice(`The run goes on: ${parts.filter(Boolean).join(", ")}. All figures are those of the run so far.`);
}
