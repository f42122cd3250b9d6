// The critical path: the chain of work and messages that decided when the run ended.

const KIND_NAMES = { ...CATEGORY_NAMES, transfer: "messages under way" };

function criticalPanel(run) {
  const { critical } = run;
  if (!critical) return null;
  const kinds = Object.entries(critical.by_kind ?? {});
  const parts = kinds.map(([name, value]) => ({ name: KIND_NAMES[name] ?? name, value, colour: `var(--${name in KIND_NAMES ? name : "other"})` }));
  const whole = critical.seconds || 1;
  return el("div", {},
    el("p", {}, "The path is the chain of computation and messages that decided when the run ended: whatever is not on it could be slower without harm. ",
      `Its length is ${formatTime(critical.seconds)}. The line in the timeline shows it.`),
    parts.length ? figure("What lies on it", { name: "critical-kinds", csv: () => [["kind", "seconds"], ...kinds] }, stackedBar("Critical path by kind", parts, formatTime)) : null,
    gains(critical, run),
    el("div", { class: "columns three" },
      listed("By function", "critical-functions", critical.by_function, "name", (name) => name, whole),
      listed("By rank", "critical-ranks", critical.by_rank, "rank", (rank) => ["rank ", rankButton(run, rank)], whole),
      listed("By class of link", "critical-links", critical.by_link_class, "name", (name) => name, whole)));
}

function gains({ gain_if_free: rows }, run) {
  if (!rows?.length) return null;
  const whole = run.run?.simulated_seconds ?? run.critical.seconds;
  const sorted = [...rows].sort((a, b) => b.seconds - a.seconds);
  return figure("What would be gained if it were free", {
    name: "critical-gains", csv: () => [["what", "seconds"], ...sorted.map(({ what, seconds }) => [what, seconds])],
    note: "At most: without it another path may become the longest.",
  }, gauges(sorted.slice(0, 12).map(({ what, seconds }) => ({ name: what, value: seconds })),
    (seconds) => `${formatTime(seconds)} · ${formatPercent(seconds / whole)} of the run`, whole));
}

const LISTED = 10;

function listed(title, name, rows, key, show, whole) {
  if (!rows?.length) return null;
  const sorted = [...rows].sort((a, b) => b.seconds - a.seconds);
  return figure(title, { name, csv: () => [[key, "seconds"], ...sorted.map((row) => [row[key], row.seconds])] },
    gauges(sorted.slice(0, LISTED).map((row) => ({ name: show(row[key]), value: row.seconds })), (seconds) => `${formatTime(seconds)} · ${formatPercent(seconds / whole)}`));
}
