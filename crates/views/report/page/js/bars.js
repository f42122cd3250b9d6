// Stacked bars, gauges, and the scale beside a heat map.

/** A bar of parts `{ name, value, colour }` with a legend that says what each is, in figures. */
function stackedBar(label, parts, show) {
  const total = parts.reduce((sum, part) => sum + part.value, 0) || 1;
  const present = parts.filter((part) => part.value > 0);
  return el("div", { role: "group", "aria-label": label },
    el("div", { class: "stack", "aria-hidden": "true" }, present.map((part) => el("span", {
      style: `flex:${part.value / total} 0 0;background:${part.colour}`, title: `${part.name}: ${show(part.value)}`,
    }))),
    el("ul", { class: "legend" }, present.map((part) => el("li", {},
      swatch(part.colour), `${part.name} `, el("b", {}, formatPercent(part.value / total)), ` · ${show(part.value)}`))));
}

function swatch(background) {
  return el("span", { class: "swatch", style: `background:${background}` });
}

/** Names, bars and values; the longest bar is the largest value or `whole`. */
function gauges(rows, show, whole = Math.max(...rows.map((row) => row.value), 0)) {
  return el("dl", { class: "rows" }, rows.map((row) => [
    el("dt", {}, row.name),
    el("dd", { class: "gauge" }, el("span", { style: `width:${whole ? Math.max(0.3, 100 * row.value / whole) : 0}%;${row.colour ? `background:${row.colour}` : ""}` })),
    el("dd", { class: "value" }, show(row.value)),
  ]));
}

/** The colours of a scale between two words. */
function scaleLegend(scale, low, high) {
  const { canvas } = liveCanvas("Scale of colours", 11, (context, width, height) => {
    for (let x = 0; x < width; x += 1) {
      context.fillStyle = css(scaleColour(scale, x / width));
      context.fillRect(x, 0, 1, height);
    }
  });
  canvas.classList.remove("plot");
  return el("div", { class: "scale" }, low, canvas, high);
}
