// Where the parts of a machine are drawn: each kind of network in its natural shape. Positions are in 0..1 × 0..1.

/** `{ x, y }` arrays for the nodes of a topology. */
function layoutOf(topology) {
  const { nodes } = topology;
  if (nodes.x?.length && nodes.y?.length) return { x: nodes.x, y: nodes.y };
  const levels = Math.max(...nodes.level, 0);
  if (topology.kind === "torus" && topology.dimensions) return torusLayout(topology);
  if (topology.kind === "dragonfly" || topology.kind === "dragonfly_plus") return groupRing(nodes);
  if (topology.kind === "full" || levels === 0) return ring(nodes);
  if (topology.kind === "cluster" && levels === 1) return star(nodes);
  return layers(nodes, levels);
}

function positions(nodes) {
  return { x: new Float64Array(nodes.name.length), y: new Float64Array(nodes.name.length) };
}

function ring(nodes) {
  const at = positions(nodes), count = nodes.name.length;
  for (let node = 0; node < count; node += 1) putOnCircle(at, node, node / count, 0.46);
  return at;
}

function putOnCircle(at, node, turn, radius, x = 0.5, y = 0.5) {
  at.x[node] = x + radius * Math.sin(2 * Math.PI * turn);
  at.y[node] = y - radius * Math.cos(2 * Math.PI * turn);
}

/** Hosts around their switches. */
function star(nodes) {
  const at = positions(nodes), hosts = nodesAtLevel(nodes, 0), switches = nodesAtLevel(nodes, 1);
  hosts.forEach((node, place) => putOnCircle(at, node, place / hosts.length, 0.46));
  switches.forEach((node, place) => putOnCircle(at, node, place / switches.length, switches.length > 1 ? 0.12 : 0));
  return at;
}

function nodesAtLevel(nodes, level) {
  return nodes.level.map((_, node) => node).filter((node) => nodes.level[node] === level);
}

/** Levels above one another, members of a group together, hosts at the bottom. */
function layers(nodes, levels) {
  const at = positions(nodes);
  for (let level = 0; level <= levels; level += 1) {
    const members = nodesAtLevel(nodes, level).sort((a, b) => nodes.group[a] - nodes.group[b] || a - b);
    members.forEach((node, place) => {
      at.x[node] = (place + 0.5) / members.length;
      at.y[node] = 0.96 - 0.92 * level / levels;
    });
  }
  return at;
}

/** Groups around a ring, routers around each group's own, hosts outside them. */
function groupRing(nodes) {
  const at = { ...positions(nodes), groups: [] }, groups = Math.max(...nodes.group) + 1;
  for (let group = 0; group < groups; group += 1) {
    const turn = group / groups, x = 0.5 + 0.36 * Math.sin(2 * Math.PI * turn), y = 0.5 - 0.36 * Math.cos(2 * Math.PI * turn);
    const room = Math.min(0.12, 0.36 * Math.sin(Math.PI / Math.max(2, groups)));
    at.groups.push({ x, y, radius: room * 0.92 });
    for (const [level, radius] of [[2, room * 0.26], [1, room * 0.5], [0, room * 0.78]]) {
      const members = nodesAtLevel(nodes, level).filter((node) => nodes.group[node] === group);
      members.forEach((node, place) => putOnCircle(at, node, turn + (place + 0.5) / members.length, radius, x, y));
    }
  }
  return at;
}

/** A ring, a grid, or for three and more dimensions planes beside one another. */
function torusLayout({ nodes, dimensions }) {
  const at = positions(nodes), place = torusPlaces(nodes, dimensions);
  if (dimensions.length === 1) return ring(nodes);
  const [rows, columns] = dimensions.slice(-2), planes = dimensions.slice(0, -2).reduce((a, b) => a * b, 1);
  const across = planesAcross(planes, rows, columns), down = Math.ceil(planes / across);
  place.forEach((coordinates, node) => {
    const plane = coordinates.slice(0, -2).reduce((sum, value, axis) => sum * dimensions[axis] + value, 0);
    const [row, column] = coordinates.slice(-2);
    at.x[node] = (plane % across + (column + 0.75) / (columns + 0.5)) / across;
    at.y[node] = (Math.floor(plane / across) + (row + 0.75) / (rows + 0.5)) / down;
  });
  return at;
}

/** How many planes beside one another leave the least room empty, in a drawing three times as wide as high. */
function planesAcross(planes, rows, columns) {
  const scale = (across) => Math.min(3 / (across * (columns + 1)), 1 / (Math.ceil(planes / across) * (rows + 1)));
  let best = 1;
  for (let across = 2; across <= planes; across += 1) if (scale(across) > scale(best) * 1.001) best = across;
  return best;
}

/** Coordinates of the nodes of a torus; their group is the position in row-major order. */
function torusPlaces(nodes, dimensions) {
  return nodes.group.map((position) => {
    const coordinates = [];
    for (const size of [...dimensions].reverse()) { coordinates.unshift(position % size); position = Math.floor(position / size); }
    return coordinates;
  });
}

/** Whether an edge wraps around a torus or connects two planes: only the ends of such an edge are drawn. */
function wraps(topology, from, to, places) {
  if (!places || places.length < 1) return false;
  const a = places[from], b = places[to], last = a.length - 1;
  return a.some((value, axis) => value !== b[axis] && (Math.abs(value - b[axis]) > 1 || axis < last - 1));
}
