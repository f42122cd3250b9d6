// Pointer, wheel, touch and keys of a timeline.

function addGestures(timeline) {
  const { canvas } = timeline, fingers = new Map();
  let drag = null;

  const pointAt = (event) => ({ x: event.offsetX, y: event.offsetY });
  const across = (x) => Math.max(0, Math.min(1, (x - GUTTER) / timeline.plot));
  const down = (y) => Math.max(0, Math.min(1, (y - AXIS) / timeline.rows));

  canvas.addEventListener("wheel", (event) => {
    const out = event.deltaY > 0, size = Math.min(120, Math.abs(event.deltaY || event.deltaX));
    // Nothing is left to zoom out: the page scrolls.
    if (out && timeline.entire && !event.shiftKey && !event.altKey && !event.ctrlKey) return;
    event.preventDefault();
    hideTooltip();
    const factor = 1.0035 ** (out ? size : -size);
    if (event.shiftKey) timeline.pan(0, (event.deltaY || event.deltaX) / timeline.rows);
    else if (event.altKey) timeline.zoomRanks(factor, down(event.offsetY));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.pan(event.deltaX / timeline.plot, 0);
    else timeline.zoom(factor, across(event.offsetX));
  }, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, pointAt(event));
    drag = { ...pointAt(event), overview: event.offsetY > AXIS + timeline.rows, moved: false, box: event.shiftKey };
    if (drag.overview) centreOn(event.offsetX);
  });

  const centreOn = (x) => {
    const span = timeline.view.to - timeline.view.from, middle = across(x) * timeline.whole;
    timeline.look(middle - span / 2, middle + span / 2);
  };

  /** The box between where the pointer was pressed and where it is; whole ranks. */
  const drawBox = (point) => {
    const { view } = timeline, time = (x) => view.from + across(x) * (view.to - view.from), rank = (y) => view.top + down(y) * (view.bottom - view.top);
    const [from, to] = [time(drag.x), time(point.x)].sort((a, b) => a - b), [top, bottom] = [rank(drag.y), rank(point.y)].sort((a, b) => a - b);
    timeline.selection = to > from ? { from, to, top: Math.floor(top), bottom: Math.min(timeline.lines, Math.floor(bottom) + 1) } : null;
    timeline.redraw();
  };

  canvas.addEventListener("pointermove", (event) => {
    const point = pointAt(event), before = fingers.get(event.pointerId);
    if (!before) return hover(event, point);
    hideTooltip();
    if (fingers.size === 2) pinch(event.pointerId, point);
    else if (drag?.overview) centreOn(point.x);
    else if (drag && (drag.moved || Math.hypot(point.x - drag.x, point.y - drag.y) > 3)) {
      drag.moved = true;
      if (drag.box) return drawBox(point);
      canvas.classList.add("dragging");
      timeline.pan((before.x - point.x) / timeline.plot, (before.y - point.y) / timeline.rows);
    } else return;
    fingers.set(event.pointerId, point);
  });

  function pinch(id, point) {
    const [other] = [...fingers].filter(([finger]) => finger !== id).map(([, place]) => place), before = fingers.get(id);
    const apart = (place) => Math.max(20, Math.hypot(place.x - other.x, place.y - other.y));
    timeline.zoom(apart(before) / apart(point), across((point.x + other.x) / 2));
  }

  function hover(event, point) {
    const found = timeline.under(point.x, point.y);
    if (found) showTooltip(event.clientX, event.clientY, ...found); else hideTooltip();
  }

  const release = (event) => {
    fingers.delete(event.pointerId);
    canvas.classList.remove("dragging");
    if (drag && !drag.moved && !drag.overview && event.type === "pointerup") select(event);
    if (!fingers.size) drag = null;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", hideTooltip);
  canvas.addEventListener("blur", hideTooltip);

  /** A click marks the rank, and the call if calls are drawn. */
  function select(event) {
    if (event.offsetY < AXIS) return;
    const { view } = timeline, row = Math.floor(view.top + down(event.offsetY) * (view.bottom - view.top));
    if (row >= timeline.lines) return;
    const rank = timeline.rankAt(row);
    timeline.highlighted = rank;
    timeline.selected = null;
    if (timeline.source.calls && event.offsetX > GUTTER) {
      const calls = timeline.calls.of(rank), perPixel = (view.to - view.from) / timeline.plot;
      const at = nearestCall(calls, view.from + (event.offsetX - GUTTER) * perPixel, perPixel * 2);
      if (at >= 0) timeline.selected = { rank, at, start: calls.start[at], end: calls.end[at] };
    }
    timeline.redraw();
  }

  canvas.addEventListener("dblclick", (event) => {
    timeline.zoom(0.25, across(event.offsetX));
    if (timeline.rows / (timeline.view.bottom - timeline.view.top) < 12) timeline.zoomRanks(0.4, down(event.offsetY));
  });

  const keys = {
    ArrowLeft: () => timeline.pan(-0.1, 0), ArrowRight: () => timeline.pan(0.1, 0), ArrowUp: () => timeline.pan(0, -0.1), ArrowDown: () => timeline.pan(0, 0.1),
    PageUp: () => timeline.pan(0, -0.9), PageDown: () => timeline.pan(0, 0.9), Home: () => timeline.pan(-1e9, 0), End: () => timeline.pan(1e9, 0),
    "+": () => timeline.zoom(0.6), "=": () => timeline.zoom(0.6), "-": () => timeline.zoom(1 / 0.6), 0: () => timeline.everything(),
    "]": () => timeline.zoomRanks(0.6), "[": () => timeline.zoomRanks(1 / 0.6),
    n: () => timeline.step(1), p: () => timeline.step(-1), c: () => timeline.pathButton?.click(), m: () => timeline.arrowButton?.click(),
    Escape: () => { hideTooltip(); timeline.highlighted = null; timeline.selection = null; timeline.mark(null); },
    s: () => { timeline.selection = { ...timeline.view, top: Math.floor(timeline.view.top), bottom: Math.ceil(timeline.view.bottom) }; timeline.redraw(); },
    z: () => zoomToSelection(timeline),
  };
  canvas.addEventListener("keydown", (event) => {
    const act = !event.ctrlKey && !event.metaKey && !event.altKey && Object.hasOwn(keys, event.key) && keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

const HELP = [
  ["wheel, pinch", "zoom time around the pointer"], ["Alt + wheel", "zoom ranks"], ["Shift + wheel", "move through ranks"],
  ["drag", "move"], ["Shift + drag", "draw a box: the calls in it are listed below"], ["s z", "box around what is in sight; zoom to the box"], ["double click", "zoom in"], ["click", "mark a rank and a call"], ["← → ↑ ↓", "move"], ["+ −", "zoom time"],
  ["] [", "zoom ranks"], ["0", "the whole run"], ["n p", "next and previous call of the marked rank"], ["c m", "critical path, messages on and off"],
  ["/", "search for a rank, a host, a call or a source line"], ["Esc", "forget marks"], ["?", "this help"],
];

/** The keys that work wherever the focus is, and the help. */
function startKeys(runs) {
  const box = document.getElementById("helpbox");
  box.append(el("h3", { id: "helptitle" }, "Keys and gestures of the timeline"),
    el("table", {}, el("tbody", {}, HELP.map(([key, meaning]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, meaning))))),
    el("form", { method: "dialog", style: "text-align:right;margin-top:.6rem" }, el("button", {}, "Close")));
  const help = () => { if (!box.open) box.showModal(); };
  document.getElementById("help").addEventListener("click", help);
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "?") help();
    else if (event.key === "/" && runs[0].timelineView) {
      event.preventDefault();
      runs[0].timelineView.searchBox.focus();
    }
  });
}
