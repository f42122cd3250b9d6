// Wait states: whom ranks wait for, why, and who makes them wait.

const STATE_NAMES = {
  late_sender: "late sender", late_receiver: "late receiver", barrier: "wait at barrier", collective: "wait at collective",
  late_broadcast: "late broadcast", early_reduce: "early reduce", one_sided: "one-sided", other: "unknown rank",
  transfer: "transfer", contention: "contention",
};
const STATE_MEANINGS = {
  late_sender: "the message had not been sent yet", late_receiver: "the receive had not been posted yet",
  barrier: "another rank had not entered the barrier", collective: "another rank had not entered the collective",
  late_broadcast: "the root, or a rank between, had not entered", early_reduce: "a rank that contributes had not entered",
  one_sided: "the other rank of one-sided communication was late", other: "it is not known for whom",
  transfer: "bytes moved, as fast as without other messages", contention: "bytes moved more slowly because of other messages",
};

function waitsPanel(run) {
  const { waits } = run;
  if (!waits || !Object.values(waits.seconds).some((seconds) => seconds > 0)) return null;
  return el("div", {}, findings(run), stateSplit(waits), el("div", { class: "columns" }, stateProfile(run), waitMatrix(run)),
    causes(run), waitLines(run), el("div", { class: "columns" }, waitPairs(run), contendedLinks(waits)), waitCalls(run));
}

/** What the wait states mean, in sentences. */
function findings(run) {
  if (!run.findings?.length) return null;
  return el("ul", { class: "findings", "data-figure": "findings" }, run.findings.map((text) => el("li", {}, text)));
}

function stateColour(state) {
  return `var(--state-${state.replace("_", "-")})`;
}

function stateSplit({ states, seconds }) {
  const parts = states.map((state) => ({ name: STATE_NAMES[state], value: seconds[state], colour: stateColour(state) }));
  return figure("Why calls take time, all ranks", {
    name: "wait-states", csv: () => [["state", "seconds", "meaning"], ...states.map((state) => [state, seconds[state], STATE_MEANINGS[state]])],
  }, stackedBar("Time in calls by state", parts, formatTime));
}

/** States of each rank, or of kinds or groups of ranks. */
function stateProfile(run) {
  const all = run.section("waits_rank"), { states } = run.waits;
  if (!all) return null;
  const ranks = all.length / states.length;
  const parts = states.map((state, at) => ({ name: STATE_NAMES[state], colour: `state-${state.replace("_", "-")}`, values: all.subarray(at * ranks, (at + 1) * ranks) }));
  const csv = () => [["rank", ...states], ...Array.from({ length: ranks }, (_, rank) => [rank, ...parts.map(({ values }) => values[rank])])];
  return rankBarsFigure(run, "Why calls of each rank take time", "wait-ranks", "Wait states of each rank", parts, csv);
}

/** Time that each rank (row) waits for each (column). */
function waitMatrix(run) {
  const values = run.section("waits_matrix"), range = values && rangeOf(values);
  if (!range) return null;
  const { cells, ranks_per_cell: group } = run.waits.matrix, ranks = run.run?.ranks ?? cells * group, tall = 300;
  const side = (width) => Math.min(width - MATRIX_LEFT, tall - MATRIX_BOTTOM);
  const { canvas } = liveCanvas("Waiting ranks (rows) and the ranks that they wait for (columns)", tall, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    drawMatrix(context, side(width), values, cells, group, ["waits", "for"]);
  });
  canvas.addEventListener("pointermove", (event) => {
    const size = side(canvas.clientWidth), column = Math.floor((event.offsetX - MATRIX_LEFT) / size * cells), row = Math.floor(event.offsetY / size * cells);
    if (column < 0 || column >= cells || row < 0 || row >= cells) return hideTooltip();
    showTooltip(event.clientX, event.clientY, `${cellName(row, group, ranks)} for ${cellName(column, group, ranks)}`, [["waits", formatTime(values[row * cells + column])]]);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  return figure("Who waits for whom", {
    name: "wait-matrix", note: group > 1 ? `Each cell stands for ${group} × ${group} ranks.` : "Rows wait for columns.",
    csv: () => [["waiter", "cause", "seconds"], ...[...values].map((value, at) => [Math.floor(at / cells) * group, at % cells * group, value]).filter(([, , value]) => value > 0)],
  }, canvas, matrixLegend(range, formatTime));
}

/** The rows of a table of columns, with the names of functions and sites. */
function placedRows(run, table, prefixes = [""]) {
  return rowsOfColumns(table, table.seconds?.length ?? table.function.length).map((row) => {
    const named = { ...row };
    for (const prefix of prefixes) {
      named[`${prefix}call`] = row[`${prefix}function`] == null ? "–" : run.functions[row[`${prefix}function`]];
      named[`${prefix}place`] = run.sites?.[row[`${prefix}site`]] || "";
    }
    return named;
  });
}

function waitTable(title, name, note, columns, rows) {
  if (!rows.length) return null;
  return figure(title, {
    name, note, csv: () => [columns.map(({ key }) => key), ...rows.map((row) => columns.map(({ key }) => row[key]))],
  }, sortableTable(title, columns, rows, "seconds"));
}

const SECONDS_COLUMN = { key: "seconds", title: "Waiting, all ranks", number: true, show: formatTime };
const WAITS_COLUMN = { key: "waits", title: "Waits", number: true, show: formatCount };

/** Delay costs. */
function causes(run) {
  const rows = placedRows(run, run.waits.causes).map((row) => ({ ...row, what: row.doing === "before" ? "computes before" : "is in" }));
  return waitTable("Who makes others wait", "wait-causes",
    "If the rank that others wait for waits itself, the rank at the end of the chain counts.", [
      { key: "rank", title: "Rank", show: (rank) => rankButton(run, rank) }, { key: "what", title: "While it" },
      { key: "call", title: "Call", code: true }, { key: "place", title: "Source line", code: true, show: siteName },
      { ...SECONDS_COLUMN, title: "Others wait" }, { ...WAITS_COLUMN, title: "Parts of waits" },
    ], rows);
}

/** Waits by the lines of both calls. */
function waitLines(run) {
  const rows = placedRows(run, run.waits.lines, ["", "cause_"]).map((row) => ({ ...row, why: STATE_NAMES[row.state] }));
  return waitTable("Which line waits for which", "wait-lines", null, [
    { key: "call", title: "Call", code: true }, { key: "place", title: "Source line", code: true, show: siteName }, { key: "why", title: "Why" },
    { key: "cause_call", title: "Waits for", code: true }, { key: "cause_place", title: "At", code: true, show: siteName }, SECONDS_COLUMN, WAITS_COLUMN,
  ], rows);
}

function waitPairs(run) {
  const { pairs } = run.waits;
  const rows = rowsOfColumns({ waiter: pairs.waiter, cause: pairs.cause, state: pairs.state, seconds: pairs.seconds, waits: pairs.waits }, pairs.seconds.length)
    .map((row) => ({ ...row, why: STATE_NAMES[row.state] }));
  return waitTable("Which rank waits for which", "wait-pairs", null, [
    { key: "waiter", title: "Rank", show: (rank) => rankButton(run, rank) }, { key: "cause", title: "Waits for", show: (rank) => rankButton(run, rank) },
    { key: "why", title: "Why" }, { ...SECONDS_COLUMN, title: "Waiting" }, WAITS_COLUMN,
  ], rows);
}

function contendedLinks({ links }) {
  return waitTable("Links on which messages slow each other down", "wait-links", "Of each route, the link that is used most.", [
    { key: "name", title: "Link" }, { ...SECONDS_COLUMN, title: "Contention" }, { ...WAITS_COLUMN, title: "Calls" },
  ], links);
}

/** States by function and source line. */
function waitCalls(run) {
  const table = run.waits.calls, present = run.waits.states.filter((state) => table[state].some((seconds) => seconds > 0));
  const rows = placedRows(run, table);
  if (!rows.length) return null;
  return figure("Wait states by place in the program", {
    name: "wait-calls", csv: () => [["call", "source", ...run.waits.states], ...rows.map((row) => [row.call, row.place, ...run.waits.states.map((state) => row[state])])],
  }, sortableTable("Wait states by function and source line", [
    { key: "call", title: "Call", code: true }, { key: "place", title: "Source line", code: true, show: siteName },
    ...present.map((state) => ({ key: state, title: STATE_NAMES[state], number: true, show: formatTime })),
  ], rows, present[0]));
}
