// Why one run takes longer than another: what the average rank did longer, from the one time to the other.

/** Differences below this share of the whole are not told. */
const TOLD = 0.1;

/** Seconds of the average rank: each category, and what is left until the end of the run. */
function averageRank(run) {
  const ranks = run.run?.ranks ?? 1, whole = run.run?.simulated_seconds ?? 0;
  const parts = PARTS.map((name) => [name, (run.time?.[name] ?? 0) / ranks]);
  return { whole, parts: new Map([...parts, ["idle", whole - parts.reduce((sum, [, seconds]) => sum + seconds, 0)]]) };
}

function whyPanel(first, other, letter) {
  if (!first.time || !other.time) return null;
  const [one, two] = [first, other].map(averageRank), difference = two.whole - one.whole;
  const steps = [...one.parts].map(([name, seconds]) => ({ name: CATEGORY_NAMES[name], change: two.parts.get(name) - seconds, colour: name })).filter(({ change }) => Math.abs(change) > 1e-12);
  if (!difference || !steps.length) return null;
  return figure(`From A (${runName(first)}) to ${letter} (${runName(other)})`, {
    name: `waterfall-${letter.toLowerCase()}`, note: "Time of the average rank: what it spends more on, and less.",
    csv: () => [["part", "seconds"], ["A", one.whole], ...steps.map(({ name, change }) => [name, change]), [letter, two.whole]],
  }, el("p", { class: "why" }, whySentence(first, other, letter, difference, steps)), waterfall(letter, one.whole, two.whole, steps));
}

/** What most of the difference is, and in which call. */
function whySentence(first, other, letter, difference, steps) {
  const [slow, fast] = difference > 0 ? [letter, "A"] : ["A", letter], whole = Math.abs(difference), sign = Math.sign(difference);
  const parts = steps.map(({ name, change }) => ({ name, more: change * sign })).filter(({ more }) => more > TOLD * whole).sort((a, b) => b.more - a.more);
  const said = `${slow} takes ${formatTime(whole)} longer than ${fast}${overlap(first, other) ? " (not distinguishable: their intervals overlap)" : ""}`;
  const why = parts.length ? `: per rank ${listOf(parts.map(({ name, more }) => `${formatTime(more)} of ${name}`))}` : "";
  const call = callThatDiffers(first, other, sign);
  return `${said}${why}.${call && call.more > TOLD * whole ? ` Most of it is in ${call.name} (${formatTime(call.more)} per rank).` : ""}`;
}

/** "a, b and c". */
function listOf(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join("");
}

/** Seconds of the average rank by call and source line. */
function secondsByCall(run) {
  const { calls_table: table, functions, sites } = run, ranks = run.run?.ranks ?? 1, found = new Map();
  (table?.function ?? []).forEach((what, at) => {
    const site = (sites?.[table.site[at]] ?? "").replace(/^[^ ]*\//, ""), name = functions[what] + (site ? ` at ${site}` : "");
    found.set(name, (found.get(name) ?? 0) + table.seconds[at] / ranks);
  });
  return found;
}

function callThatDiffers(first, other, sign) {
  const [one, two] = [first, other].map(secondsByCall);
  const changes = [...new Set([...one.keys(), ...two.keys()])].map((name) => ({ name, more: sign * ((two.get(name) ?? 0) - (one.get(name) ?? 0)) }));
  return changes.sort((a, b) => b.more - a.more)[0];
}

/** Bars from the one time to the other. */
function waterfall(letter, from, to, steps) {
  let at = from;
  const bars = [{ name: "A", low: 0, high: from, shown: formatTime(from), colour: "soft" }];
  for (const { name, change, colour: kind } of steps) {
    bars.push({ name, low: Math.min(at, at + change), high: Math.max(at, at + change), shown: `${change > 0 ? "+" : "−"}${formatTime(Math.abs(change))}`, colour: kind });
    at += change;
  }
  bars.push({ name: letter, low: 0, high: to, shown: formatTime(to), colour: "soft" });
  const most = Math.max(...bars.map(({ high }) => high));
  return el("dl", { class: "rows" }, bars.map(({ name, low, high, shown, colour: kind }) => [
    el("dt", {}, name),
    el("dd", { class: "gauge" }, el("span", { style: `margin-left:${100 * low / most}%;width:${Math.max(0.3, 100 * (high - low) / most)}%;background:var(--${kind})` })),
    el("dd", { class: "value" }, shown),
  ]));
}
