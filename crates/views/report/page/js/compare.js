// Several runs: what differs, in figures.

const COMPARED = [
  ["Simulated time", (run) => run.run?.simulated_seconds, formatTime, -1],
  ["Computation, all ranks", (run) => run.time?.compute, formatTime, -1],
  ["Point-to-point calls, all ranks", (run) => run.time?.p2p, formatTime, -1],
  ["Collectives, all ranks", (run) => run.time?.collective, formatTime, -1],
  ["Waiting, all ranks", (run) => run.time?.wait, formatTime, -1],
  ["Parallel efficiency", (run) => run.efficiency?.parallel, formatPercent, 1],
  ["Load balance", (run) => run.efficiency?.load_balance, formatPercent, 1],
  ["Communication efficiency", (run) => run.efficiency?.communication, formatPercent, 1],
  ["Ranks", (run) => run.run?.ranks, formatCount, 0],
  ["Messages", (run) => run.run?.messages, formatCount, 0],
  ["Bytes", (run) => run.run?.bytes, formatBytes, 0],
  ["MPI calls", (run) => run.run?.calls, formatCount, 0],
];

/** The figures of all runs, and how those of the later runs differ from the first. */
function comparisonPanel(runs) {
  const rows = COMPARED.map(([name, value, show, better]) => ({ name, values: runs.map(value), show, better })).filter((row) => row.values.every((value) => value != null));
  const letters = runs.map((_, at) => runLetter(at)), later = letters.slice(1);
  const titles = ["", ...runs.map((run, at) => `${letters[at]}: ${runName(run)}`), ...later.flatMap((letter) => [`${letter} − A`, `${letter} ÷ A`])];
  return el("div", {}, later.map((letter, at) => whyPanel(runs[0], runs[at + 1], letter)), figure("What differs", {
    name: "comparison",
    csv: () => [["figure", ...letters.map((letter) => letter.toLowerCase()), ...(runs.length === 2 ? ["difference"] : later.map((letter) => `${letter.toLowerCase()}-a`))],
      ...rows.map(({ name, values }) => [name, ...values, ...values.slice(1).map((value) => value - values[0])])],
  }, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, titles.map((title, at) => el("th", { scope: "col", class: at ? "number" : null }, title)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.name), row.values.map((value) => el("td", { class: "number" }, row.show(value))),
      row.values.slice(1).map((value, at) => differenceCells(row, row.values[0], value, row.name === "Simulated time" && overlap(runs[0], runs[at + 1]))))))))));
}

/** Do the intervals of two times overlap? */
function overlap(one, other) {
  const [first, second] = [one.run?.trust, other.run?.trust];
  return first?.low_seconds != null && second?.low_seconds != null && first.low_seconds <= second.high_seconds && second.low_seconds <= first.high_seconds;
}

/** A smaller share than the cells show is neither better nor worse. */
const LEAST_JUDGED = 0.0005;

function differenceCells({ show, better }, first, value, alike) {
  const difference = value - first, judged = Math.abs(difference) >= LEAST_JUDGED * Math.abs(first) && difference && better && !alike ? (difference * better > 0 ? "better" : "worse") : null;
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "", size = Math.abs(difference);
  const shown = show === formatPercent ? `${(size * 100).toFixed(1)} points` : show(size);
  return [el("td", { class: "number" }, difference ? `${sign}${shown}` : "="),
    el("td", { class: "number" }, first ? (value / first).toFixed(3) : "–", judged ? el("span", { class: judged }, judged === "better" ? " ▲ better" : " ▼ worse") : difference && alike ? " not distinguishable" : "")];
}

function runName(run) {
  return run.name ?? ([run.run?.program, run.run?.platform].filter(Boolean).join(" on ") || "run");
}

// What may tell runs apart, and how it is shown.
const TELLING = [
  ({ run }) => run?.program, ({ run }) => run?.platform, ({ run }) => run?.ranks != null && plural(run.ranks, "rank"),
  ({ run }) => run?.interconnect?.replace(/^assumed: /, "").split(/[:;]/)[0], ({ run }) => run?.model,
  ({ run }) => run?.mpi_library?.replace(/^assumed( from the cables)?: /, "").split(/[:;]/)[0], ({ run }) => run?.arguments,
];

/** Names runs by what differs between them, if something does. */
function nameRuns(runs) {
  const differing = TELLING.filter((tell) => new Set(runs.map(tell)).size > 1);
  if (runs.length < 2 || !differing.length) return;
  for (const run of runs) run.name ??= differing.map((tell) => tell(run)).filter(Boolean).join(", ");
}
