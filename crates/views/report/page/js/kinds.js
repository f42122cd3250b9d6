// Kinds of ranks: ranks that behave alike are one row of the timeline and one bar of plots by rank.

/** Fewer ranks are all shown. */
const FEWEST_RANKS_BY_KIND = 64;
/** Fewer ranks that are alike are no kind: they deviate. */
const FEWEST_OF_A_KIND = 4;
const MOST_KINDS = 8, MOST_DEVIATING = 16;
/** How much ranks of a kind may differ, as shares of the run's time: the first that gives few kinds is taken. */
const TOLERANCES = [0.02, 0.05, 0.1, 0.2];
/** A figure that differs by this share of the largest difference says as much; the first one is named. */
const AS_LARGE = 0.8;
const MOST_RANGES = 5, MOST_NAMED = 5;

/** The kinds of ranks of a run; `null` if ranks are few or too different. */
function kindsOfRanks(run) {
  const figures = rankFigures(run), ranks = figures[0]?.values.length ?? 0;
  if (ranks < FEWEST_RANKS_BY_KIND) return null;
  const usualFirst = fromTheMedian(figures, ranks), seconds = Math.max(run.timeline?.seconds ?? 0, run.run?.simulated_seconds ?? 0);
  for (const tolerance of TOLERANCES) {
    const groups = alikeRanks(figures, usualFirst, tolerance * seconds, blockedIn(run));
    if (groups) return new RankKinds(figures, ranks, groups, tolerance, run.timeline?.ranks_per_row ?? 1);
  }
  return null;
}

/** What ranks are compared by: `{ name, values }`, seconds of each rank. */
function rankFigures(run) {
  const parts = PARTS.map((name) => ({ name: CATEGORY_NAMES[name], values: run.section(`rank_${name}`) })).filter(({ values }) => values);
  const all = run.section("waits_rank"), states = all ? run.waits.states : [], ranks = all?.length / states.length;
  const waits = states.map((state, at) => ({ name: STATE_NAMES[state], values: all.subarray(at * ranks, (at + 1) * ranks) }));
  return [...parts, ...waits, ...functionFigures(run)];
}

/** The time of each rank in each function of MPI. */
function functionFigures(run) {
  const all = run.section("rank_functions"), functions = run.functions ?? [], ranks = all?.length / functions.length;
  if (!all?.length || !Number.isInteger(ranks)) return [];
  return functions.map((name, at) => ({ name, values: all.subarray(at * ranks, (at + 1) * ranks) })).filter(({ values }) => values.some((seconds) => seconds > 0));
}

/** The call in which each rank is blocked: others are not like it. */
function blockedIn(run) {
  return new Map((run.blocked ?? []).map(({ rank, function: name, site }) => [rank, `${name} ${site}`]));
}

/** The ranks, those whose figures are nearest to the medians first. */
function fromTheMedian(figures, ranks) {
  const medians = figures.map(({ values }) => Float64Array.from(values).sort()[ranks >> 1]);
  const away = Float64Array.from({ length: ranks }, (_, rank) => figures.reduce((most, { values }, at) => Math.max(most, Math.abs(values[rank] - medians[at])), 0));
  return Uint32Array.from(away.keys()).sort((a, b) => away[a] - away[b] || a - b);
}

/** Leader clustering: a rank leads a group if no leader is near enough; then all ranks join the leader next to them. `null` if there would be too many groups. */
function alikeRanks(figures, usualFirst, reach, blocked) {
  const leaders = [], distance = (a, b) => blocked.get(a) === blocked.get(b) ? farthest(figures, a, b) : Infinity;
  for (const rank of usualFirst) {
    if (leaders.some((leader) => distance(leader, rank) <= reach)) continue;
    leaders.push(rank);
    if (leaders.length > MOST_KINDS + MOST_DEVIATING) return null;
  }
  const groups = leaders.map(() => []);
  for (let rank = 0; rank < usualFirst.length; rank += 1) groups[nearest(leaders, (leader) => distance(leader, rank))].push(rank);
  const kinds = groups.filter((group) => group.length >= FEWEST_OF_A_KIND).length;
  const deviating = sumOf(groups.map(({ length }) => length < FEWEST_OF_A_KIND ? length : 0));
  return kinds && kinds <= MOST_KINDS && deviating <= MOST_DEVIATING ? groups : null;
}

/** The largest difference of two ranks in any figure. */
function farthest(figures, a, b) {
  let most = 0;
  for (const { values } of figures) most = Math.max(most, Math.abs(values[a] - values[b]));
  return most;
}

/** The index of the first element with the least distance. */
function nearest(elements, distanceOf) {
  let best = 0, least = Infinity;
  elements.forEach((element, at) => {
    const distance = distanceOf(element);
    if (distance < least) { least = distance; best = at; }
  });
  return best;
}

/** Kinds of ranks, and ranks that deviate. Each is a row: its name, its ranks, which of them stands for it, and its means. */
class RankKinds {
  constructor(figures, ranks, groups, tolerance, perTile) {
    Object.assign(this, { figures, ranks, tolerance, perTile, on: true, listeners: [] });
    this.groupOf = new Uint32Array(ranks);
    groups.forEach((group, at) => group.forEach((rank) => { this.groupOf[rank] = at; }));
    this.kinds = groups.filter((group) => group.length >= FEWEST_OF_A_KIND).sort((a, b) => b.length - a.length || a[0] - b[0])
      .map((members, at) => this.row(members, `kind ${at + 1}`));
    this.deviating = groups.filter((group) => group.length < FEWEST_OF_A_KIND).flat().map((rank) => this.row([rank], `rank ${rank}`));
    for (const row of [...this.kinds, ...this.deviating]) row.differs = this.difference(row);
    // Those that differ most first.
    this.deviating.sort((a, b) => Math.abs(b.differs.seconds) - Math.abs(a.differs.seconds) || a.rank - b.rank);
    this.rows = [...this.kinds, ...this.deviating];
    this.rowOf = new Uint32Array(ranks);
    this.rows.forEach((row, at) => row.ranks.forEach((rank) => { this.rowOf[rank] = at; }));
  }

  /** The rank nearest to the means stands for the others. */
  row(members, name) {
    const means = this.figures.map(({ values }) => sumOf(members.map((rank) => values[rank])) / members.length);
    const away = (rank) => Math.max(...this.figures.map(({ values }, at) => Math.abs(values[rank] - means[at])));
    const unmixed = members.filter((rank) => this.isUnmixed(rank)), candidates = unmixed.length ? unmixed : members;
    return { name, ranks: members, rank: candidates[nearest(candidates, away)], means };
  }

  /** Whether the ranks with which a rank shares tiles of the timeline are of its kind. */
  isUnmixed(rank) {
    const first = rank - rank % this.perTile, end = Math.min(this.ranks, first + this.perTile);
    for (let other = first; other < end; other += 1) if (this.groupOf[other] !== this.groupOf[rank]) return false;
    return true;
  }

  /** Whether the timeline has tiles in which each kind is alone. */
  get haveTiles() {
    return this.kinds.every(({ rank }) => this.isUnmixed(rank));
  }

  /** In which figure, and by how many seconds, means differ from those of the largest kind. */
  difference({ means }) {
    const differences = means.map((seconds, at) => seconds - this.kinds[0].means[at]), most = Math.max(...differences.map(Math.abs));
    const at = differences.findIndex((seconds) => Math.abs(seconds) >= AS_LARGE * most);
    return { name: this.figures[at].name, seconds: differences[at] };
  }

  /** Shows kinds, or all ranks. */
  show(on) {
    this.on = on;
    for (const listener of this.listeners) listener();
  }

  onShow(listener) {
    this.listeners.push(listener);
  }

  /** `1,024 ranks in 5 kinds; 3 deviate: rank 33 (computation +1.2 ms), …` */
  get sentence() {
    const found = `${plural(this.ranks, "rank")} in ${plural(this.kinds.length, "kind")}`, { deviating } = this;
    if (!deviating.length) return `${found}; none deviates.`;
    const each = deviating.slice(0, MOST_NAMED).map(({ name, differs }) => `${name} (${differenceText(differs)})`).join(", "), more = deviating.length - MOST_NAMED;
    return `${found}; ${formatCount(deviating.length)} ${deviating.length === 1 ? "deviates" : "deviate"}: ${each}${more > 0 ? ` and ${more} more` : ""}.`;
  }

  /** By what ranks are alike. */
  get meaning() {
    const tiles = this.perTile > 1 ? ` ${this.perTile} neighbouring ranks share a row of the timeline: that of a rank that deviates shows all of them.` : "";
    return `Ranks of a kind differ by at most ${Math.round(100 * this.tolerance)} % of the run’s time from one of them, in computation, transfers, each cause of waiting and each function of MPI. Fewer than ${FEWEST_OF_A_KIND} alike are no kind: they deviate.${tiles}`;
  }
}

function differenceText({ name, seconds }) {
  return `${name} ${seconds < 0 ? "−" : "+"}${formatTime(Math.abs(seconds))}`;
}

/** `0–31, 64, 96–127` and how many more. */
function rankRanges(ranks) {
  const ranges = [];
  for (const rank of ranks) {
    const last = ranges.at(-1);
    if (last && last[1] === rank - 1) last[1] = rank;
    else ranges.push([rank, rank]);
  }
  const shown = ranges.slice(0, MOST_RANGES), told = sumOf(shown.map(([first, last]) => last - first + 1));
  return shown.map(([first, last]) => first === last ? String(first) : `${first}–${last}`).join(", ") + (told < ranks.length ? ` and ${formatCount(ranks.length - told)} more` : "");
}

/** The switch between kinds and all ranks. All switches of a run do the same. */
function kindsSwitch({ kinds }) {
  if (!kinds) return [];
  const button = toggle("All ranks", !kinds.on, (all) => kinds.show(!all));
  kinds.onShow(() => button.setAttribute("aria-pressed", String(!kinds.on)));
  return [button];
}

/** The kinds as a table: their ranks and the means of their times. */
function kindsFigure(run) {
  const { kinds } = run;
  if (!kinds) return null;
  const parts = kinds.figures.slice(0, PARTS.length).filter(({ values }) => values.some((seconds) => seconds > 0));
  const rows = kinds.rows.map(({ name, ranks, rank, differs }) => ({ name, rank, count: ranks.length, which: rankRanges(ranks), differs,
    ...Object.fromEntries(parts.map(({ name: part, values }) => [part, sumOf(ranks.map((member) => values[member])) / ranks.length])) }));
  return figure("Kinds of ranks", {
    name: "kinds", controls: kindsSwitch(run),
    csv: () => [["rank", "kind", ...kinds.figures.map(({ name }) => name)], ...[...kinds.rowOf].map((row, rank) => [rank, row < kinds.kinds.length ? kinds.rows[row].name : "deviates", ...kinds.figures.map(({ values }) => values[rank])])],
  }, el("p", { "data-field": "kinds", "data-value": kinds.kinds.length }, kinds.sentence), sortableTable("Kinds of ranks", [
    { key: "name", title: "Kind", show: (name, row) => rankButton(run, row.rank, name) }, { key: "count", title: "Ranks", number: true, show: formatCount }, { key: "which", title: "Which" },
    ...parts.map(({ name }) => ({ key: name, title: `${name[0].toUpperCase()}${name.slice(1)}`, number: true, show: formatTime })),
    { key: "differs", title: "From kind 1", number: true, show: (differs) => differs.seconds ? differenceText(differs) : "" },
  ], rows, ""), el("p", { class: "note" }, kinds.meaning));
}

const MOST_BARS = 128;

/** The bars of a plot by rank, `{ name, label, ranks }`: kinds, or ranks, or neighbouring ranks together if they are many. */
function rankBars({ kinds }, ranks) {
  if (kinds?.on) return kinds.rows.map(({ name, ranks: members }) => ({ name: members.length > 1 ? `${name}, mean of ${plural(members.length, "rank")}` : name, label: name, ranks: members }));
  const group = Math.ceil(ranks / MOST_BARS);
  return Array.from({ length: Math.ceil(ranks / group) }, (_, bar) => {
    const first = bar * group, members = Array.from({ length: Math.min(ranks, first + group) - first }, (_, at) => first + at);
    return { name: group === 1 ? `rank ${first}` : `ranks ${first} to ${members.at(-1)}, mean`, label: String(first), ranks: members };
  });
}

/** A bar per rank or kind of ranks, split into `parts`: `{ name, colour, values }`. */
function rankBarsFigure(run, title, name, label, parts, csv) {
  if (!parts.some(({ values }) => values.some((seconds) => seconds > 0))) return null;
  const ranks = parts[0].values.length;
  let bars, sums;
  const choose = () => {
    bars = rankBars(run, ranks);
    sums = bars.map(({ ranks: members }) => parts.map(({ values }) => sumOf(members.map((rank) => values[rank])) / members.length));
  };
  choose();
  const { canvas, redraw } = liveCanvas(label, 300, (context, width, height) => drawRankBars(context, width, height, bars, sums, parts.map((part) => part.colour)));
  canvas.addEventListener("pointermove", (event) => {
    const bar = Math.floor((event.offsetX - BARS_LEFT) / ((canvas.clientWidth - BARS_LEFT) / bars.length));
    if (bar < 0 || bar >= bars.length) return hideTooltip();
    const shown = parts.map((part, at) => [part.name, sums[bar][at]]).filter(([, value]) => value > 0);
    showTooltip(event.clientX, event.clientY, bars[bar].name, shown.map(([part, value]) => [part, formatTime(value)]));
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  const note = el("p", { class: "note" });
  const tell = () => {
    const most = Math.max(...bars.map(({ ranks: members }) => members.length));
    note.textContent = run.kinds?.on ? "A bar for the mean of each kind, and for each rank that deviates." : most > 1 ? `Means of ${most} ranks.` : "";
    note.hidden = !note.textContent;
  };
  tell();
  run.kinds?.onShow(() => { choose(); tell(); redraw(); });
  return figure(title, { name, csv, controls: kindsSwitch(run) }, note, canvas);
}

const BARS_LEFT = 62;

function drawRankBars(context, width, height, bars, sums, colours) {
  const bottom = 20, room = height - bottom - 6, step = (width - BARS_LEFT) / bars.length, most = Math.max(...sums.map(sumOf), 1e-12);
  context.clearRect(0, 0, width, height);
  context.font = canvasFont(12);
  const tick = niceStep(most, 6);
  for (let value = 0; value <= most; value += tick) {
    const y = Math.round(6 + room * (1 - value / most)) + 0.5;
    context.fillStyle = colour("line");
    context.fillRect(BARS_LEFT, y - 0.5, width - BARS_LEFT, 1);
    context.fillStyle = colour("soft");
    context.textAlign = "right";
    context.fillText(value ? formatTick(value, tick, most) : "0", BARS_LEFT - 6, y + 4);
  }
  sums.forEach((parts, bar) => {
    let y = 6 + room;
    parts.forEach((value, at) => {
      const size = room * value / most;
      context.fillStyle = colour(colours[at]);
      context.fillRect(BARS_LEFT + bar * step + (step > 6 ? 1 : 0), y - size, step > 6 ? step - 2 : step, size);
      y -= size;
    });
  });
  drawBarLabels(context, width, height, bars, step);
}

/** As many labels as have room. */
function drawBarLabels(context, width, height, bars, step) {
  context.fillStyle = colour("soft");
  context.textAlign = "center";
  const widest = Math.max(...bars.map(({ label }) => context.measureText(label).width)), every = Math.max(1, Math.ceil((widest + 10) / step));
  for (let bar = 0; bar < bars.length; bar += every) {
    const middle = BARS_LEFT + (bar + 0.5) * step, half = context.measureText(bars[bar].label).width / 2;
    if (middle + half <= width) context.fillText(bars[bar].label, middle, height - 5);
  }
}
