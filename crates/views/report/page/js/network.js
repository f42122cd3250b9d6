// The network: the hottest links over time, and the machine with its load as colour.

function networkPanel(run) {
  // A circular drawing leaves room beside it.
  const beside = run.topology && isRound(run.topology);
  return el("div", {}, el("div", { class: beside ? "columns" : null }, topologyFigure(run), el("div", {}, linksFigure(run), beside ? classesFigure(run) : null)),
    beside ? null : classesFigure(run), packetFigures(run));
}

/** Whether a topology is drawn as a circle. */
function isRound({ kind, nodes, dimensions }) {
  return !nodes?.x?.length && (["cluster", "dragonfly", "dragonfly_plus", "full"].includes(kind) || (kind === "torus" && dimensions?.length === 1));
}

const LINKS_AT_FIRST = 24, LINK_HEIGHT = 18, LINK_LEFT = 200, LINK_RIGHT = 140;

/** A row per link, time from left to right, use as colour. */
function linksFigure(run) {
  const { links } = run, bytes = run.section("links_bytes");
  if (!links?.names?.length || !bytes) return null;
  const shown = Math.min(links.names.length, LINKS_AT_FIRST), { bins } = links;
  const use = (link, bin) => bytes[link * bins + bin] / (links.bandwidth[link] * links.bin_seconds);
  const means = links.names.map((_, link) => {
    let sum = 0, peak = 0;
    for (let bin = 0; bin < bins; bin += 1) { sum += use(link, bin); peak = Math.max(peak, use(link, bin)); }
    return { mean: sum / bins, peak };
  });
  const full = Math.max(...means.slice(0, shown).map(({ peak }) => peak)) || 1;
  const { canvas } = liveCanvas("Use of the hottest links over time", shown * LINK_HEIGHT + 44, (context, width, height) =>
    drawLinks(context, width, height, links, shown, (link, bin) => use(link, bin) / full, means));
  canvas.addEventListener("pointermove", (event) => {
    const link = Math.floor((event.offsetY - 20) / LINK_HEIGHT), bin = Math.floor((event.offsetX - LINK_LEFT) / (canvas.clientWidth - LINK_LEFT - LINK_RIGHT) * bins);
    if (link < 0 || link >= shown || bin < 0 || bin >= bins) return hideTooltip();
    showTooltip(event.clientX, event.clientY, links.names[link], [
      ["class", links.classes?.[links.class?.[link]]?.name ?? "–"], ["from", formatTime(bin * links.bin_seconds)], ["to", formatTime((bin + 1) * links.bin_seconds)],
      ["moved", formatBytes(bytes[link * bins + bin])], ["use", `${formatPercent(use(link, bin))} of ${formatBytes(links.bandwidth[link])}/s`]]);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  return figure(shown < links.names.length ? `The ${shown} hottest links` : "The hottest links", {
    name: "links", note: "A message’s bytes are taken to move evenly while it is under way; where its speed changed, a peak may be above 100 %.",
    csv: () => [["link", "class", "bandwidth", "bytes", "from_seconds", "bytes_in_bin"], ...links.names.flatMap((name, link) => Array.from({ length: bins }, (_, bin) =>
      [name, links.classes?.[links.class?.[link]]?.name, links.bandwidth[link], links.bytes?.[link], bin * links.bin_seconds, bytes[link * bins + bin]]))],
  }, canvas, scaleLegend("load", "unused", `${formatPercent(full)} of a link’s bandwidth, the most here`));
}

function drawLinks(context, width, height, links, shown, shareOf, means) {
  const plot = width - LINK_LEFT - LINK_RIGHT, { bins } = links, image = new ImageData(bins, shown);
  for (let link = 0; link < shown; link += 1) {
    for (let bin = 0; bin < bins; bin += 1) image.data.set([...scaleColour("load", shareOf(link, bin)), 255], (link * bins + bin) * 4);
  }
  const small = document.createElement("canvas");
  small.width = bins, small.height = shown;
  small.getContext("2d").putImageData(image, 0, 0);
  context.clearRect(0, 0, width, height);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, LINK_LEFT, 20, plot, shown * LINK_HEIGHT);
  context.font = canvasFont(12);
  for (let link = 0; link < shown; link += 1) {
    const y = 20 + link * LINK_HEIGHT;
    context.fillStyle = colour("paper");
    context.fillRect(LINK_LEFT, y, plot, 1.5);
    context.fillStyle = colour("ink");
    context.textAlign = "right";
    context.fillText(clipped(context, links.names[link], LINK_LEFT - 14), LINK_LEFT - 8, y + 13);
    context.fillText(formatPercent(means[link].mean), LINK_LEFT + plot + 66, y + 13);
    context.fillText(formatPercent(means[link].peak), width - 4, y + 13);
  }
  context.fillStyle = colour("soft");
  context.fillText("mean use", LINK_LEFT + plot + 66, 14);
  context.fillText("peak use", width - 4, 14);
  const end = bins * links.bin_seconds, step = niceStep(end, plot / 130);
  context.textAlign = "center";
  for (let tick = 0; tick <= end * 1.0001; tick += step) {
    const x = LINK_LEFT + plot * tick / end;
    context.fillRect(x, 20 + shown * LINK_HEIGHT, 1, 4);
    context.fillText(formatTick(tick, step, end), x, 20 + shown * LINK_HEIGHT + 17);
  }
}

function classesFigure(run) {
  const classes = run.links?.classes;
  if (!classes?.length) return null;
  const seconds = run.links.bins * run.links.bin_seconds;
  const rows = classes.map((row) => ({ ...row, use: row.bytes / (row.bandwidth * row.links * seconds) }));
  const bytes = run.section("class_bytes"), { bins } = run.links;
  return figure("All links by class", {
    name: "link-classes",
    csv: () => [["class", "links", "bandwidth", "bytes", "from_seconds", "bytes_in_bin"], ...classes.flatMap((row, at) => Array.from({ length: bins }, (_, bin) =>
      [row.name, row.links, row.bandwidth, row.bytes, bin * run.links.bin_seconds, bytes?.[at * bins + bin]]))],
  }, sortableTable("Links by class", [
    { key: "name", title: "Class" }, { key: "links", title: "Links", number: true, show: formatCount },
    { key: "bandwidth", title: "Bandwidth of each", number: true, show: (value) => `${formatBytes(value)}/s` },
    { key: "bytes", title: "Bytes", number: true, show: formatBytes }, { key: "use", title: "Mean use", number: true, show: formatPercent },
  ], rows, "bytes"));
}

/** Width and height of the drawing, in its own units. */
const DRAWINGS = { round: { width: 640, height: 440, margin: 26, left: 126 }, wide: { width: 1400, height: 460, margin: 26, left: 26 },
  graph: { width: 1400, height: 600, margin: 34, left: 130 } };

function drawingOf(topology) {
  return isRound(topology) ? DRAWINGS.round : topology.kind === "explicit" ? DRAWINGS.graph : DRAWINGS.wide;
}

function topologyFigure(run) {
  const { topology } = run;
  if (!topology?.nodes?.name?.length || !topology.edges?.from?.length) return null;
  const bytes = run.section("edges_bytes"), bins = run.links?.bins ?? 0, width = run.links?.bin_seconds ?? 0, { edges } = topology;
  const drawing = drawTopology(topology);
  const use = (edge, bin) => bytes && bins ? bytes[edge * bins + bin] / (edges.bandwidth[edge] * width) : 0;
  const mean = edges.from.map((_, edge) => {
    let sum = 0;
    for (let bin = 0; bin < bins; bin += 1) sum += use(edge, bin);
    return bins ? sum / bins : 0;
  });
  let bin = null;
  const loadOf = (edge) => bin == null ? mean[edge] : use(edge, bin);
  // One scale for the mean of the run, and one for all moments.
  const busiest = largest(mean), peak = largest(edges.from.map((_, edge) => largest(Array.from({ length: bins }, (_, at) => use(edge, at)))));
  const shareOf = (edge) => loadOf(edge) / ((bin == null ? busiest : peak) || 1), most = el("span", {});
  const names = el("div", { class: "busiest", "data-field": "busiest" }), output = el("output", {});
  const slider = el("input", { type: "range", min: 0, max: Math.max(0, bins - 1), value: 0, "aria-label": "Time at which the load is shown", input: () => at(Number(slider.value)) });
  const average = el("button", { type: "button", click: () => at(null) }, "Mean of the run");
  function at(chosen) {
    bin = chosen;
    average.setAttribute("aria-pressed", String(bin == null));
    output.textContent = bin == null ? "whole run" : `at ${formatTime((bin + 0.5) * width)}`;
    slider.setAttribute("aria-valuetext", output.textContent);
    most.textContent = bin == null ? `${formatPercent(busiest)} of the bandwidth: the busiest link` : `${formatPercent(peak)} of the bandwidth: the busiest moment of a link`;
    names.replaceChildren(...busiestLinks(topology, loadOf));
    drawing.paint(shareOf);
  }
  drawing.root.addEventListener("pointermove", (event) => {
    const edge = event.target.dataset?.edge, node = event.target.dataset?.node;
    if (edge != null) showTooltip(event.clientX, event.clientY, edges.name?.[edge] || betweenText(topology, edge), [
      ...(edges.name?.[edge] ? [["between", betweenText(topology, edge)]] : []), ["use", formatPercent(loadOf(edge))], ["mean of the run", formatPercent(mean[edge])], ["bandwidth", `${formatBytes(edges.bandwidth[edge])}/s`],
      ...(edges.links?.[edge] > 1 ? [["stands for", plural(edges.links[edge], "link")]] : [])]);
    else if (node != null) showTooltip(event.clientX, event.clientY, topology.nodes.name[node], []);
    else hideTooltip();
  });
  drawing.root.addEventListener("pointerleave", hideTooltip);
  onTheme(() => drawing.paint(shareOf));
  at(null);
  return figure(TOPOLOGY_NAMES[topology.kind] ?? "The network", {
    name: "topology", note: topology.text,
    csv: () => [["from", "to", ...(edges.name ? ["name"] : []), "links", "bandwidth", "mean_use", "bytes"], ...edges.from.map((from, edge) => [topology.nodes.name[from], topology.nodes.name[edges.to[edge]],
      ...(edges.name ? [edges.name[edge]] : []), edges.links?.[edge] ?? 1, edges.bandwidth[edge], mean[edge], mean[edge] * edges.bandwidth[edge] * width * bins])],
  }, drawing.root, bins ? el("div", { class: "slide" }, average, slider, output) : null, scaleLegend("load", "unused", most), bins ? names : null);
}

function largest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

const BUSIEST = 5, AS_BUSY = 0.99;

/** The names of the busiest links, the busiest first, with their use; and how many more are as busy. */
function busiestLinks(topology, loadOf) {
  const { edges } = topology, used = edges.from.map((_, edge) => edge).filter((edge) => loadOf(edge) > 0).sort((a, b) => loadOf(b) - loadOf(a) || a - b);
  const told = used.slice(0, BUSIEST).map((edge) => {
    const name = edges.name?.[edge], between = betweenText(topology, edge);
    return el("li", {}, el("b", {}, formatPercent(loadOf(edge))), ` ${name ? `${name}, ${between}` : between}`, edges.links?.[edge] > 1 ? ` (${plural(edges.links[edge], "link")})` : "");
  });
  const more = used.slice(BUSIEST).filter((edge) => loadOf(edge) >= AS_BUSY * loadOf(used[0])).length;
  return [el("h4", {}, "The busiest links"), told.length ? el("ol", {}, told) : el("p", {}, "No link is used."), more ? el("p", { class: "note" }, `${plural(more, "more is", "more are")} as busy.`) : null].filter(Boolean);
}

/** The nodes at the ends of an edge. */
function betweenText({ nodes, edges }, edge) {
  const from = nodes.name[edges.from[edge]], to = nodes.name[edges.to[edge]];
  return from === to ? `inside ${from}` : `${from} – ${to}`;
}

const TOPOLOGY_NAMES = {
  cluster: "The cluster", cabinets: "The cabinets", fat_tree: "The fat tree", torus: "The torus", dragonfly: "The dragonfly", dragonfly_plus: "The Dragonfly+", rails: "The rails", full: "The full mesh", explicit: "The network",
};

/** The drawing, and `paint(shareOf)` that colours its edges by their shares of the scale. */
function drawTopology(topology) {
  const { nodes, edges } = topology, at = layoutOf(topology), { width, height, margin, left } = drawingOf(topology);
  const wide = width - 2 * left;
  const x = (node) => left + at.x[node] * wide, y = (node) => margin + at.y[node] * (height - 2 * margin);
  const places = topology.kind === "torus" && topology.dimensions?.length > 1 ? torusPlaces(nodes, topology.dimensions) : null;
  const many = nodes.name.length > 150, thick = topology.kind === "torus" && many ? 2 : edges.from.length > 600 ? 0.8 : many ? 1.4 : 3;
  const lines = edges.from.map((from, edge) => {
    const to = edges.to[edge], links = edges.links?.[edge] ?? 1;
    // A link inside a switch is a ring around it.
    if (from === to) return svg("circle", { cx: x(from), cy: y(from), r: 12, fill: "none", "stroke-width": thick + 2, "data-edge": edge });
    return svg("path", {
      d: wraps(topology, from, to, places) ? stubs(x, y, from, to, places) : `M${x(from)} ${y(from)}L${x(to)} ${y(to)}`,
      fill: "none", "stroke-width": thick * Math.min(3, 1 + Math.log10(links)), "data-edge": edge, "stroke-linecap": "round",
    });
  });
  const dots = nodes.name.map((_, node) => svg("circle", {
    cx: x(node), cy: y(node), r: (many ? 1.8 : 4) + (many ? 1 : 2) * Math.min(2, nodes.level[node]), "data-node": node,
    fill: nodes.level[node] ? "var(--ink)" : "var(--paper)", stroke: "var(--ink)", "stroke-width": many ? 0.6 : 1.2,
  }));
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": `${TOPOLOGY_NAMES[topology.kind] ?? "The network"} with the load of its links as colour` },
    (at.groups ?? []).map((group) => svg("ellipse", { class: "group", cx: left + group.x * wide, cy: margin + group.y * (height - 2 * margin), rx: group.radius * wide, ry: group.radius * (height - 2 * margin) })),
    lines, dots, topologyNames(topology, x, y, width));
  const paint = (shareOf) => {
    lines.forEach((line, edge) => line.setAttribute("stroke", css(scaleColour("load", shareOf(edge)))));
  };
  return { root, paint };
}

/** Both ends of an edge that wraps around, each as a short line in its direction. */
function stubs(x, y, from, to, places) {
  const a = places[from], b = places[to], axis = a.findIndex((value, at) => value !== b[at]), last = a.length - 1;
  const forwards = Math.abs(a[axis] - b[axis]) > 1 ? a[axis] > b[axis] : a[axis] < b[axis];
  const length = 13, sign = forwards ? 1 : -1;
  const [dx, dy] = axis === last ? [length, 0] : axis === last - 1 ? [0, length] : [length * 0.7, -length * 0.7];
  return `M${x(from)} ${y(from)}l${sign * dx} ${sign * dy}M${x(to)} ${y(to)}l${-sign * dx} ${-sign * dy}`;
}

/** Names where there is room: switches of small machines, and hosts if they are few. */
function topologyNames(topology, x, y, width) {
  const { nodes, kind } = topology;
  if (kind === "explicit") return graphNames(topology, x, y, width);
  const hosts = nodes.level.filter((level) => level === 0).length;
  if (kind === "torus") return [];
  return nodes.name.map((name, node) => {
    const level = nodes.level[node], peers = nodes.level.filter((other) => other === level).length;
    if (level === 0 ? hosts > 32 || (kind !== "cluster" && kind !== "full" && hosts > 12) : peers > 12) return null;
    if (kind === "dragonfly" || kind === "dragonfly_plus") return null;
    const aside = level === 0 && (kind === "cluster" || kind === "full"), right = x(node) >= width / 2;
    return svg("text", { class: "name", x: x(node) + (aside ? (right ? 9 : -9) : 0), y: y(node) + (aside ? 4 : level ? -12 : 18), "text-anchor": aside ? (right ? "start" : "end") : "middle" }, name);
  }).filter(Boolean);
}

/** Names of hosts away from their neighbours, of junctions above them, and of the cables if they are few; a name that would cover another is left out. */
function graphNames({ nodes, edges }, x, y, width) {
  const taken = nodes.name.map((_, node) => ({ left: x(node) - 6, right: x(node) + 6, top: y(node) - 6, bottom: y(node) + 6 }));
  const shown = [];
  const put = (text, at, up, anchor, kind) => {
    const long = text.length * 6.6, left = anchor === "start" ? at : anchor === "end" ? at - long : at - long / 2;
    const box = { left, right: left + long, top: up - 10, bottom: up + 3 };
    if (box.left < 0 || box.right > width || taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom)) return false;
    taken.push(box);
    shown.push(svg("text", { class: kind, x: at, y: up, "text-anchor": anchor }, text));
    return true;
  };
  const neighbours = nodes.name.map(() => []);
  edges.from.forEach((from, edge) => { if (from !== edges.to[edge]) { neighbours[from].push(edges.to[edge]); neighbours[edges.to[edge]].push(from); } });
  const inner = (node) => nodes.level[node] ? 0 : 1;
  for (const node of nodes.name.map((_, at) => at).sort((a, b) => inner(a) - inner(b) || a - b)) {
    const mean = neighbours[node].reduce((sum, other) => sum + x(other), 0) / (neighbours[node].length || 1), name = nodes.name[node];
    const sides = x(node) >= mean ? ["start", "end"] : ["end", "start"];
    const beside = (anchor) => put(name, x(node) + (anchor === "start" ? 9 : -9), y(node) + 4, anchor, "name");
    if (nodes.level[node]) put(name, x(node), y(node) - 18, "middle", "name") || put(name, x(node), y(node) + 26, "middle", "name");
    else beside(sides[0]) || put(name, x(node), y(node) + 19, "middle", "name") || put(name, x(node), y(node) - 10, "middle", "name") || beside(sides[1]);
  }
  edges.from.forEach((from, edge) => {
    const to = edges.to[edge], name = edges.name?.[edge];
    const isCrowded = edges.from.length > 24 && !(nodes.level[from] && nodes.level[to]);
    if (!name || from === to || name.length > 28 || isCrowded) return;
    put(name, (x(from) + x(to)) / 2, (y(from) + y(to)) / 2 - 4, "middle", "name cable");
  });
  return shown;
}
