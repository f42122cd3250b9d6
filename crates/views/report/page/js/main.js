// Puts the page together.

const SECTIONS = [
  ["summary", "Summary", summaryPanel],
  ["timeline", "Timeline", (run, shared) => run.timeline && timelinePanel(run, shared)],
  ["waits", "Waiting", waitsPanel],
  ["calltree", "Call tree", callTreePanel],
  ["communication", "Communication", communicationPanel],
  ["network", "Network", (run) => (run.topology || run.links) && networkPanel(run)],
  ["energy", "Energy", energyPanel],
  ["critical", "Critical path", criticalPanel],
];

async function start() {
  startTheme();
  const trouble = obstacle();
  if (trouble) return complain(trouble);
  try {
    if (document.getElementById("live")) return await follow();
    const scripts = [...document.querySelectorAll("script[type='text/plain'][id^='data']")];
    const runs = await Promise.all(scripts.map(unpackRun));
    scripts.forEach((script) => script.remove());
    JSON.parse(document.getElementById("names")?.textContent ?? "[]").forEach((name, at) => { runs[at].name = name; });
    build(runs);
    startKeys(runs);
    restoreView(runs[0].timelineView);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    window.mpirageReport = { runs, readyAfter: performance.now() };
  } catch (error) {
    const remedy = error instanceof OtherVersion ? "Make the report anew with this version of mpirage." : "It may have been cut off on its way here.";
    complain(`The data of this report cannot be read: ${error.message}. ${remedy}`);
  }
}

function complain(text) {
  const message = document.getElementById("message");
  message.textContent = text;
  message.classList.add("bad");
}

function build(runs) {
  nameRuns(runs);
  for (const run of runs) run.kinds = kindsOfRanks(run);
  const main = document.getElementById("main"), nav = document.getElementById("sections"), shared = new Set();
  const names = runs.length > 3 ? [runName(runs[0]), plural(runs.length - 1, "other run")] : runs.map(runName);
  document.title = `${names.join(" and ")}: mpirage report`;
  document.getElementById("subtitle").textContent = names.join("  |  ");
  const sections = SECTIONS.map(([id, title, panel]) => {
    const panels = runs.map((run) => panel(run, shared));
    if (!panels.some(Boolean)) return null;
    nav.append(el("a", { href: `#${id}` }, title));
    return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title),
      id === "summary" && runs.length > 1 ? comparisonPanel(runs) : null, arrange(id, runs, panels));
  }).filter(Boolean);
  const longest = Math.max(...[...shared].map((timeline) => timeline.whole));
  for (const timeline of shared) { timeline.longest = longest; timeline.view.to = longest; }
  main.replaceChildren(...sections, footer(runs));
}

/** The letter of a run. */
function runLetter(at) {
  return String.fromCharCode(65 + at);
}

/** One run fills the width; several stand beside each other, their timelines below each other. */
function arrange(id, runs, panels) {
  if (runs.length === 1) return panels[0];
  const named = panels.map((panel, at) => el("div", {}, el("p", { class: "run-name" }, `${runLetter(at)}: ${runName(runs[at])}`), panel ?? el("p", { class: "note" }, "No data.")));
  if (id === "timeline") return el("div", {}, named);
  return el("div", { class: runs.length > 2 ? "scroll" : null }, el("div", { class: "pair", style: `--runs:${runs.length}` }, named));
}

function footer(runs) {
  const version = runs[0].run?.mpirage_version;
  return el("footer", { class: "note", style: "margin-top:3rem" }, `Made by mpirage${version ? ` ${version}` : ""}. Everything on this page is in this file; nothing was fetched.`);
}

start();
