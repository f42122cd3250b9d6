// The summary: the result, the machine, warnings, and how the time was spent.

const PARTS = ["compute", "p2p", "collective", "wait", "other"];

function summaryPanel(run) {
  const failed = !run.live && run.run?.outcome && run.run.outcome !== "finished";
  return el("div", { class: failed ? "failed" : null },
    run.live ? progressNotice(run) : null,
    failed ? alarm(run) : verdict(run),
    el("div", { class: "headline" }, headline(run, failed), facts(run)),
    timeSplit(run), kindsFigure(run),
    el("div", { class: "columns" }, el("div", {}, failed ? waitForGraph(run) : efficiencies(run), warnings(run)), rankProfile(run)));
}

const MOST_SENTENCES = 3, EVEN = 0.95, IN_TURN = 0.8, WORTH_SAYING = 0.02;

/** What costs most, and what would be gained without it, in a few sentences. */
function verdict(run) {
  const gains = [evenly(run), inTurn(run), withoutNetwork(run)].filter(Boolean), gain = gains[0];
  const said = [noise(run), ...(run.findings ?? []), ...gains].filter(Boolean);
  const parallel = run.efficiency?.parallel;
  if (!said.length && parallel != null) said.push(`The ranks compute during ${formatPercent(parallel)} of their time; nothing else costs much.`);
  if (!said.length) return null;
  const first = said.slice(0, MOST_SENTENCES);
  if (gain && !first.includes(gain)) first[first.length - 1] = gain;
  return el("div", { class: "verdict", "data-figure": "verdict" }, first.map((text) => el("p", {}, text)));
}

function noise({ run }) {
  const beside = run?.trust?.computation.because.includes("beside other programs"), unusual = (run?.disturbed?.unusual_share ?? 0) > 0.03;
  return beside || unusual ? "Computation was disturbed while it was measured: waiting and imbalance may be noise of the machine that measured." : null;
}

/** What the run would take if all ranks computed alike. */
function evenly({ run, efficiency }) {
  const seconds = run?.simulated_seconds, gained = efficiency ? (efficiency.communication - efficiency.parallel) * seconds : 0;
  if (!(gained > WORTH_SAYING * seconds) || efficiency.load_balance > EVEN) return null;
  return `If computation were even, the run would take about ${formatTime(seconds - gained)} instead of ${formatTime(seconds)}.`;
}

/** Whether ranks wait for one another in turn, although all compute for as long: the largest loss is then neither imbalance nor the network. */
function inTurn({ run, efficiency }) {
  const { serialisation, transfer, load_balance: balance, ideal_seconds: ideal } = efficiency ?? {};
  if (!(serialisation < IN_TURN && serialisation < Math.min(transfer, balance))) return null;
  return `Ranks work in turn: if messages took no time, the run would still take ${formatTime(ideal)}, though no rank computes for more than ${formatTime(efficiency.communication * run.simulated_seconds)}.`;
}

/** What the run would take if messages took no time. */
function withoutNetwork({ run, efficiency }) {
  const seconds = run?.simulated_seconds, ideal = efficiency?.ideal_seconds;
  if (!(ideal < (1 - WORTH_SAYING) * seconds)) return null;
  return `If messages took no time, the run would take ${formatTime(ideal)} instead of ${formatTime(seconds)}.`;
}

function headline(run, failed) {
  const known = run.run ?? {}, seconds = known.simulated_seconds ?? run.timeline?.seconds ?? 0;
  return el("div", { class: "big" },
    el("span", { "data-field": "simulated_seconds", "data-value": seconds }, formatTime(seconds)),
    el("small", {}, failed ? "of simulated time until it stopped" : run.live ? "simulated time so far" : "simulated time", ` · ${exactSeconds(seconds)}`),
    known.trust?.low_seconds ? el("small", { "data-field": "trust" }, `in nine of ten cases ${formatTime(known.trust.low_seconds)} to ${formatTime(known.trust.high_seconds)}`) : null);
}

function facts(run) {
  const known = run.run ?? {};
  const field = (name, text) => el("span", { "data-field": name, "data-value": known[name] ?? "" }, text);
  const rows = [
    ["Program", known.arguments ?? known.program],
    ["Machine", known.platform && [field("ranks", plural(known.ranks, "rank")), " on ", known.platform,
      run.hosts ? ` (${plural(run.hosts.length, "host")} used)` : ""]],
    ["Interconnect", known.interconnect],
    ["MPI library", known.mpi_library],
    ["Network model", known.model],
    ["Computation times", known.compute],
    ["Errors", known.trust && trustedParts(known.trust)],
    ["Traffic", known.messages != null && [field("messages", plural(known.messages, "message")), ", ",
      field("bytes", formatBytes(known.bytes)), ", ", field("calls", plural(known.calls, "MPI call"))]],
    ["Simulated in", known.wall_seconds != null && [field("wall_seconds", `${significant(known.wall_seconds, 4)} s`), " here",
      known.ranks_as ? `, ranks ${known.ranks_as === "processes" ? "as processes" : known.ranks_as}` : ""]],
  ];
  return el("dl", { class: "facts" }, rows.filter(([, value]) => value).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/** `network ± 5 %: why; computation unknown: why`. */
function trustedParts(trust) {
  const part = (name, { share, error, because }) => share < 0.01 ? null : `${name} ${error == null ? "unknown" : `± ${significant(100 * error, 1)} %`}: ${because}`;
  return [part("network", trust.network), part("computation", trust.computation)].filter(Boolean).join("; ");
}

/** For runs that did not finish: what happened, and which calls are blocked. */
function alarm(run) {
  const rows = run.blocked ?? [];
  const columns = [
    { key: "rank", title: "Rank", show: (rank) => rankButton(run, rank) },
    { key: "function", title: "Blocked in", code: true },
    { key: "detail", title: "Waiting for", show: (text) => text ?? "" },
    { key: "site", title: "Source line", code: true, show: siteName },
    { key: "since", title: "Since", number: true, show: formatTime },
  ];
  return el("div", { class: "alarm", role: "alert" },
    outcomeText(run.outcome ?? run.run.outcome),
    rows.length ? figure("Blocked calls", {
      name: "blocked-calls",
      csv: () => [columns.map((column) => column.key), ...rows.map((row) => columns.map((column) => row[column.key]))],
    }, sortableTable("Blocked calls", columns.filter(({ key }) => rows.some((row) => row[key] != null)), rows, "+since")) : null);
}

/** What happened in bold, and the lines that explain it below. */
function outcomeText(text) {
  const [first, ...rest] = text.split("\n");
  return [el("p", {}, el("strong", {}, first)), rest.length ? el("details", {}, el("summary", {}, "The diagnosis in full"), el("pre", {}, rest.join("\n"))) : null];
}

/** The number of a rank, which leads to it in the timeline. */
function rankButton(run, rank, name = String(rank)) {
  return el("button", { type: "button", class: "link", title: "Show in the timeline", click: () => run.showRank?.(rank) }, name);
}

function timeSplit(run) {
  if (!run.time) return null;
  const parts = PARTS.map((name) => ({ name: CATEGORY_NAMES[name], value: run.time[name] ?? 0, colour: `var(--${name})` }));
  return figure("Where the ranks’ time went", {
    name: "time-split", csv: () => [["part", "seconds"], ...PARTS.map((name) => [name, run.time[name] ?? 0])],
  }, stackedBar("Time of all ranks", parts, formatTime));
}

const EFFICIENCIES = [
  ["parallel", "Parallel efficiency", "share of all ranks’ time that was computation", 0],
  ["load_balance", "Load balance", "average computation of a rank ÷ that of the busiest", 1],
  ["communication", "Communication efficiency", "computation of the busiest rank ÷ the whole time", 1],
  ["serialisation", "Serialisation", "what would be left if the network took no time: the rest is ranks waiting for one another", 2],
  ["transfer", "Transfer", "what the network itself costs: time on an ideal network ÷ time on this one", 2],
];

function efficiencies(run) {
  const known = EFFICIENCIES.filter(([key]) => run.efficiency?.[key] != null);
  if (!known.length) return null;
  return figure("Efficiency (POP)", {
    name: "efficiency", csv: () => [["metric", "fraction"], ...known.map(([key]) => [key, run.efficiency[key]])],
    note: run.efficiency.ideal_seconds != null ? `On an ideal network it takes ${formatTime(run.efficiency.ideal_seconds)}.` : null,
  }, el("table", {}, el("tbody", {}, known.map(([key, name, meaning, depth]) => el("tr", {},
    el("th", { scope: "row", style: `padding-left:${depth * 0.9}rem` }, name),
    el("td", { class: "number", "data-field": `efficiency.${key}`, "data-value": run.efficiency[key] }, formatPercent(run.efficiency[key])),
    el("td", { class: "note" }, meaning))))));
}

function warnings(run) {
  const list = run.warnings ?? [];
  return el("div", { class: "figure" }, el("header", {}, el("h3", {}, "How far to trust this")),
    list.length
      ? el("ul", { class: "warnings" }, list.map(({ text, severity }) => el("li", { class: severity },
        el("b", {}, severity === "error" ? "Error: " : severity === "warning" ? "Warning: " : "Note: "), text)))
      : el("p", { class: "note" }, "Nothing that was noticed makes these figures doubtful."));
}

/** The split of time for each rank, or for kinds or groups of ranks if there are many. */
function rankProfile(run) {
  const parts = PARTS.map((name) => ({ name: CATEGORY_NAMES[name], colour: name, values: run.section(`rank_${name}`) }));
  if (parts.some(({ values }) => !values)) return null;
  const csv = () => [["rank", ...PARTS, "end"], ...Array.from(parts[0].values, (_, rank) => [rank, ...parts.map(({ values }) => values[rank]), run.section("rank_end")?.[rank]])];
  return rankBarsFigure(run, "Time of each rank", "ranks", "Time per rank, split by what it did", parts, csv);
}

let fontFamily = null;

/** The page's font, for canvases. */
function canvasFont(size) {
  fontFamily ??= getComputedStyle(document.body).fontFamily;
  return `${size}px ${fontFamily}`;
}
