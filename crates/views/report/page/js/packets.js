// The packets of a run: the fullest queues over time with drops and retransmissions, and the worst links.

const QUEUES_AT_FIRST = 16, QUEUE_HEIGHT = 18, MISSING_HEIGHT = 46;

/** Figures of a packet-level network; nothing for other models. */
function packetFigures(run) {
  if (!run.packets?.queues?.names?.length) return null;
  return el("div", {}, queuesFigure(run), worstLinksFigure(run));
}

/** A row per queue, time from left to right, waiting bytes as colour, drops as marks; below, what was missing and sent again. */
function queuesFigure(run) {
  const { packets } = run, { queues, bins } = packets;
  const waiting = run.section("queue_waiting"), missing = run.section("queue_missing"), shown = Math.min(queues.names.length, QUEUES_AT_FIRST);
  const all = [["dropped or lost", "error", run.section("missing")], ["sent again", "p2p", run.section("retransmissions")]];
  const fullest = Math.max(1, ...queues.most_waiting), below = 20 + shown * QUEUE_HEIGHT;
  const { canvas } = liveCanvas("Bytes that wait in the fullest queues over time, frames that are missing, and retransmissions", below + all.length * MISSING_HEIGHT + 26, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    drawQueues(context, width, packets, shown, { waiting, missing, fullest });
    all.forEach(([name, ink, counts], at) => drawCounts(context, width, below + at * MISSING_HEIGHT, name, ink, counts));
    drawTimes(context, width, below + all.length * MISSING_HEIGHT, packets);
  });
  canvas.addEventListener("pointermove", (event) => {
    const queue = Math.floor((event.offsetY - 20) / QUEUE_HEIGHT), bin = Math.floor((event.offsetX - LINK_LEFT) / (canvas.clientWidth - LINK_LEFT - LINK_RIGHT) * bins);
    if (queue < 0 || bin < 0 || bin >= bins) return hideTooltip();
    const times = [["from", formatTime(bin * packets.bin_seconds)], ["to", formatTime((bin + 1) * packets.bin_seconds)]];
    const counts = all.map(([name, , counted]) => [name, formatCount(counted[bin])]);
    if (queue >= shown) showTooltip(event.clientX, event.clientY, "All links", [...times, ...counts]);
    else showTooltip(event.clientX, event.clientY, queues.names[queue], [...times,
      ["waiting at the most", formatBytes(waiting[queue * bins + bin])], ["dropped or lost", formatCount(missing[queue * bins + bin])]]);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  const title = shown < packets.links ? `The ${shown} fullest queues` : "Queues";
  return figure(title, {
    name: "queues", note: `Bytes that wait in front of a link; the darkest colour is ${formatBytes(fullest)}. Marks are frames that were dropped or lost.`,
    csv: () => [["link", "from_seconds", "waiting_bytes", "dropped_or_lost"], ...queues.names.flatMap((name, queue) => Array.from({ length: bins }, (_, bin) =>
      [name, bin * packets.bin_seconds, waiting[queue * bins + bin], missing[queue * bins + bin]]))],
  }, canvas, scaleLegend("load", "empty", "fullest"));
}

function drawQueues(context, width, { bins, queues }, shown, { waiting, missing, fullest }) {
  const plot = width - LINK_LEFT - LINK_RIGHT, image = new ImageData(bins, shown);
  for (let at = 0; at < shown * bins; at += 1) image.data.set([...scaleColour("load", waiting[at] / fullest), 255], at * 4);
  const small = document.createElement("canvas");
  small.width = bins, small.height = shown;
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, LINK_LEFT, 20, plot, shown * QUEUE_HEIGHT);
  context.font = canvasFont(12);
  for (let queue = 0; queue < shown; queue += 1) {
    const y = 20 + queue * QUEUE_HEIGHT;
    context.fillStyle = colour("paper");
    context.fillRect(LINK_LEFT, y, plot, 1.5);
    for (let bin = 0; bin < bins; bin += 1) {
      if (missing[queue * bins + bin] > 0) dropMark(context, LINK_LEFT + plot * (bin + 0.5) / bins, y + QUEUE_HEIGHT / 2);
    }
    context.fillStyle = colour("ink");
    context.textAlign = "right";
    context.fillText(clipped(context, queues.names[queue], LINK_LEFT - 14), LINK_LEFT - 8, y + 13);
    context.fillText(formatBytes(queues.most_waiting[queue]), LINK_LEFT + plot + 66, y + 13);
    context.fillText(formatCount(queues.dropped[queue] + queues.lost[queue]), width - 4, y + 13);
  }
  context.fillStyle = colour("soft");
  context.textAlign = "right";
  context.fillText("at the most", LINK_LEFT + plot + 66, 14);
  context.fillText("missing", width - 4, 14);
}

/** A cross that is seen on every colour of the scale. */
function dropMark(context, x, y) {
  for (const [ink, thick] of [[colour("paper"), 3.5], [colour("error"), 1.5]]) {
    context.strokeStyle = ink;
    context.lineWidth = thick;
    context.beginPath();
    context.moveTo(x - 3, y - 3);
    context.lineTo(x + 3, y + 3);
    context.moveTo(x - 3, y + 3);
    context.lineTo(x + 3, y - 3);
    context.stroke();
  }
}

/** Counts of frames over time, as bars with their own scale. */
function drawCounts(context, width, top, name, ink, counts) {
  const plot = width - LINK_LEFT - LINK_RIGHT, bottom = top + MISSING_HEIGHT, room = MISSING_HEIGHT - 10;
  const most = counts.reduce((largest, count) => Math.max(largest, count), 0), sum = counts.reduce((all, count) => all + count, 0);
  context.fillStyle = colour("strong-line");
  context.fillRect(LINK_LEFT, bottom, plot, 1);
  context.fillStyle = colour(ink);
  counts.forEach((count, bin) => {
    const tall = most ? room * count / most : 0;
    if (count) context.fillRect(LINK_LEFT + plot * bin / counts.length, bottom - tall, Math.max(1, plot / counts.length), tall);
  });
  context.fillStyle = colour("ink");
  context.textAlign = "right";
  context.fillText(name, LINK_LEFT - 8, bottom - 4);
  context.fillText(formatCount(sum), width - 4, bottom - 4);
  context.fillStyle = colour("soft");
  context.fillText(most ? `≤ ${formatCount(most)}` : "none", LINK_LEFT + plot + 66, bottom - 4);
}

function drawTimes(context, width, y, { bins, bin_seconds }) {
  const plot = width - LINK_LEFT - LINK_RIGHT, end = bins * bin_seconds, step = niceStep(end, plot / 130);
  context.fillStyle = colour("soft");
  context.textAlign = "center";
  for (let tick = 0; tick <= end * 1.0001; tick += step) {
    const x = LINK_LEFT + plot * tick / end;
    context.fillRect(x, y, 1, 4);
    context.fillText(formatTick(tick, step, end), x, y + 17);
  }
}

function worstLinksFigure({ packets }) {
  const { queues } = packets, columns = ["names", "bandwidth", "frames", "bytes", "dropped", "lost", "marked", "most_waiting"];
  const rows = queues.names.map((_, at) => Object.fromEntries(columns.map((column) => [column, queues[column][at]])));
  rows.forEach((row) => { row.missing = (row.dropped + row.lost) / Math.max(1, row.frames + row.dropped); });
  const number = (key, title, show = formatCount) => ({ key, title, number: true, show });
  const counts = [[packets.retransmissions, "retransmission"], [packets.timeouts, "timeout"]].map(([count, name]) => plural(count, name)).join(", ");
  return figure("The worst links", {
    name: "worst-links", note: `${plural(packets.connections, "connection")}, ${plural(packets.segments, "segment")}, ${counts}.`,
    csv: () => [columns, ...rows.map((row) => columns.map((column) => row[column]))],
  }, sortableTable("Links with full queues, drops or losses", [
    { key: "names", title: "Link" }, number("bandwidth", "Bandwidth", (value) => `${formatBytes(value)}/s`), number("frames", "Frames"), number("bytes", "Bytes", formatBytes),
    number("most_waiting", "Waiting at the most", formatBytes), number("dropped", "Dropped"), number("lost", "Lost"), number("missing", "Missing", formatPercent), number("marked", "Marked"),
  ], rows, packets.missing ? "missing" : "most_waiting"));
}
