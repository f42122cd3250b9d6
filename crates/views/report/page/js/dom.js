// Making elements, and the frame around every plot and table.

/** An element; attributes that are functions are listeners, `null` is left out. */
function el(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value != null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null));
  return node;
}

/**
 * A plot or table with its title, its controls, and a button that downloads the data behind it.
 * `csv` gives the rows, the first one being the header; `name` is the file's.
 */
function figure(title, { name, csv, controls = [], note }, ...body) {
  const header = el("header", {}, el("h3", {}, title), el("span", { class: "space" }), controls);
  if (csv) header.append(csvButton(title, name, csv));
  return el("div", { class: "figure", "data-figure": name }, header, note ? el("p", { class: "note" }, note) : null, body);
}

/** Buttons of which one is pressed. */
function choice(label, options, chosen, onChoose) {
  const buttons = options.map(([value, text]) => el("button", {
    type: "button", "aria-pressed": String(value === chosen),
    click: () => {
      buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(options[at][0] === value)));
      onChoose(value);
    },
  }, text));
  return el("span", { class: "choice", role: "group", "aria-label": label }, buttons);
}

/** A button that stays pressed. */
function toggle(text, on, onToggle) {
  const button = el("button", { type: "button", "aria-pressed": String(on) }, text);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    onToggle(now);
  });
  return button;
}

/** Shows the tooltip beside the pointer; `lines` are pairs of name and value. */
function showTooltip(x, y, title, lines) {
  const box = document.getElementById("tooltip");
  box.replaceChildren(el("b", {}, title), el("dl", {}, lines.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const left = x + 16 + width > innerWidth ? x - width - 12 : x + 16;
  const top = y + 18 + height > innerHeight ? y - height - 12 : y + 18;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

function hideTooltip() {
  document.getElementById("tooltip").hidden = true;
}

/** Announces a text to screen readers. */
function announce(text) {
  document.getElementById("announce").textContent = text;
}

/** A canvas whose pixels follow its size on the screen; `draw(context, width, height)` is called when either changes. */
function liveCanvas(label, height, draw) {
  const canvas = el("canvas", { role: "img", "aria-label": label, class: "plot", style: `height:${height}px` });
  const redraw = () => {
    const width = canvas.clientWidth;
    if (!width) return;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    const context = canvas.getContext("2d");
    context.scale(devicePixelRatio, devicePixelRatio);
    draw(context, width, height);
  };
  new ResizeObserver(redraw).observe(canvas);
  onTheme(redraw);
  return { canvas, redraw };
}
