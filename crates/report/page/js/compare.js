// Two runs: what differs, in figures.

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

function comparisonPanel([a, b]) {
  const rows = COMPARED.map(([name, value, show, better]) => ({ name, a: value(a), b: value(b), show, better })).filter((row) => row.a != null && row.b != null);
  return figure("What differs", { name: "comparison", csv: () => [["figure", "a", "b", "difference"], ...rows.map((row) => [row.name, row.a, row.b, row.b - row.a])] },
    el("table", {}, el("thead", {}, el("tr", {}, ["", `A: ${runName(a)}`, `B: ${runName(b)}`, "B − A", "B ÷ A"].map((title, at) =>
      el("th", { scope: "col", class: at ? "number" : null }, title)))),
    el("tbody", {}, rows.map((row) => {
      const difference = row.b - row.a, judged = difference && row.better ? (difference * row.better > 0 ? "better" : "worse") : null;
      const sign = difference > 0 ? "+" : difference < 0 ? "−" : "", size = Math.abs(difference);
      const shown = row.show === formatPercent ? `${(size * 100).toFixed(1)} points` : row.show(size);
      return el("tr", {}, el("th", { scope: "row" }, row.name), el("td", { class: "number" }, row.show(row.a)), el("td", { class: "number" }, row.show(row.b)),
        el("td", { class: "number" }, difference ? `${sign}${shown}` : "="),
        el("td", { class: "number" }, row.a ? (row.b / row.a).toFixed(3) : "–", judged ? el("span", { class: judged }, judged === "better" ? " ▲ better" : " ▼ worse") : ""));
    }))));
}

function runName(run) {
  return [run.run?.program, run.run?.platform].filter(Boolean).join(" on ") || "run";
}
