// Everything in the timeline but the colours: axis, names of ranks and hosts, arrows, critical path, overview.

const GUTTER = 132;
const AXIS = 24;
const OVERVIEW = 38;
const OVERVIEW_GAP = 10;
const MOST_ARROWS = 3000;
const HIGH_ENOUGH_FOR_ARROWS = 5;
const HIGH_ENOUGH_FOR_TEXT = 13;

/** Ticks of time, with lines through the rows. */
function drawAxis(context, view, place, width, rows) {
  const span = view.to - view.from, step = niceStep(span / 1e9, width / 120) * 1e9;
  context.font = canvasFont(12);
  context.textAlign = "left";
  for (let tick = Math.ceil(view.from / step) * step; tick <= view.to; tick += step) {
    const x = Math.round(place(tick));
    context.fillStyle = colour("strong-line");
    context.fillRect(x, AXIS - 6, 1, 6);
    context.fillStyle = colour("soft");
    const text = formatTick(tick / 1e9, step / 1e9, view.to / 1e9);
    if (x + 4 + context.measureText(text).width < GUTTER + width + 2) context.fillText(text, x + 4, AXIS - 8);
  }
  context.fillStyle = colour("strong-line");
  context.fillRect(GUTTER, AXIS - 1, width, 1);
}

/** Numbers of ranks and names of hosts beside the rows. */
function drawRankNames(context, view, hosts, rows, highlighted) {
  const rankHeight = rows / (view.bottom - view.top), y = (rank) => AXIS + (rank - view.top) * rankHeight;
  context.save();
  context.beginPath();
  context.rect(0, AXIS, GUTTER, rows);
  context.clip();
  drawHosts(context, view, hosts, rankHeight, y);
  const step = rankHeight >= 12 ? 1 : Math.max(1, niceStep(14 / rankHeight, 1));
  context.textAlign = "right";
  context.font = canvasFont(Math.min(12, Math.max(10, rankHeight)));
  for (let rank = Math.ceil(view.top / step) * step; rank < view.bottom; rank += step) {
    context.fillStyle = colour("soft");
    const middle = y(rank) + (step === 1 ? rankHeight / 2 : Math.min(rankHeight / 2, 6));
    context.fillText(String(rank), GUTTER - 12, Math.max(AXIS + 9, middle + 4));
  }
  if (highlighted != null) {
    context.fillStyle = colour("ink");
    context.fillRect(GUTTER - 6, y(highlighted), 6, Math.max(2, rankHeight));
  }
  context.restore();
}

/** Names of kinds with the number of their ranks, and of ranks that deviate. */
function drawKindNames(context, { view, kinds, rows, highlighted }) {
  const rowHeight = rows / (view.bottom - view.top), y = (row) => AXIS + (row - view.top) * rowHeight;
  context.save();
  context.beginPath();
  context.rect(0, AXIS, GUTTER, rows);
  context.clip();
  context.font = canvasFont(12);
  kinds.rows.forEach(({ name, ranks, rank }, row) => {
    const middle = y(row) + rowHeight / 2 + 4;
    context.textAlign = "left";
    context.fillStyle = colour("ink");
    context.fillText(name, 2, middle);
    context.textAlign = "right";
    context.fillStyle = colour("soft");
    if (ranks.length > 1) context.fillText(`× ${formatCount(ranks.length)}`, GUTTER - 12, middle);
    context.fillStyle = colour(rank === highlighted ? "ink" : ranks.length > 1 ? "strong-line" : "wait");
    context.fillRect(GUTTER - 8, y(row) + 1, 4, Math.max(2, rowHeight - 2));
  });
  context.restore();
}

function drawHosts(context, view, hosts, rankHeight, y) {
  context.textAlign = "left";
  context.font = canvasFont(12);
  let free = -Infinity;
  hosts.forEach(({ name, first, end }, at) => {
    if (end < view.top || first > view.bottom) return;
    const top = y(first), height = (end - first) * rankHeight;
    context.fillStyle = colour(at % 2 ? "line" : "strong-line");
    context.fillRect(GUTTER - 9, top, 3, height);
    const shown = Math.max(top, AXIS), middle = (shown + Math.min(y(end), y(view.bottom))) / 2;
    if (height < 3 || middle - free < 15) return;
    free = middle;
    context.fillStyle = colour("ink");
    context.fillText(clipped(context, name, GUTTER - 58), 2, middle + 4);
  });
}

/** A text that is too long loses its middle. */
function clipped(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const short = (length) => `${text.slice(0, Math.ceil(length / 2))}…${text.slice(text.length - Math.floor(length / 2))}`;
  let length = text.length - 1;
  while (length > 2 && context.measureText(short(length)).width > room) length -= 1;
  return short(length);
}

/** Gaps between rows, and a stronger one between hosts. */
function drawRowGaps(context, view, hosts, rows, width) {
  const rankHeight = rows / (view.bottom - view.top);
  context.fillStyle = colour("paper");
  if (rankHeight >= 5) {
    const gap = rankHeight >= 12 ? 2 : 1;
    for (let rank = Math.ceil(view.top); rank <= view.bottom; rank += 1) {
      context.fillRect(GUTTER, AXIS + (rank - view.top) * rankHeight - gap / 2, width, gap);
    }
  }
  for (const { first } of hosts) {
    if (first <= view.top || first >= view.bottom || (view.bottom - view.top) / hosts.length * rankHeight < 4) continue;
    context.fillRect(GUTTER, AXIS + (first - view.top) * rankHeight - (rankHeight >= 5 ? 2 : 0.5), width, rankHeight >= 5 ? 4 : 1);
  }
}

/** Names of calls that are wide enough to hold them. */
function drawCallNames(context, view, timeline, place, rows) {
  const rankHeight = rows / (view.bottom - view.top);
  if (rankHeight < HIGH_ENOUGH_FOR_TEXT) return;
  context.textAlign = "left";
  context.font = canvasFont(Math.min(12, rankHeight - 3));
  for (let row = Math.max(0, Math.floor(view.top)); row < Math.min(timeline.lines, view.bottom); row += 1) {
    const calls = timeline.calls.of(timeline.rankAt(row));
    const y = AXIS + (row - view.top + 0.5) * rankHeight + 4;
    for (let at = Math.max(0, firstAbove(calls.start, view.from) - 1); at < calls.count && calls.start[at] < view.to; at += 1) {
      const from = Math.max(place(calls.start[at]), GUTTER), room = Math.min(place(calls.end[at]), timeline.width) - from - 8;
      if (room < 26) continue;
      const name = (timeline.run.functions[calls.what[at]] ?? "").replace(/^MPI_/, "");
      if (context.measureText(name).width > room) continue;
      context.fillStyle = timeline.raster.matches ? colour("ink") : inkOn(colour(CATEGORIES[calls.late[at] > view.from && calls.late[at] > calls.start[at] ? WAIT : timeline.raster.categoryOf[calls.what[at]]]));
      context.fillText(name, from + 4, y);
    }
  }
}

/** Messages between ranks that are drawn, to those in sight, with or without those inside collectives; `null` if they are more than `most`. */
function arrowsInSight(timeline, most, isInner) {
  const arrows = [], { view, messages } = timeline;
  const first = Math.max(0, Math.floor(view.top)), end = Math.min(timeline.lines, Math.ceil(view.bottom));
  for (let row = first; row < end; row += 1) {
    const to = timeline.rankAt(row), came = messages.of(to);
    for (let at = firstAbove(came.end, view.from); at < came.count && came.end[at] - came.longest < view.to; at += 1) {
      if (came.start[at] > view.to || came.scope[at] && !isInner || !timeline.isDrawn(came.from[at])) continue;
      if (arrows.length >= most) return null;
      arrows.push({ from: came.from[at], to, fromRow: timeline.rowOf(came.from[at]), toRow: row, sent: came.start[at], delivered: came.end[at], bytes: came.bytes[at], tag: came.tag[at], scope: came.scope[at] });
    }
  }
  return arrows;
}

function drawArrows(context, view, arrows, place, rows) {
  const rankHeight = rows / (view.bottom - view.top), y = (row) => AXIS + (row + 0.5 - view.top) * rankHeight;
  context.lineWidth = 1;
  context.globalAlpha = arrows.length > 400 ? 0.45 : 0.8;
  for (const arrow of arrows) {
    arrow.x0 = place(arrow.sent), arrow.x1 = place(arrow.delivered), arrow.y0 = y(arrow.fromRow), arrow.y1 = y(arrow.toRow);
  }
  const trace = () => {
    context.beginPath();
    for (const { x0, y0, x1, y1 } of arrows) {
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      const angle = Math.atan2(y1 - y0, x1 - x0);
      for (const side of [0.4, -0.4]) {
        context.moveTo(x1, y1);
        context.lineTo(x1 - 7 * Math.cos(angle + side), y1 - 7 * Math.sin(angle + side));
      }
    }
    context.stroke();
  };
  // A pale line below a dark one is seen on every colour.
  context.strokeStyle = colour("paper");
  context.lineWidth = 2.5;
  trace();
  context.strokeStyle = colour("ink");
  context.lineWidth = 1;
  trace();
  context.globalAlpha = 1;
}

/**
 * The critical path: a line in the rows of its ranks, and down or up where it goes from one to another. Rectangles, because
 * a long path with wide strokes takes browsers many milliseconds; at most one upright per column of pixels.
 */
// With more hops between ranks per pixel than this, the path would hide the timeline.
const CROWDED = 0.08;

function drawCriticalPath(context, timeline, place) {
  const { view, path, rows } = timeline;
  // Low in the row, where it leaves names free.
  const rankHeight = rows / (view.bottom - view.top), within = rankHeight < HIGH_ENOUGH_FOR_TEXT ? 0.5 : 1 - 4 / rankHeight;
  const y = (rank) => AXIS + (timeline.rowOf(rank) + within - view.top) * rankHeight, thick = rankHeight < 4 ? 1.5 : 2.5;
  const level = [], uprights = new Map(), slanted = [];
  let lastX = NaN, lastY = NaN;
  for (let at = Math.max(0, firstAbove(path.start, view.from) - 2); at < path.rank.length && path.start[at] <= view.to; at += 1) {
    const x0 = Math.max(-50, place(path.start[at])), x1 = Math.min(20000, place(path.end[at])), line = y(path.rank[at]);
    if (x1 - x0 >= 0.5) level.push([x0, line - thick / 2, x1 - x0, thick]);
    if (lastY !== line && x0 - lastX > 2) slanted.push([lastX, lastY, x0, line]);
    else if (lastY !== line && lastY === lastY) {
      const column = Math.round(x0), known = uprights.get(column) ?? [Infinity, -Infinity];
      uprights.set(column, [Math.min(known[0], line, lastY), Math.max(known[1], line, lastY)]);
    }
    lastX = x1, lastY = line;
  }
  if (uprights.size + slanted.length > context.canvas.clientWidth * CROWDED) return drawCrowdedPath(context, level, uprights);
  for (const [column, [top, bottom]] of uprights) level.push([column - thick / 2, top - thick / 2, thick, bottom - top + thick]);
  for (const [ink, halo] of [["paper", rankHeight < 4 ? 0.75 : 1.25], ["path", 0]]) {
    context.fillStyle = context.strokeStyle = colour(ink);
    for (const [x, top, width, height] of level) context.fillRect(x - halo, top - halo, width + 2 * halo, height + 2 * halo);
    context.lineWidth = thick + 2 * halo;
    context.beginPath();
    for (const [x0, y0, x1, y1] of slanted) { context.moveTo(x0, y0); context.lineTo(x1, y1); }
    context.stroke();
  }
}

/** A path that goes from rank to rank every few pixels: a faint band where it is, which does not hide what lies below. */
function drawCrowdedPath(context, level, uprights) {
  context.fillStyle = colour("path");
  context.globalAlpha = 0.15;
  for (const [column, [top, bottom]] of uprights) context.fillRect(column - 0.5, top, 1, bottom - top);
  context.globalAlpha = 0.5;
  for (const [x, top, width] of level) context.fillRect(x, top, width, 1);
  context.globalAlpha = 1;
}

/** Calls that never returned, hatched up to the end of the run. */
function drawBlocked(context, timeline, place) {
  const { view, rows } = timeline, rankHeight = rows / (view.bottom - view.top);
  context.strokeStyle = colour("error");
  for (const [rank, { since, until }] of timeline.blocked) {
    const row = timeline.rowOf(rank);
    if (!timeline.isDrawn(rank) || row + 1 < view.top || row > view.bottom) continue;
    const from = Math.max(GUTTER, place(since)), to = Math.min(20000, place(until)), top = AXIS + (row - view.top) * rankHeight;
    context.save();
    context.beginPath();
    context.rect(from, top, to - from, rankHeight);
    context.clip();
    context.lineWidth = 2;
    context.beginPath();
    const gap = Math.max(6, rankHeight / 2);
    for (let x = from - rankHeight; x < to; x += gap) { context.moveTo(x, top + rankHeight); context.lineTo(x + rankHeight, top); }
    context.stroke();
    context.restore();
    context.lineWidth = 1.5;
    context.strokeRect(from + 0.75, top + 1, Math.max(2, to - from - 1.5), Math.max(1, rankHeight - 2));
  }
}

/** The share of every category in all ranks, over the whole run. */
function overviewShares(run, levels, columns) {
  const level = levels.find(({ bins }) => bins >= columns) ?? levels.at(-1);
  if (!level) return null;
  const shares = new Float32Array(level.bins * CATEGORIES.length), rows = run.timeline.rows;
  // Very many rows are sampled: the overview is 38 pixels high.
  const stride = Math.max(1, Math.floor(rows * level.bins / 2e6));
  for (let row = 0; row < rows; row += stride) {
    for (let bin = 0; bin < level.bins; bin += 1) shares[bin * CATEGORIES.length + level.what[row * level.bins + bin]] += 1;
  }
  return { bins: level.bins, shares, rows: Math.ceil(rows / stride) };
}

/** Drawn once: a column of pixels for each bin. */
function overviewPicture({ bins, shares, rows }) {
  const picture = document.createElement("canvas"), high = OVERVIEW * 2;
  picture.width = bins, picture.height = high;
  const context = picture.getContext("2d");
  for (let category = 1; category < CATEGORIES.length; category += 1) {
    context.fillStyle = colour(CATEGORIES[category]);
    for (let bin = 0; bin < bins; bin += 1) {
      let below = 0;
      for (let other = 1; other < category; other += 1) below += shares[bin * CATEGORIES.length + other];
      const size = high * shares[bin * CATEGORIES.length + category] / rows;
      context.fillRect(bin, high - high * below / rows - size, 1, size);
    }
  }
  return picture;
}

function drawOverview(context, overview, timeline, top) {
  const { view, whole: own, longest: whole, width } = timeline, plot = width - GUTTER;
  if (overview) {
    overview.picture ??= overviewPicture(overview);
    context.drawImage(overview.picture, GUTTER, top, plot * own / whole, OVERVIEW);
  }
  const from = GUTTER + plot * Math.max(0, view.from / whole), to = GUTTER + plot * Math.min(1, view.to / whole);
  context.fillStyle = colour("paper");
  context.globalAlpha = 0.72;
  context.fillRect(GUTTER, top, from - GUTTER, OVERVIEW);
  context.fillRect(to, top, width - to, OVERVIEW);
  context.globalAlpha = 1;
  context.strokeStyle = colour("ink");
  context.lineWidth = 1.5;
  context.strokeRect(from + 0.75, top + 0.75, Math.max(2, to - from - 1.5), OVERVIEW - 1.5);
  context.fillStyle = colour("soft");
  context.textAlign = "left";
  context.font = canvasFont(12);
  context.fillText("whole run", 2, top + OVERVIEW / 2 + 4);
}
