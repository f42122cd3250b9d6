// Messages by sender and receiver, messages by size, and calls by source line.

function communicationPanel(run) {
  return el("div", {},
    el("div", { class: "columns" }, matrixFigure(run), sizesFigure(run)),
    callSites(run), collectives(run));
}

const MATRIX_LEFT = 52, MATRIX_BOTTOM = 36, LARGEST_MATRIX = 520;

/** Bytes or messages from each rank (row) to each (column), on a logarithmic scale. */
function matrixFigure(run) {
  const values = { bytes: run.section("matrix_bytes"), messages: run.section("matrix_messages") };
  if (!run.matrix || !values.bytes) return null;
  const { cells, ranks_per_cell: group } = run.matrix, ranks = run.run?.ranks ?? cells * group;
  const show = { bytes: formatBytes, messages: (value) => plural(value, "message") };
  let unit = "bytes";
  const legend = el("div");
  const side = (width) => Math.min(width - MATRIX_LEFT, LARGEST_MATRIX - MATRIX_BOTTOM);
  const { canvas, redraw } = liveCanvas("Communication matrix: rows send, columns receive", LARGEST_MATRIX, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    drawMatrix(context, side(width), values[unit], cells, group);
  });
  const limits = () => {
    const range = rangeOf(values[unit]);
    legend.replaceChildren(range ? matrixLegend(range, show[unit]) : el("p", { class: "note" }, "No messages."));
    redraw();
  };
  canvas.addEventListener("pointermove", (event) => {
    const size = side(canvas.clientWidth), to = Math.floor((event.offsetX - MATRIX_LEFT) / size * cells), from = Math.floor(event.offsetY / size * cells);
    if (to < 0 || to >= cells || from < 0 || from >= cells) return hideTooltip();
    const at = from * cells + to;
    showTooltip(event.clientX, event.clientY, `${cellName(from, group, ranks)} → ${cellName(to, group, ranks)}`,
      [["bytes", `${formatBytes(values.bytes[at])}`], ["messages", formatCount(values.messages?.[at] ?? 0)]]);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  limits();
  return figure("Who sends to whom", {
    name: "matrix", note: group > 1 ? `Each cell stands for ${group} × ${group} ranks.` : "Rows send, columns receive.",
    controls: [choice("What the colour shows", [["bytes", "Bytes"], ["messages", "Messages"]], unit, (chosen) => { unit = chosen; limits(); })],
    csv: () => matrixCsv(values, cells, group),
  }, canvas, legend);
}

function matrixLegend({ least, most }, show) {
  if (least === most) return el("p", { class: "note" }, `Every coloured cell: ${show(most)}.`);
  return scaleLegend("heat", show(least), `${show(most)} (logarithmic)`);
}

function cellName(cell, group, ranks) {
  return group === 1 ? `rank ${cell}` : `ranks ${cell * group} to ${Math.min(ranks, (cell + 1) * group) - 1}`;
}

function rangeOf(values) {
  let least = Infinity, most = 0;
  for (const value of values) {
    if (value > 0 && value < least) least = value;
    if (value > most) most = value;
  }
  return most > 0 ? { least, most } : null;
}

function drawMatrix(context, size, values, cells, group, axes = ["sender", "receiver"]) {
  const range = rangeOf(values), image = new ImageData(cells, cells), paper = rgb(colour("raised"));
  const wide = range ? Math.log(range.most / range.least) : 0;
  const shades = Array.from({ length: 256 }, (_, at) => scaleColour("heat", 0.15 + 0.85 * at / 255));
  values.forEach((value, at) => {
    const shade = value > 0 ? shades[Math.round(255 * (wide ? Math.log(value / range.least) / wide : 0.7))] : paper;
    image.data.set([...shade, 255], at * 4);
  });
  const small = document.createElement("canvas");
  small.width = small.height = cells;
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, MATRIX_LEFT, 0, size, size);
  context.strokeStyle = colour("strong-line");
  context.strokeRect(MATRIX_LEFT + 0.5, 0.5, size - 1, size - 1);
  matrixTicks(context, size, cells, group, axes);
}

function matrixTicks(context, size, cells, group, [row, column]) {
  context.font = canvasFont(12);
  context.fillStyle = colour("soft");
  const step = Math.max(1, niceStep(cells, Math.min(8, cells)));
  for (let cell = 0; cell < cells; cell += step) {
    const middle = (cell + 0.5) / cells * size;
    context.textAlign = "right";
    context.fillText(String(cell * group), MATRIX_LEFT - 6, middle + 4);
    context.textAlign = "center";
    context.fillText(String(cell * group), MATRIX_LEFT + middle, size + 15);
  }
  context.fillText(column, MATRIX_LEFT + size / 2, size + 31);
  context.save();
  context.translate(11, size / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(row, 0, 0);
  context.restore();
}

function matrixCsv(values, cells, group) {
  const rows = [["from_rank", "to_rank", "bytes", "messages"]];
  values.bytes.forEach((bytes, at) => {
    if (bytes || values.messages?.[at]) rows.push([Math.floor(at / cells) * group, at % cells * group, bytes, values.messages?.[at]]);
  });
  return rows;
}

/** Messages by size, in classes that double. */
function sizesFigure(run) {
  const { sizes } = run;
  if (!sizes?.from?.length) return null;
  let unit = "messages";
  const used = sizes.from.map((_, at) => at).filter((at) => sizes.messages[at] > 0);
  const first = Math.max(0, (used[0] ?? 0) - 1), end = Math.min(sizes.from.length, (used.at(-1) ?? 0) + 2);
  const { canvas, redraw } = liveCanvas("Histogram of message sizes", 320, (context, width, height) =>
    drawSizes(context, width, height, sizes, unit, first, end));
  canvas.addEventListener("pointermove", (event) => {
    const at = first + Math.floor((event.offsetX - 70) / sizeStep(canvas.clientWidth, end - first));
    if (at < first || at >= end) return hideTooltip();
    showTooltip(event.clientX, event.clientY, sizeClass(sizes, at), [
      ["messages", formatCount(sizes.messages[at])], ["bytes", formatBytes(sizes.bytes[at])],
      ["of these in collectives", `${formatCount(sizes.collective_messages?.[at] ?? 0)}, ${formatBytes(sizes.collective_bytes?.[at] ?? 0)}`]]);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  return figure("How large messages are", {
    name: "message-sizes", controls: [choice("What the height shows", [["messages", "Messages"], ["bytes", "Bytes"]], unit, (chosen) => { unit = chosen; redraw(); })],
    csv: () => csvOfColumns(sizes),
  }, canvas, el("ul", { class: "legend" },
    el("li", {}, swatch("var(--p2p)"), "point to point"), el("li", {}, swatch("var(--collective)"), "inside collectives")));
}

function sizeClass(sizes, at) {
  const from = sizes.from[at], next = sizes.from[at + 1];
  return next == null || next === from + 1 ? formatBytes(from) : `${formatBytes(from)} to ${formatBytes(next - 1)}`;
}

/** The width of a class: a few of them do not fill the plot. */
function sizeStep(width, classes) {
  return Math.min(90, (width - 70) / classes);
}

function drawSizes(context, width, height, sizes, unit, first, end) {
  const left = 70, bottom = 40, room = height - bottom - 8, step = sizeStep(width, end - first);
  const inside = sizes[`collective_${unit}`] ?? [], most = Math.max(...sizes[unit], 1), show = unit === "bytes" ? formatBytes : formatCount;
  context.clearRect(0, 0, width, height);
  context.font = canvasFont(12);
  const tick = unit === "bytes" ? 2 ** Math.ceil(Math.log2(most / 4)) : Math.max(1, niceStep(most, 6));
  for (let value = 0; value <= most * 1.0001; value += tick) {
    const y = Math.round(8 + room * (1 - value / most));
    context.fillStyle = colour("line");
    context.fillRect(left, y, width - left, 1);
    context.fillStyle = colour("soft");
    context.textAlign = "right";
    context.fillText(show(value), left - 6, y + 4);
  }
  for (let at = first; at < end; at += 1) {
    const x = left + (at - first) * step, collective = inside[at] ?? 0, own = sizes[unit][at] - collective;
    let y = 8 + room;
    for (const [value, name] of [[own, "p2p"], [collective, "collective"]]) {
      const size = value > 0 ? Math.max(1, room * value / most) : 0;
      context.fillStyle = colour(name);
      context.fillRect(x + step * 0.1, y - size, step * 0.8, size);
      y -= size;
    }
  }
  context.fillStyle = colour("soft");
  context.textAlign = "center";
  const every = Math.ceil(58 / step);
  for (let at = first; at < end; at += every) context.fillText(formatBytes(sizes.from[at]).replace(".0 ", " "), left + (at - first + 0.5) * step, height - 24);
  context.fillText("size of a message, at least", left + (width - left) / 2, height - 6);
}

function callSites(run) {
  const table = run.calls_table;
  if (!table?.function?.length) return null;
  const total = table.seconds.reduce((sum, value) => sum + value, 0) || 1;
  const rows = rowsOfColumns(table, table.function.length).map((row) => ({
    ...row, name: run.functions[row.function], place: run.sites?.[row.site] || "", mean: row.calls ? row.seconds / row.calls : 0,
  }));
  return figure("Calls by place in the program", {
    name: "calls",
    csv: () => [["function", "source", "calls", "bytes", "seconds", "max_seconds"], ...rows.map((row) => [row.name, row.place, row.calls, row.bytes, row.seconds, row.max_seconds])],
  }, sortableTable("MPI calls by function and source line", [
    { key: "name", title: "Call", code: true }, { key: "place", title: "Source line", code: true, show: siteName },
    { key: "calls", title: "Calls", number: true, show: formatCount }, { key: "bytes", title: "Bytes", number: true, show: formatBytes },
    { key: "seconds", title: "Time, all ranks", number: true, show: formatTime }, { key: "mean", title: "Mean", number: true, show: formatTime },
    { key: "max_seconds", title: "Longest", number: true, show: formatTime },
    { key: "seconds", title: "Share of MPI time", show: (value) => [el("span", { class: "share", style: `width:${5 * value / total}rem` }), ` ${formatPercent(value / total)}`] },
  ], rows, "seconds"));
}

function collectives(run) {
  const table = run.collectives_table;
  if (!table?.function?.length) return null;
  const rows = rowsOfColumns(table, table.function.length).map((row) => ({
    ...row, name: run.functions[row.function], communicator: communicatorName(run.comms?.[row.comm]),
  }));
  return figure("Collectives and their algorithms", {
    name: "collectives",
    csv: () => [["function", "algorithm", "communicator", "calls", "bytes", "seconds"], ...rows.map((row) => [row.name, row.algorithm, row.communicator, row.calls, row.bytes, row.seconds])],
  }, sortableTable("Collectives", [
    { key: "name", title: "Call", code: true }, { key: "algorithm", title: "Algorithm" }, { key: "communicator", title: "Communicator" },
    { key: "calls", title: "Times", number: true, show: formatCount }, { key: "bytes", title: "Bytes", number: true, show: formatBytes },
    { key: "seconds", title: "Time, all ranks", number: true, show: formatTime },
  ], rows, "seconds"));
}

/** A source line without the folders of its file, which the pointer finds. */
function siteName(site) {
  return el("span", { title: site }, site ? site.replace(/^[^ ]*\//, "") : "–");
}

function communicatorName(comm) {
  return comm?.size ? `${comm.name || `number ${comm.id}`} (${plural(comm.size, "rank")})` : "–";
}
