// The call tree in the format of Cube 4 (https://www.scalasca.org): a tar file of an XML file and, for each metric, an index and its values.

/** Metrics, each with those that are parts of it: the name in the tree, the name that tools look for, the title, the type, the unit. */
const CUBE_METRICS = [
  { of: "time", unique: "time", title: "Time", type: "DOUBLE", unit: "sec", parts: [
    { of: "compute", unique: "computation", title: "Computation", type: "DOUBLE", unit: "sec" },
    { of: "mpi", unique: "mpi", title: "MPI", type: "DOUBLE", unit: "sec", parts: [{ of: "waiting", unique: "mpi_waiting", title: "Waiting", type: "DOUBLE", unit: "sec" }] },
  ] },
  { of: "calls", unique: "visits", title: "Visits", type: "UINT64", unit: "occ" },
  { of: "bytes", unique: "bytes", title: "Bytes", type: "UINT64", unit: "bytes" },
];
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" };
const TAR_BLOCK = 512;

/** The bytes of a Cube file of a call tree. */
function cubex(tree) {
  const nodes = [], numbered = (metrics) => metrics.filter(({ of }) => tree.root.sums[of] > 0)
    .map((metric) => ({ ...metric, id: count++, parts: numbered(metric.parts ?? []) }));
  let count = 0;
  // Indices count nodes in depth-first order, as ids do.
  const visit = (node) => { nodes.push(node); [...node.children.values()].forEach(visit); };
  visit(tree.root);
  const metrics = numbered(CUBE_METRICS), text = new TextEncoder();
  const files = [["anchor.xml", text.encode(cubeAnchor(tree, nodes, metrics))]];
  const store = (metric) => {
    const stored = nodes.flatMap((node, id) => node.own?.[metric.of].some((value) => value > 0) ? [id] : []);
    files.push([`${metric.id}.index`, cubeIndex(stored)], [`${metric.id}.data`, cubeData(stored.map((id) => nodes[id].own[metric.of]), metric.type, tree.ranks)]);
    metric.parts.forEach(store);
  };
  metrics.forEach(store);
  return tarOf(files);
}

function cubeAnchor(tree, nodes, metrics) {
  const regions = new Map(), ids = new Map(nodes.map((node, id) => [node, id]));
  const region = ({ name, kind }) => {
    const key = `${kind} ${name}`;
    if (!regions.has(key)) regions.set(key, { id: regions.size, name, kind });
    return regions.get(key).id;
  };
  const named = (node) => node.parent ? node : { name: tree.run.run?.program ?? "program", kind: "root" };
  const cnode = (node) => {
    const [, file, line] = node.line.match(/^(.*):(\d+)/) ?? [, "", "-1"];
    return `<cnode id="${ids.get(node)}" line="${line}" mod="${escapedXml(file)}" calleeId="${region(named(node))}">${[...node.children.values()].map(cnode).join("")}</cnode>`;
  };
  const calls = cnode(tree.root);
  return `<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.7">
<attr key="CUBE_CT_AGGR" value="SUM"/>
<attr key="Creator" value="mpirage ${escapedXml(tree.run.run?.mpirage_version ?? "")}"/>
<doc><mirrors></mirrors></doc>
<metrics title="Metric tree">${metrics.map(cubeMetric).join("")}</metrics>
<program title="Call tree">
${[...regions.values()].map(cubeRegion).join("\n")}
${calls}
</program>
<system title="System tree">${cubeSystem(tree)}</system>
</cube>
`;
}

function cubeMetric({ id, unique, title, type, unit, parts }) {
  return `<metric id="${id}" type="EXCLUSIVE"><disp_name>${title}</disp_name><uniq_name>${unique}</uniq_name><dtype>${type}</dtype><uom>${unit}</uom><url></url><descr></descr>${parts.map(cubeMetric).join("")}</metric>`;
}

function cubeRegion({ id, name, kind }) {
  const shown = escapedXml(name), paradigm = kind === "mpi" ? "mpi" : "user";
  return `<region id="${id}" mod="" begin="-1" end="-1"><name>${shown}</name><mangled_name>${shown}</mangled_name><paradigm>${paradigm}</paradigm><role>function</role><url></url><descr></descr></region>`;
}

/** The machine, its hosts and their ranks; values are stored in the order of locations, which is that of ranks. */
function cubeSystem(tree) {
  const { run } = tree, hosts = run.hosts ?? ["host"], ofRank = run.section("rank_host"), byHost = hosts.map(() => []);
  for (let rank = 0; rank < tree.ranks; rank += 1) byHost[tree.hasRanks ? ofRank?.[rank] ?? 0 : 0].push(rank);
  const rankXml = (rank) => {
    const name = tree.hasRanks ? `MPI Rank ${rank}` : "all ranks";
    return `<locationgroup Id="${rank}"><name>${name}</name><rank>${rank}</rank><type>process</type><location Id="${rank}"><name>Main thread</name><rank>0</rank><type>thread</type></location></locationgroup>`;
  };
  const hostXml = (name, at) => `<systemtreenode Id="${at + 1}"><name>${escapedXml(name)}</name><class>node</class><descr></descr>${byHost[at].map(rankXml).join("")}</systemtreenode>`;
  return `<systemtreenode Id="0"><name>${escapedXml(run.run?.platform ?? "machine")}</name><class>machine</class><descr></descr>${hosts.map(hostXml).join("")}</systemtreenode>`;
}

function cubeIndex(stored) {
  const bytes = new Uint8Array(22 + 4 * stored.length), view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("CUBEX.INDEX"));
  // The byte order, the version, the form (a list of nodes), how many there are, and the nodes.
  view.setUint32(11, 1, true);
  bytes[17] = 1;
  view.setUint32(18, stored.length, true);
  stored.forEach((id, at) => view.setUint32(22 + 4 * at, id, true));
  return bytes;
}

/** The values of each stored node, for all ranks. */
function cubeData(values, type, ranks) {
  const bytes = new Uint8Array(10 + 8 * ranks * values.length), view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("CUBEX.DATA"));
  values.forEach((ofNode, node) => ofNode.forEach((value, rank) => {
    const at = 10 + 8 * (node * ranks + rank);
    if (type === "UINT64") view.setBigUint64(at, BigInt(Math.round(value)), true);
    else view.setFloat64(at, value, true);
  }));
  return bytes;
}

function escapedXml(text) {
  return String(text).replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

/** A tar file (ustar) of `[name, bytes]`. */
function tarOf(files) {
  const blocks = files.flatMap(([name, bytes]) => [tarHeader(name, bytes.length), bytes, new Uint8Array(-bytes.length & TAR_BLOCK - 1)]);
  return new Blob([...blocks, new Uint8Array(2 * TAR_BLOCK)], { type: "application/x-tar" });
}

function tarHeader(name, length) {
  const header = new Uint8Array(TAR_BLOCK), text = new TextEncoder();
  const octal = (value, digits) => `${value.toString(8).padStart(digits, "0")}\0`;
  const put = (at, field) => header.set(text.encode(field), at);
  put(0, name);
  put(100, octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(length, 11) + octal(0, 11));
  put(148, "        0");
  put(257, "ustar\x0000");
  put(148, `${octal(sumOf([...header]), 6)} `);
  return header;
}
