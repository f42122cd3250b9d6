// The panel of the call tree: a flame graph, the tree as a table, and how one node spreads over the ranks.

/** Parts of the graph that are narrower than this share are left out. */
const LEAST_SHARE = 0.0005;

function callTreePanel(run) {
  if (!run.paths) return null;
  const body = el("div", {}, el("p", { class: "note" }, "Computing the tree…"));
  // After the panels that need no computation.
  setTimeout(() => body.replaceChildren(new CallTreeView(new CallTree(run)).element));
  return body;
}

class CallTreeView {
  constructor(tree) {
    this.tree = tree;
    this.metric = tree.metrics[0]?.[0] ?? "calls";
    this.top = tree.root;
    this.graph = el("div", { class: "flame", role: "tree", "aria-label": "Call tree" });
    this.table = el("div");
    this.ranks = el("div");
    this.element = this.panel();
    this.draw();
    tree.run.kinds?.onShow(() => this.drawRanks());
  }

  panel() {
    const { tree } = this, metrics = tree.metrics.map(([metric, title]) => [metric, title]);
    const speedscope = el("button", {
      type: "button", title: "Download for speedscope.app",
      click: () => download("call-tree.speedscope.json", JSON.stringify(tree.speedscope()), "application/json"),
    }, "speedscope");
    const cube = el("button", {
      type: "button", title: "Download for Cube (.cubex): metric × call tree × ranks", click: () => download("call-tree.cubex", cubex(tree), "application/x-tar"),
    }, "Cube");
    const chosen = choice("Metric", metrics, this.metric, (metric) => { this.metric = metric; this.draw(); });
    return el("div", {},
      figure("Flame graph", {
        name: "call-tree", csv: () => tree.csv(), controls: [chosen, speedscope, cube],
        note: `${tree.hasRanks ? "" : "The page has no single calls of this run: time in MPI, summed over all ranks. "}A click widens a part. ${tree.divided}`,
      }, this.graph, legendOfKinds(tree)),
      this.ranks, this.table);
  }

  draw() {
    const rows = [];
    this.lay(this.top, 0, 1, 0, rows);
    this.graph.replaceChildren(...rows);
    this.graph.style.height = `${(Math.max(...rows.map((row) => Number(row.dataset.level))) + 1) * 1.45}rem`;
    this.drawTable();
    this.drawRanks();
  }

  /** Places a node and those below it between two shares of the width. */
  lay(node, from, to, level, rows) {
    if (to - from < LEAST_SHARE) return;
    rows.push(this.part(node, from, to, level));
    let at = from;
    for (const child of node.sorted(this.metric)) {
      const width = (to - from) * child.sums[this.metric] / node.sums[this.metric];
      this.lay(child, at, at + width, level + 1, rows);
      at += width;
    }
  }

  part(node, from, to, level) {
    const title = node.parent ? node.name : this.tree.hasRanks ? plural(this.tree.ranks, "rank") : "all ranks";
    return el("button", {
      type: "button", class: `part ${node.kind}`, role: "treeitem", "data-level": level, "aria-label": `${title}, ${this.shown(node)}`,
      style: `left:${100 * from}%;width:${100 * (to - from)}%;top:${level * 1.45}rem`,
      click: () => { this.top = node === this.top && node.parent ? node.parent : node; this.draw(); },
      pointermove: (event) => showTooltip(event.clientX, event.clientY, title, this.details(node)), pointerleave: hideTooltip,
    }, title);
  }

  shown(node) {
    const [, , show] = METRICS.find(([metric]) => metric === this.metric);
    return show(node.sums[this.metric]);
  }

  details(node) {
    const { sums } = this.tree.root, lines = node.line ? [["called at", node.line]] : [];
    for (const [metric, title, show] of METRICS) {
      if (node.sums[metric] > 0) lines.push([title.toLowerCase(), `${show(node.sums[metric])} (${formatPercent(node.sums[metric] / sums[metric])})`]);
    }
    return lines;
  }

  drawTable() {
    const { metric, tree } = this, whole = this.top.sums[metric] || 1, [, title, show] = METRICS.find(([name]) => name === metric);
    const rows = tree.rows(metric, this.top).map((node) => {
      const values = node.byRank[metric], most = values.reduce((best, value, rank) => (value > values[best] ? rank : best), 0);
      return { node, name: node.name, line: node.line, sum: node.sums[metric], own: node.own ? sumOf(node.own[metric]) : 0, most, imbalance: values[most] * tree.ranks / (node.sums[metric] || 1) };
    }).filter((row) => row.sum >= LEAST_SHARE * whole);
    const name = (text, row) => el("span", { style: `padding-left:${Math.max(0, row.node.depth - this.top.depth - 1) * 0.8}rem` }, text);
    const ranks = tree.ranks > 1 ? [{ key: "most", title: "Most on", number: true, show: (rank) => rankButton(tree.run, rank) }, { key: "imbalance", title: "Most / mean", number: true, show: (value) => value.toFixed(2) }] : [];
    this.table.replaceChildren(figure("The tree", { name: "call-tree-rows", csv: () => [["depth", "function", "line", metric, "most_on_rank"], ...rows.map((row) => [row.node.depth, row.name, row.line, row.sum, row.most])] },
      sortableTable("Call tree", [
        { key: "name", title: "Function", code: true, show: name }, { key: "line", title: "Called at", code: true, show: siteName },
        { key: "sum", title, number: true, show }, { key: "share", title: "Share", number: true, show: (_, row) => formatPercent(row.sum / whole) }, ...ranks,
      ], rows, "")));
  }

  /** The metric of the part on top, rank by rank. */
  drawRanks() {
    const { tree, top, metric } = this;
    if (tree.ranks < 2) return this.ranks.replaceChildren();
    const [, title, show] = METRICS.find(([name]) => name === metric), values = top.byRank[metric], bars = rankBars(tree.run, tree.ranks);
    const means = bars.map(({ ranks }) => sumOf(ranks.map((rank) => values[rank])) / ranks.length), most = Math.max(...means) || 1;
    const { canvas } = liveCanvas(`${title} by rank`, 110, (context, width, height) => {
      context.fillStyle = colour(top.kind === "compute" ? "compute" : "accent");
      const step = width / bars.length;
      context.clearRect(0, 0, width, height);
      means.forEach((value, bar) => context.fillRect(bar * step, height * (1 - value / most), Math.max(1, step - (step > 4 ? 1 : 0)), height * value / most));
    });
    canvas.addEventListener("pointermove", (event) => {
      const bar = Math.min(bars.length - 1, Math.floor(bars.length * event.offsetX / canvas.clientWidth));
      showTooltip(event.clientX, event.clientY, bars[bar].name, [[title.toLowerCase(), show(means[bar])]]);
    });
    canvas.addEventListener("pointerleave", hideTooltip);
    const name = top.parent ? top.name : "all functions";
    this.ranks.replaceChildren(figure(`${title} of ${name}, by rank`, { name: "call-tree-ranks", csv: () => [["rank", metric], ...[...values].map((value, rank) => [rank, value])] },
      canvas, el("p", { class: "note" }, `${bars[0].name} to ${bars.at(-1).name}; the highest bar is ${show(most)}`)));
  }
}

function legendOfKinds(tree) {
  const { sums } = tree.root, kinds = [["flame-function", "functions of the program"], ["compute", "computation", sums.compute], ["p2p", "calls of MPI"]];
  return el("ul", { class: "legend" }, kinds.filter(([, , value]) => value !== 0).map(([name, text]) => el("li", {}, swatch(`var(--${name})`), text)));
}
