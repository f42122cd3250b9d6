// A part of the timeline, and the calls in it: filters, sums, and how long calls take.

/** Bins of the histogram: four for each factor of ten, from 1 ns on. */
const BINS_PER_DECADE = 4, DECADES = 12;

/** The part of a timeline that is looked at: the box that was drawn, or what is in sight. Times in ns. */
function lookedAt({ selection, view }) {
  return selection ?? view;
}

/** What calls must be like. */
class CallFilter {
  constructor() {
    this.call = "";
    this.ranks = "";
    this.sizes = "";
    this.region = "";
  }

  /** A test of a rank: single ranks and ranges, such as `0-3, 7`. */
  rankTest() {
    const ranges = this.ranks.split(/[\s,;]+/).filter(Boolean).map((part) => /^(\d+)(?:-(\d+))?$/.exec(part)).filter(Boolean)
      .map(([, first, last]) => [Number(first), Number(last ?? first)]);
    return ranges.length ? (rank) => ranges.some(([first, last]) => rank >= first && rank <= last) : () => true;
  }

  /** Bytes from and to, such as `1KiB-64KiB`, `1024-` or `-8`. */
  sizeRange() {
    const [from, to] = this.sizes.includes("-") ? this.sizes.split("-") : [this.sizes, this.sizes];
    const known = (text, other) => (text.trim() ? bytesOfText(text) ?? other : other);
    return [known(from ?? "", 0), known(to ?? "", Infinity)];
  }

  /** A test of a call of a rank. */
  test(run) {
    const wanted = this.call.trim().toLowerCase(), [least, most] = this.sizeRange();
    const has = (names) => (names ?? []).map((name) => name.toLowerCase().includes(wanted));
    const functions = has(run.functions), sites = has(run.sites);
    return (calls, at) => calls.bytes[at] >= least && calls.bytes[at] <= most && (!wanted || functions[calls.what[at]] || sites[calls.site[at]]);
  }
}

function bytesOfText(text) {
  const found = /^\s*([\d.]+)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(text);
  return found ? Number(found[1]) * 1024 ** ("kmgt".indexOf(found[2].toLowerCase() || "?") + 1) : null;
}

/** Sums over the calls of a part of the timeline that pass a filter. A call counts with the time that lies inside. */
function statisticsOf(timeline, part, filter) {
  const { run } = timeline, passes = filter.test(run), isWanted = filter.rankTest();
  const rows = new Map(), histogram = new Float64Array(BINS_PER_DECADE * DECADES);
  const sums = { ranks: 0, calls: 0, inCalls: 0, waiting: 0, bytes: 0, rows, histogram };
  // Times of calls may be rounded, so the last may seem to begin after the run.
  const until = part.to < timeline.whole ? part.to : Infinity;
  for (const rank of timeline.ranksIn(part)) {
    if (!isWanted(rank)) continue;
    sums.ranks += 1;
    const calls = timeline.calls.of(rank), isInRegion = filter.region.trim() ? regionTest(timeline.regions, rank, filter.region) : () => true;
    for (let at = Math.max(0, firstAbove(calls.end, part.from) - 1); at < calls.count && calls.start[at] <= until; at += 1) {
      if (calls.end[at] < part.from || !passes(calls, at) || !isInRegion(calls.start[at])) continue;
      addCall(sums, calls, at, part);
    }
  }
  sums.regions = timeline.regions.known ? regionStatistics(timeline, part, isWanted) : [];
  return sums;
}

function addCall(sums, calls, at, part) {
  const inside = (from, to) => Math.max(0, Math.min(to, part.to) - Math.max(from, part.from));
  const whole = calls.end[at] - calls.start[at], time = inside(calls.start[at], calls.end[at]), key = calls.what[at] * 2 ** 32 + calls.site[at];
  let row = sums.rows.get(key);
  if (!row) sums.rows.set(key, row = { what: calls.what[at], site: calls.site[at], calls: 0, time: 0, waiting: 0, bytes: 0, longest: 0, shortest: Infinity });
  const waiting = inside(calls.start[at], calls.late[at]);
  for (const sum of [sums, row]) { sum.calls += 1; sum.waiting += waiting; sum.bytes += calls.bytes[at]; }
  sums.inCalls += time;
  row.time += time;
  row.longest = Math.max(row.longest, whole);
  row.shortest = Math.min(row.shortest, whole);
  sums.histogram[durationBin(whole)] += 1;
}

function durationBin(nanoseconds) {
  return Math.max(0, Math.min(BINS_PER_DECADE * DECADES - 1, Math.floor(BINS_PER_DECADE * Math.log10(Math.max(1, nanoseconds)) + 1e-9)));
}

/** The panel below a timeline. It follows the timeline, a little later. */
function selectionPanel(timeline) {
  if (!timeline.calls.known) return null;
  const filter = timeline.filter = new CallFilter(), body = el("div");
  let timer = null;
  const update = () => {
    if (!isUnpacked(timeline)) return timeline.settled();
    timeline.statistics = statisticsOf(timeline, lookedAt(timeline), filter);
    showStatistics(timeline, body);
  };
  timeline.settled = () => { clearTimeout(timer); timer = setTimeout(update, 250); };
  const input = (key, label, placeholder) => el("input", {
    type: "text", placeholder, "aria-label": label, title: label, "data-filter": key, value: filter[key],
    input: (event) => { filter[key] = event.target.value; timeline.settled(); },
  });
  const controls = [
    input("call", "Only calls and source lines with this text", "Call or source line"), input("ranks", "Only these ranks, such as 0-3, 7", "Ranks: 0-3, 7"),
    input("sizes", "Only calls with so many bytes, such as 1KiB-64KiB", "Bytes: 1KiB-64KiB"),
    timeline.regions.known ? input("region", "Only calls in the region with this number, or with this in its name", "Region") : null,
    el("button", { type: "button", "data-act": "zoom", title: "Show the box alone", click: () => zoomToSelection(timeline) }, "Zoom to the box"),
    el("button", { type: "button", "data-act": "link", title: "Copy the address of this view", click: () => copyLink(timeline) }, "Link"),
  ].filter(Boolean);
  timeline.restoreFilter = (known) => {
    Object.assign(filter, known);
    controls.forEach((control) => { if (control.dataset.filter) control.value = filter[control.dataset.filter]; });
  };
  timeline.settled();
  return figure("Calls in this part", { name: "selection", controls, csv: () => statisticsCsv(timeline), note: "Shift + drag in the timeline draws a box; without one, this is about what is in sight." }, body);
}

/** Whether the calls of all ranks of the part are unpacked, which goes on while the page is idle. */
function isUnpacked(timeline) {
  return timeline.ranksIn(lookedAt(timeline)).every((rank) => timeline.calls.has(rank));
}

function zoomToSelection(timeline) {
  const box = timeline.selection;
  if (!box) return;
  timeline.selection = null;
  timeline.look(box.from, box.to);
  timeline.lookAtRanks(box.top, box.bottom);
}

function statisticsRows({ run, statistics }) {
  return [...statistics.rows.values()].map((row) => ({
    name: run.functions[row.what], place: run.sites?.[row.site] || "", calls: row.calls, bytes: row.bytes, seconds: row.time / 1e9,
    waiting: row.waiting / 1e9, mean: row.time / row.calls / 1e9, shortest: row.shortest / 1e9, longest: row.longest / 1e9,
  }));
}

function statisticsCsv(timeline) {
  timeline.statistics ??= statisticsOf(timeline, lookedAt(timeline), timeline.filter);
  const columns = ["name", "place", "calls", "bytes", "seconds", "waiting", "mean", "shortest", "longest"];
  return [columns, ...statisticsRows(timeline).map((row) => columns.map((column) => row[column]))];
}

function showStatistics(timeline, body) {
  const { statistics } = timeline, part = lookedAt(timeline), span = Math.min(part.to, timeline.whole) - part.from;
  const all = Math.max(1, span * statistics.ranks), { inCalls, waiting } = statistics;
  const parts = [
    { name: "between these calls", value: Math.max(0, all - inCalls) / 1e9, colour: "var(--compute)" }, { name: "in them", value: (inCalls - waiting) / 1e9, colour: "var(--p2p)" },
    { name: "waiting in them", value: waiting / 1e9, colour: "var(--wait)" },
  ];
  const rows = statisticsRows(timeline);
  body.replaceChildren(
    el("p", { "data-field": "selection", "data-value": statistics.calls }, `${timeline.selection ? "In the box" : "In sight"}: ${formatTime(span / 1e9)} of ${plural(statistics.ranks, "rank")}, `,
      `${plural(statistics.calls, "call")} with ${formatBytes(statistics.bytes)}.`),
    ...(statistics.calls ? [
      stackedBar("Time of these ranks", parts, formatTime), durationHistogram(statistics.histogram),
      sortableTable("Calls in this part", [
        { key: "name", title: "Call", code: true }, { key: "place", title: "Source line", code: true, show: siteName }, { key: "calls", title: "Calls", number: true, show: formatCount },
        { key: "bytes", title: "Bytes", number: true, show: formatBytes }, { key: "seconds", title: "Time inside", number: true, show: formatTime },
        { key: "waiting", title: "Waiting", number: true, show: formatTime }, { key: "mean", title: "Mean", number: true, show: formatTime },
        { key: "shortest", title: "Shortest", number: true, show: formatTime }, { key: "longest", title: "Longest", number: true, show: formatTime },
      ], rows, "seconds")] : []),
    regionTable(timeline, statistics.regions) ?? "");
}

/** How many calls take how long; on logarithmic axes. */
function durationHistogram(histogram) {
  const used = [...histogram.keys()].filter((bin) => histogram[bin] > 0), first = used[0], end = used.at(-1) + 1, most = Math.max(...histogram);
  const limit = (bin) => formatTime(10 ** (bin / BINS_PER_DECADE - 9)), left = 62, step = (width) => Math.min(60, (width - left) / (end - first));
  const { canvas } = liveCanvas("Histogram of the durations of calls", 150, (context, width, height) => {
    const room = height - 28, wide = step(width);
    context.clearRect(0, 0, width, height);
    context.font = canvasFont(12);
    context.fillStyle = colour("soft");
    context.textAlign = "right";
    context.fillText(formatCount(most), left - 6, 14);
    context.fillText("0", left - 6, room + 4);
    for (let bin = first; bin < end; bin += 1) {
      const tall = histogram[bin] ? Math.max(2, (room - 8) * Math.log1p(histogram[bin]) / Math.log1p(most)) : 0;
      context.fillStyle = colour("p2p");
      context.fillRect(left + (bin - first) * wide + 1, room - tall, Math.max(1, wide - 2), tall);
    }
    context.fillStyle = colour("soft");
    context.textAlign = "center";
    const every = Math.max(1, Math.ceil(64 / wide));
    for (let bin = first; bin <= end; bin += every) context.fillText(limit(bin), left + (bin - first) * wide, height - 8);
  });
  canvas.addEventListener("pointermove", (event) => {
    const bin = first + Math.floor((event.offsetX - left) / step(canvas.clientWidth));
    if (bin < first || bin >= end) return hideTooltip();
    showTooltip(event.clientX, event.clientY, `${limit(bin)} to ${limit(bin + 1)}`, [["calls", formatCount(histogram[bin])]]);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  return el("div", { "data-figure": "durations" }, el("h4", {}, "How long they take (logarithmic)"), canvas);
}
