// The timeline: a row per rank, from the whole run to a single call.

/** No view is narrower than this, in ns. */
const NARROWEST = 20;
const HIGHEST_RANK = 44;

// The critical path is off at first for more ranks.
const MOST_RANKS_WITH_PATH = 256;

class Timeline {
  constructor(run, sharedTime) {
    this.run = run;
    this.whole = Math.max(1, run.timeline.seconds * 1e9);
    this.longest = this.whole;
    this.ranks = run.run?.ranks ?? run.section("rank_end")?.length ?? run.timeline.rows;
    this.calls = new Calls(run);
    this.messages = new Messages(run);
    this.raster = new Raster(run, this.calls);
    this.hosts = hostGroups(run);
    this.regions = new Regions(this);
    this.path = criticalSegments(run);
    // Of many ranks the path is no line that an eye can follow.
    this.show = { path: Boolean(this.path) && (run.run?.ranks ?? 0) <= MOST_RANKS_WITH_PATH, arrows: true };
    this.shared = sharedTime;
    // Where kinds share all tiles, their rows would show ranks of other kinds.
    this.kinds = run.kinds?.haveTiles ? run.kinds : null;
    this.view = { from: 0, to: this.whole, top: 0, bottom: this.lines };
    this.blocked = new Map((run.blocked ?? []).map((call) => [call.rank, { ...call, since: call.since * 1e9, until: this.whole }]));
    this.arrows = [];
    this.frames = [];
    this.fitRows();
    this.canvas = el("canvas", {
      tabindex: 0, role: "application", style: `height:${this.height}px`,
      "aria-label": `Timeline of ${plural(this.ranks, "rank")} over ${formatTime(run.timeline.seconds)}. Arrow keys move, plus and minus zoom, 0 shows everything, n and p step through calls, question mark explains.`,
    });
    this.status = el("div", { class: "timeline-status" });
    this.shared.add(this);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    onTheme(() => {
      if (this.overview) this.overview.picture = null;
      // At once: what is printed next must have the new colours.
      if (this.width) this.draw();
    });
    this.kinds?.onShow(() => this.regroup());
    this.calls.unpackWhenIdle();
    addGestures(this);
  }

  /** Whether a row stands for a kind of ranks. */
  get byKind() {
    return Boolean(this.kinds?.on);
  }

  /** How many rows there are: ranks, or kinds of them and ranks that deviate. */
  get lines() {
    return this.byKind ? this.kinds.rows.length : this.ranks;
  }

  /** The rank that is drawn in a row. */
  rankAt(row) {
    return this.byKind ? this.kinds.rows[row].rank : row;
  }

  /** The row of a rank or of its kind. */
  rowOf(rank) {
    return this.byKind ? this.kinds.rowOf[rank] : rank;
  }

  /** Whether a rank is drawn itself, in its row. */
  isDrawn(rank) {
    return this.rankAt(this.rowOf(rank)) === rank;
  }

  /** The ranks for which the rows of a part stand. */
  ranksIn({ top, bottom }) {
    const first = Math.max(0, Math.floor(top + 1e-6)), end = Math.min(this.lines, Math.ceil(bottom - 1e-6));
    const rows = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
    return this.byKind ? rows.flatMap((row) => this.kinds.rows[row].ranks) : rows;
  }

  /** Pixels for the rows. */
  fitRows() {
    this.rows = Math.max(90, Math.min(560, this.lines * 22));
  }

  /** After the switch between kinds and all ranks. */
  regroup() {
    this.fitRows();
    this.canvas.style.height = `${this.height}px`;
    this.selection = null;
    this.lookAtRanks(0, this.lines);
    this.resize();
  }

  get height() {
    return AXIS + this.rows + OVERVIEW_GAP + OVERVIEW;
  }

  /** Pixels of the rows from left to right. */
  get plot() {
    return Math.max(1, this.width - GUTTER);
  }

  resize() {
    this.width = this.canvas.clientWidth;
    if (!this.width) return;
    this.scale = devicePixelRatio;
    this.canvas.width = Math.round(this.width * this.scale);
    this.canvas.height = Math.round(this.height * this.scale);
    this.overview = overviewShares(this.run, this.raster.levels, this.plot);
    this.draw();
  }

  /** Draws in the next frame, once. */
  redraw() {
    this.settled?.();
    if (this.waiting || !this.width) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    const began = performance.now(), context = this.canvas.getContext("2d"), { view, rows, width } = this;
    const place = (time) => GUTTER + (time - view.from) / (view.to - view.from) * this.plot;
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, width, this.height);
    drawAxis(context, view, place, this.plot, rows);
    this.source = this.raster.draw(context, this, GUTTER, AXIS, this.plot, rows, this.scale);
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS, this.plot, rows);
    context.clip();
    drawRowGaps(context, view, this.byKind ? [] : this.hosts, rows, this.plot);
    drawRegions(context, this, place);
    this.drawMessages(context, place);
    if (this.source.calls && !this.raster.incomplete) drawCallNames(context, view, this, place, rows);
    drawBlocked(context, this, place);
    if (this.show.path) drawCriticalPath(context, this, place);
    if (this.selected) this.drawSelected(context, place);
    if (this.selection) this.drawSelection(context, place);
    context.restore();
    if (this.byKind) drawKindNames(context, this);
    else drawRankNames(context, view, this.hosts, rows, this.highlighted);
    drawOverview(context, this.overview, this, AXIS + rows + OVERVIEW_GAP);
    this.tell();
    this.frames.push(performance.now() - began);
    if (this.frames.length > 500) this.frames.shift();
    if (this.raster.incomplete) this.redraw();
  }

  drawMessages(context, place) {
    const rankHeight = this.rows / (this.view.bottom - this.view.top);
    this.arrows = [];
    this.tangled = false;
    if (!this.show.arrows || !this.messages.known || rankHeight < HIGH_ENOUGH_FOR_ARROWS || !this.source.calls) return;
    // More than this is a tangle that hides what lies below.
    const most = Math.max(60, (this.view.bottom - this.view.top) * this.plot / 160);
    const inSight = (isInner) => arrowsInSight(this, Math.min(MOST_ARROWS, most), isInner);
    this.arrows = inSight(true);
    this.tangled = !this.arrows;
    // Those of collectives are the first to be left out.
    this.arrows ??= inSight(false) ?? [];
    drawArrows(context, this.view, this.arrows, place, this.rows);
  }

  drawSelected(context, place) {
    const { rank, start, end } = this.selected, rankHeight = this.rows / (this.view.bottom - this.view.top);
    if (!this.isDrawn(rank)) return;
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    context.strokeRect(place(start) - 1, AXIS + (this.rowOf(rank) - this.view.top) * rankHeight, Math.max(4, place(end) - place(start) + 2), Math.max(4, rankHeight));
  }

  /** The box that was drawn. */
  drawSelection(context, place) {
    const { selection: { from, to, top, bottom }, view } = this, rankHeight = this.rows / (view.bottom - view.top);
    const box = [place(from), AXIS + (top - view.top) * rankHeight, place(to) - place(from), (bottom - top) * rankHeight];
    context.fillStyle = colour("accent");
    context.globalAlpha = 0.15;
    context.fillRect(...box);
    context.globalAlpha = 1;
    context.strokeStyle = colour("accent");
    context.lineWidth = 1.5;
    context.strokeRect(...box);
  }

  /** The line below the picture: what is in sight, and how it is drawn. */
  tell() {
    const { view } = this, first = Math.floor(view.top + 1e-6), last = Math.ceil(view.bottom - 1e-6) - 1;
    const how = this.source.calls ? "every call" : this.calls.known ? "what prevails in each tile; zoom in for single calls" : "what prevails in each tile (too many calls for this report to hold each)";
    const ranks = this.byKind ? `a row for each kind of ${plural(this.ranksIn(view).length, "rank")}` : first === last ? `rank ${first}` : `ranks ${first} to ${last}`;
    const text = `${formatTime((view.to - view.from) / 1e9)} from ${formatTime(view.from / 1e9)}, ${ranks}: ${how}.`;
    const hint = this.tangled ? (this.arrows.length ? ` ${plural(this.arrows.length, "message")} in sight; zoom in for those of collectives.` : " Zoom in for messages.") : this.arrows.length ? ` ${plural(this.arrows.length, "message")} in sight.` : "";
    if (this.status.textContent !== text + hint) this.status.textContent = text + hint;
  }

  /** Zooms time by a factor around a fraction of the width. */
  zoom(factor, around = 0.5) {
    const { view } = this, middle = view.from + (view.to - view.from) * around;
    const span = Math.max(NARROWEST, Math.min(this.longest, (view.to - view.from) * factor));
    this.look(middle - span * around, middle + span * (1 - around));
  }

  zoomRanks(factor, around = 0.5) {
    const { view } = this, middle = view.top + (view.bottom - view.top) * around;
    const least = Math.min(this.lines, Math.max(1, this.rows / HIGHEST_RANK));
    const span = Math.max(least, Math.min(this.lines, (view.bottom - view.top) * factor));
    this.lookAtRanks(middle - span * around, middle + span * (1 - around));
  }

  /** Moves by fractions of what is in sight. */
  pan(time, ranks) {
    const { view } = this, span = view.to - view.from, height = view.bottom - view.top;
    if (time) this.look(view.from + time * span, view.to + time * span);
    if (ranks) this.lookAtRanks(view.top + ranks * height, view.bottom + ranks * height);
  }

  /** Shows a stretch of time, within the run; runs side by side show the same. */
  look(from, to) {
    const span = Math.min(this.longest, to - from), start = Math.max(0, Math.min(this.longest - span, from));
    for (const timeline of this.shared) {
      timeline.view.from = start;
      timeline.view.to = start + span;
      timeline.redraw();
    }
  }

  lookAtRanks(top, bottom) {
    const span = Math.min(this.lines, bottom - top), start = Math.max(0, Math.min(this.lines - span, top));
    Object.assign(this.view, { top: start, bottom: start + span });
    this.redraw();
  }

  everything() {
    this.look(0, this.longest);
    this.lookAtRanks(0, this.lines);
  }

  get entire() {
    return this.view.to - this.view.from >= this.longest * 0.9999;
  }

  /** Brings a rank into sight and marks it; shows all ranks if it has no row of its own. */
  showRank(rank) {
    if (!this.isDrawn(rank)) this.kinds.show(false);
    this.highlighted = rank;
    const row = this.rowOf(rank), span = Math.min(this.lines, Math.max(this.rows / HIGHEST_RANK, Math.min(this.view.bottom - this.view.top, this.rows / 18)));
    this.lookAtRanks(row + 0.5 - span / 2, row + 0.5 + span / 2);
    this.canvas.scrollIntoView({ block: "nearest" });
    announce(`Rank ${rank}, on ${this.hostOf(rank)}`);
  }

  /** Brings a call into sight and frames it. */
  showCall(rank, at) {
    const calls = this.calls.of(rank), start = calls.start[at], end = calls.end[at];
    this.selected = { rank, at, start, end };
    const span = Math.min(this.view.to - this.view.from, Math.max(NARROWEST, (end - start) * 25));
    if (start < this.view.from || end > this.view.to || end - start < (this.view.to - this.view.from) / 200) {
      this.look((start + end) / 2 - span / 2, (start + end) / 2 + span / 2);
    }
    this.showRank(rank);
    const [title, lines] = this.describeCall(rank, at);
    announce(`${title}: ${lines.map((line) => line.join(" ")).join(", ")}`);
  }

  hostOf(rank) {
    return this.run.hosts?.[this.run.section("rank_host")?.[rank]] ?? "?";
  }

  /** The rank, and for which others its row stands. */
  linesOfRank(rank) {
    const row = this.byKind && this.kinds.rows[this.rowOf(rank)], alike = row && row.ranks.length > 1 ? [["row", `${row.name}: ${plural(row.ranks.length, "rank")}`]] : [];
    return [["rank", `${rank} on ${this.hostOf(rank)}`], ...alike];
  }

  /** What is under a point of the canvas: title and lines for the tooltip, or `null`. */
  under(x, y) {
    if (x < GUTTER || y < AXIS || y > AXIS + this.rows) return null;
    const arrow = this.arrowNear(x, y);
    if (arrow) return describeMessage(arrow);
    const { view } = this, perPixel = (view.to - view.from) / this.plot;
    const row = Math.floor(view.top + (y - AXIS) / this.rows * (view.bottom - view.top));
    const time = view.from + (x - GUTTER) * perPixel;
    if (row < 0 || row >= this.lines || time > this.whole) return null;
    const rank = this.rankAt(row);
    if (time >= this.blocked.get(rank)?.since) return this.describeBlocked(rank);
    if (!this.source.calls) return this.describeTile(rank, time);
    const calls = this.calls.of(rank), at = nearestCall(calls, time, perPixel * 2);
    if (at >= 0) return this.describeCall(rank, at);
    return this.describeGap(rank, time, calls);
  }

  arrowNear(x, y) {
    let best = null, least = 3.5;
    for (const arrow of this.arrows) {
      const distance = distanceToLine(x, y, arrow);
      if (distance < least) { least = distance; best = arrow; }
    }
    return best;
  }

  describeCall(rank, at) {
    const { run } = this, calls = this.calls.of(rank), peer = calls.peer[at], comm = run.comms?.[calls.comm[at]];
    const lines = this.linesOfRank(rank);
    if (peer >= 0) lines.push(["peer", `rank ${peer}`]);
    if (calls.bytes[at]) lines.push(["bytes", `${formatCount(calls.bytes[at])}${calls.bytes[at] >= 1024 ? ` (${formatBytes(calls.bytes[at])})` : ""}`]);
    if (peer >= 0) lines.push(["tag", String(calls.tag[at])]);
    if (comm?.size) lines.push(["communicator", communicatorName(comm)]);
    if (run.sites?.[calls.site[at]]) lines.push(["source", run.sites[calls.site[at]]]);
    lines.push(["start", formatStart(calls.start[at])], ["duration", formatTime((calls.end[at] - calls.start[at]) / 1e9)]);
    if (calls.late[at] > calls.start[at]) lines.push(["of which waiting", `${formatTime((calls.late[at] - calls.start[at]) / 1e9)} for another rank`]);
    lines.push(...this.regions.linesAt(rank, calls.start[at]));
    return [run.functions[calls.what[at]] ?? "call", lines];
  }

  describeBlocked(rank) {
    const { function: name, site, since, detail } = this.blocked.get(rank), lines = this.linesOfRank(rank);
    if (detail) lines.push(["waiting", detail]);
    if (site) lines.push(["source", site]);
    return [`Blocked in ${name}`, [...lines, ["since", formatStart(since)]]];
  }

  describeGap(rank, time, calls) {
    const next = firstAbove(calls.start, time), from = next ? calls.end[next - 1] : 0;
    const ended = (this.raster.ends?.[rank] ?? this.run.timeline.seconds) * 1e9;
    if (time > ended) return ["Ended", [...this.linesOfRank(rank), ["at", formatStart(ended)]]];
    const to = next < calls.count ? calls.start[next] : ended;
    return ["Computation", [...this.linesOfRank(rank), ["start", formatStart(from)], ["duration", formatTime((to - from) / 1e9)], ...this.regions.linesAt(rank, time)]];
  }

  describeTile(rank, time) {
    const tile = this.raster.tileAt(rank, time, this.source.level ?? this.raster.levels.at(-1));
    if (!tile) return null;
    const group = tile.firstRank === tile.lastRank ? `${rank} on ${this.hostOf(rank)}` : `${tile.firstRank} to ${Math.min(this.ranks - 1, tile.lastRank)}`;
    const name = CATEGORY_NAMES[tile.category];
    return [`Mostly ${name}`, [[tile.firstRank === tile.lastRank ? "rank" : "ranks", group],
      ["share", tile.share == null ? "–" : formatPercent(tile.share)], ["from", formatStart(tile.from * 1e9)], ["to", formatStart(tile.to * 1e9)]]];
  }

  /** Marks what a search names and goes to it; says what was found. */
  search(text, backwards = false) {
    const wanted = text.trim().toLowerCase(), number = /^(?:rank\s*)?(\d+)$/.exec(wanted);
    if (!wanted) return this.mark(null, "");
    if (number) {
      const rank = Number(number[1]);
      if (rank >= this.ranks) return `There is no rank ${rank}: the last is ${this.ranks - 1}.`;
      this.showRank(rank);
      return `Rank ${rank}, on ${this.hostOf(rank)}.`;
    }
    const names = this.run.functions ?? [], sites = this.run.sites ?? [];
    const matches = { functions: names.map((name) => name.toLowerCase().includes(wanted)), sites: sites.map((site) => site.toLowerCase().includes(wanted)) };
    const host = this.hosts.find(({ name }) => name.toLowerCase() === wanted);
    if (host) { this.showRank(host.first); return `Host ${host.name}: ranks ${host.first} to ${host.end - 1}.`; }
    if (![...matches.functions, ...matches.sites].includes(true)) return this.mark(null, `No call or source line is called “${text.trim()}”.`);
    this.mark(matches);
    if (!this.calls.known) return "Found, but this report does not hold single calls.";
    const found = this.nextMatch(matches, backwards);
    if (!found) return "No more calls in this direction.";
    this.showCall(found.rank, found.at);
    return `${names[this.calls.of(found.rank).what[found.at]]} on rank ${found.rank} at ${formatStart(found.start)}. Enter: next, Shift+Enter: previous.`;
  }

  mark(matches, said = "") {
    this.raster.restyle(matches);
    if (!matches) this.selected = null;
    this.redraw();
    return said;
  }

  /** The matching call that follows (or precedes) the selected one in time. */
  nextMatch(matches, backwards) {
    const here = this.selected, sign = backwards ? -1 : 1;
    const after = (rank, start) => !here || sign * (start - here.start) > 0 || (start === here.start && sign * (rank - here.rank) > 0);
    let best = null;
    for (let rank = 0; rank < this.ranks; rank += 1) {
      const calls = this.calls.of(rank);
      for (let at = backwards ? calls.count - 1 : here ? Math.max(0, firstAbove(calls.start, here.start) - 1) : 0; at >= 0 && at < calls.count; at += sign) {
        if (best && sign * (calls.start[at] - best.start) >= 0) break;
        if (!(matches.functions[calls.what[at]] || matches.sites[calls.site[at]]) || !after(rank, calls.start[at])) continue;
        best = { rank, at, start: calls.start[at] };
        break;
      }
    }
    return best;
  }

  /** The next or previous call of the marked rank, for the keyboard. */
  step(direction) {
    if (!this.calls.known) return;
    const rank = this.selected?.rank ?? this.highlighted ?? this.rankAt(Math.max(0, Math.floor(this.view.top))), calls = this.calls.of(rank);
    const at = this.selected ? this.selected.at + direction : Math.max(0, firstAbove(calls.start, this.view.from) - 1);
    if (at < 0 || at >= calls.count) return;
    this.showCall(rank, at);
    const { start, end } = this.selected, row = this.rowOf(this.selected.rank), box = this.canvas.getBoundingClientRect(), { view } = this;
    const x = box.left + GUTTER + (Math.max(start, view.from) + Math.min(end, view.to) - 2 * view.from) / 2 / (view.to - view.from) * this.plot;
    const y = box.top + AXIS + (row + 1 - view.top) * this.rows / (view.bottom - view.top);
    showTooltip(x, y - 10, ...this.describeCall(rank, at));
  }
}

function formatStart(nanoseconds) {
  const seconds = nanoseconds / 1e9, [unit, name] = timeUnit(seconds);
  return `${grouped((seconds / unit).toFixed(unit === 1 ? 9 : unit === 1e-3 ? 6 : unit === 1e-6 ? 3 : 0))} ${name}`;
}

function describeMessage({ from, to, sent, delivered, bytes, tag, scope }) {
  return [scope ? "Message of a collective" : "Message", [["from", `rank ${from}`], ["to", `rank ${to}`],
    ["bytes", `${formatCount(bytes)}${bytes >= 1024 ? ` (${formatBytes(bytes)})` : ""}`], ...(scope ? [] : [["tag", String(tag)]]),
    ["sent", formatStart(sent)], ["under way", formatTime((delivered - sent) / 1e9)]]];
}

/** The call at a time, or the nearest within reach: very short ones must be hit too. */
function nearestCall(calls, time, reach) {
  const after = firstAbove(calls.start, time);
  if (after && calls.end[after - 1] >= time) return after - 1;
  if (after && time - calls.end[after - 1] < reach) return after - 1;
  return after < calls.count && calls.start[after] - time < reach ? after : -1;
}

function distanceToLine(x, y, { x0, y0, x1, y1 }) {
  const length = (x1 - x0) ** 2 + (y1 - y0) ** 2;
  const part = length ? Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length)) : 0;
  return Math.hypot(x - x0 - part * (x1 - x0), y - y0 - part * (y1 - y0));
}

/** Neighbouring ranks on the same host. */
function hostGroups(run) {
  const hostOf = run.section("rank_host"), groups = [];
  for (let rank = 0; rank < (hostOf?.length ?? 0); rank += 1) {
    const last = groups.at(-1);
    if (last && last.host === hostOf[rank]) last.end = rank + 1;
    else groups.push({ host: hostOf[rank], name: run.hosts?.[hostOf[rank]] ?? `host ${hostOf[rank]}`, first: rank, end: rank + 1 });
  }
  return groups;
}

/** The timeline with its controls. `shared` is the set of timelines that show the same time. */
function timelinePanel(run, shared) {
  const timeline = run.timelineView = new Timeline(run, shared);
  const said = el("span", { class: "note", role: "status" });
  const search = el("input", {
    type: "search", placeholder: "Rank, host or call  ( / )", "aria-label": "Search for a rank, a host, a call or a source line",
    keydown: (event) => {
      if (event.key === "Enter") said.textContent = timeline.search(search.value, event.shiftKey);
      else if (event.key === "Escape") timeline.canvas.focus();
    },
    input: () => { if (!search.value) said.textContent = timeline.search(""); },
  });
  timeline.searchBox = search;
  run.showRank = (rank) => { timeline.showRank(rank); timeline.canvas.focus(); };
  const key = (label, text, act) => el("button", { type: "button", "aria-label": label, title: label, click: act }, text);
  const controls = [
    search, ...timeline.kinds ? kindsSwitch(run) : [],
    timeline.path ? timeline.pathButton = toggle("Critical path", timeline.show.path, (on) => { timeline.show.path = on; timeline.redraw(); }) : null,
    timeline.messages.known ? timeline.arrowButton = toggle("Messages", true, (on) => { timeline.show.arrows = on; timeline.redraw(); }) : null,
    key("Zoom in", "+", () => timeline.zoom(0.5)), key("Zoom out", "−", () => timeline.zoom(2)), key("Show the whole run", "All", () => timeline.everything()),
  ].filter(Boolean);
  return figure("Ranks over time", { name: "timeline", csv: () => timelineCsv(timeline), controls },
    el("div", { class: "timeline" }, timeline.canvas, timeline.status, said), timelineLegend(), selectionPanel(timeline));
}

function timelineLegend() {
  return el("ul", { class: "legend" }, PARTS.map((name) => el("li", {}, swatch(`var(--${name})`), CATEGORY_NAMES[name])));
}

const MOST_CSV_CALLS = 1000000;

/** The calls in sight, or the tiles if there are no calls. */
function timelineCsv(timeline) {
  const { view, run } = timeline;
  if (!timeline.calls.known) return tilesCsv(timeline);
  const rows = [["rank", "start_ns", "duration_ns", "waiting_ns", "call", "source", "peer", "bytes", "tag", "communicator"]];
  for (const rank of timeline.ranksIn(view)) {
    const calls = timeline.calls.of(rank);
    for (let at = 0; at < calls.count && rows.length <= MOST_CSV_CALLS; at += 1) {
      if (calls.end[at] < view.from || calls.start[at] > view.to) continue;
      const peer = calls.peer[at];
      rows.push([rank, calls.start[at], calls.end[at] - calls.start[at], calls.late[at] - calls.start[at], run.functions[calls.what[at]], run.sites?.[calls.site[at]],
        peer < 0 ? "" : peer, calls.bytes[at], peer < 0 ? "" : calls.tag[at], run.comms?.[calls.comm[at]]?.name]);
    }
  }
  return rows;
}

function tilesCsv({ raster, run }) {
  const level = raster.levels.find(({ bins }) => bins >= 64) ?? raster.levels[0], rows = [["first_rank", "from_seconds", "category", "share"]];
  for (let row = 0; row < run.timeline.rows; row += 1) {
    for (let bin = 0; bin < level.bins; bin += 1) {
      const at = row * level.bins + bin;
      rows.push([row * run.timeline.ranks_per_row, bin * run.timeline.seconds / level.bins, CATEGORIES[level.what[at]], level.share ? level.share[at] / 255 : ""]);
    }
  }
  return rows;
}
