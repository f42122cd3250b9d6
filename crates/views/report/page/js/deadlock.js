// Who waits for whom in a run that does not go on: ranks as circles, an arrow to each rank that is waited for.

/** Ranks that are drawn, at most. */
const MOST_WAITING = 48;
const NODE_RADIUS = 17;

/** The graph of a deadlock; none if the run ended otherwise. */
function waitForGraph(run) {
  const deadlock = run.run?.deadlock;
  if (!deadlock?.blocked?.length) return null;
  const graph = waitForEdges(deadlock), places = waitForLayout(graph);
  const note = deadlock.cycle ? `Ranks ${cycleText(deadlock.cycle)} wait for each other in a cycle.` : "There is no cycle: at least one rank waits for what no rank will do.";
  const hidden = deadlock.blocked_ranks - graph.nodes.filter(({ blocked }) => blocked).length;
  return figure("Who waits for whom", {
    name: "wait-for", note: `${note}${hidden > 0 ? ` ${plural(hidden, "blocked rank")} ${hidden === 1 ? "is" : "are"} not drawn.` : ""}`,
    csv: () => [["rank", "waits_for", "why"], ...graph.edges.map(({ from, to, why }) => [from, to, why])],
  }, drawWaitFor(run, graph, places));
}

function cycleText(cycle) {
  const shown = cycle.length > 8 ? [...cycle.slice(0, 7), "…"] : cycle;
  return [...shown, cycle[0]].join(" → ");
}

/** Nodes `{ rank, blocked, call }`, those of the cycle first, and edges `{ from, to, why, inCycle }`. */
function waitForEdges({ blocked, cycle }) {
  const calls = new Map(blocked.map((call) => [call.rank, call])), ring = cycle ?? [];
  const chosen = new Set(ring.slice(0, MOST_WAITING));
  for (const { rank } of blocked) if (chosen.size < MOST_WAITING) chosen.add(rank);
  const edges = [];
  for (const from of [...chosen]) {
    for (const { to, why } of awaitedRanks(calls.get(from), calls)) {
      if (!chosen.has(to) && (calls.has(to) || chosen.size >= 2 * MOST_WAITING)) continue;
      chosen.add(to);
      const place = ring.indexOf(from);
      edges.push({ from, to, why, inCycle: place >= 0 && ring[(place + 1) % ring.length] === to });
    }
  }
  return { ring, edges, nodes: [...chosen].map((rank) => ({ rank, blocked: calls.has(rank), call: calls.get(rank) })) };
}

/** The ranks that a blocked call waits for; of a collective a few of those that are missing, first those that are not blocked. */
function awaitedRanks(call, calls) {
  const found = (call?.waits_for ?? []).flatMap((awaited) => {
    if (awaited.kind === "collective") return [...awaited.missing].sort((a, b) => calls.has(a) - calls.has(b) || a - b).slice(0, 3).map((to) => ({ to, why: `has not called ${awaited.function}` }));
    if (awaited.kind === "lock") return awaited.holders.map((to) => ({ to, why: "holds the lock" }));
    if (awaited.peer == null) return [];
    const tag = awaited.tag == null ? "any tag" : `tag ${awaited.tag}`;
    return [{ to: awaited.peer, why: awaited.kind === "receive" ? `has not posted a receive (${tag})` : `has not sent a message (${tag})` }];
  });
  return found.filter(({ to }, at) => found.findIndex((other) => other.to === to) === at);
}

/** The cycle in the middle, all others around it; without a cycle all around the middle. */
function waitForLayout({ nodes, ring }) {
  const inner = nodes.filter(({ rank }) => ring.includes(rank)), outer = nodes.filter(({ rank }) => !ring.includes(rank)), at = new Map();
  const radiusOf = (count, least) => Math.max(least, count * (2 * NODE_RADIUS + 26) / (2 * Math.PI));
  const within = inner.length > 1 ? radiusOf(inner.length, 55) : 0;
  const around = outer.length ? Math.max(radiusOf(outer.length, 60), within + 95) : within;
  const put = (list, radius) => list.forEach(({ rank }, place) => {
    const turn = 2 * Math.PI * place / list.length;
    at.set(rank, { x: radius * Math.sin(turn), y: -radius * Math.cos(turn) });
  });
  put(inner, within);
  put(outer, around);
  return { at, size: around + NODE_RADIUS + 12 };
}

function drawWaitFor(run, { nodes, edges }, { at, size }) {
  const marker = (id, colour) => svg("marker", { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
    svg("path", { d: "M0 0 L10 5 L0 10 z", fill: colour }));
  const picture = svg("svg", { class: "plot wait-for", viewBox: `${-size} ${-size} ${2 * size} ${2 * size}`, role: "img", style: `max-height:${Math.min(560, 2.2 * size)}px`,
    "aria-label": `Wait-for graph of ${plural(nodes.length, "rank")}` },
  svg("defs", {}, marker("arrow", "var(--soft)"), marker("arrow-cycle", "var(--error)")),
  edges.map((edge) => waitForArrow(edge, at)), nodes.map((node) => waitForNode(run, node, at.get(node.rank))));
  return picture;
}

function waitForArrow({ from, to, why, inCycle }, at) {
  const [a, b] = [at.get(from), at.get(to)], text = svg("title", {}, `Rank ${from} waits: rank ${to} ${why}`);
  const style = { class: inCycle ? "edge cycle" : "edge", "marker-end": `url(#${inCycle ? "arrow-cycle" : "arrow"})` };
  if (from === to) {
    const d = `M${a.x + 8} ${a.y - NODE_RADIUS} C${a.x + 44} ${a.y - 56} ${a.x - 44} ${a.y - 56} ${a.x - 8} ${a.y - NODE_RADIUS - 2}`;
    return svg("path", { ...style, d }, text);
  }
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1, [x, y] = [(b.x - a.x) / length, (b.y - a.y) / length];
  // A little bent, so that two ranks that wait for each other have two arrows.
  const bend = 0.12 * length, middle = { x: (a.x + b.x) / 2 + y * bend, y: (a.y + b.y) / 2 - x * bend };
  const gap = NODE_RADIUS + 2, d = `M${a.x + x * gap} ${a.y + y * gap} Q${middle.x} ${middle.y} ${b.x - x * (gap + 3)} ${b.y - y * (gap + 3)}`;
  return svg("path", { ...style, d }, text);
}

function waitForNode(run, { rank, blocked, call }, { x, y }) {
  const about = blocked ? `Rank ${rank} is blocked in ${call.call}${call.source?.line ? ` (${call.source.file?.replace(/^.*\//, "")}:${call.source.line})` : ""}` : `Rank ${rank} is not blocked`;
  const node = svg("g", { class: blocked ? "node blocked" : "node", tabindex: 0, role: "button", "aria-label": about },
    svg("circle", { cx: x, cy: y, r: NODE_RADIUS }), svg("text", { x, y: y + 4.5, "text-anchor": "middle" }, String(rank)), svg("title", {}, about));
  node.addEventListener("click", () => run.showRank?.(rank));
  return node;
}
