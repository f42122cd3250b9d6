// The state of the view in the address, so that a view can be shared.

const SHARED_FIELDS = ["call", "ranks", "sizes", "region"];

/** The view of a timeline as the part of an address after `#`. */
function fragmentOf(timeline) {
  const { view, selection, filter, show, highlighted } = timeline, state = new URLSearchParams();
  const box = ({ from, to, top, bottom }) => [from, to, top, bottom].map((value) => Number(value.toPrecision(12))).join("_");
  state.set("view", box(view));
  if (selection) state.set("box", box(selection));
  if (highlighted != null) state.set("rank", highlighted);
  for (const field of SHARED_FIELDS) if (filter?.[field]) state.set(field, filter[field]);
  if (timeline.kinds && !timeline.byKind) state.set("kinds", "off");
  if (timeline.path && !show.path) state.set("path", "off");
  if (!show.arrows) state.set("messages", "off");
  return state.toString();
}

/** Puts the view into the address, and the address into the clipboard if the browser allows it. */
function copyLink(timeline) {
  history.replaceState(null, "", `#${fragmentOf(timeline)}`);
  announce("The address of this page now contains the view.");
  navigator.clipboard?.writeText(location.href).catch(() => {});
}

/** Shows the view that the address contains, if it contains one. */
function restoreView(timeline) {
  if (applyView(timeline, location.hash.slice(1))) timeline.canvas.scrollIntoView({ block: "center", behavior: "instant" });
}

/** Shows the view of a fragment; true if it has one. */
function applyView(timeline, fragment) {
  const state = new URLSearchParams(fragment), view = boxOfText(state.get("view"));
  if (!timeline || !view) return false;
  if (timeline.kinds && state.get("kinds") === "off") timeline.kinds.show(false);
  timeline.look(view.from, view.to);
  timeline.lookAtRanks(view.top, view.bottom);
  timeline.selection = boxOfText(state.get("box"));
  if (/^\d+$/.test(state.get("rank") ?? "") && Number(state.get("rank")) < timeline.ranks) timeline.highlighted = Number(state.get("rank"));
  timeline.restoreFilter?.(Object.fromEntries(SHARED_FIELDS.filter((field) => state.has(field)).map((field) => [field, state.get(field)])));
  if (state.get("path") === "off") timeline.pathButton?.click();
  if (state.get("messages") === "off") timeline.arrowButton?.click();
  return true;
}

/** A box `{ from, to, top, bottom }`, or none if the text is not one. */
function boxOfText(text) {
  const numbers = (text ?? "").split("_").map(Number);
  if (numbers.length !== 4 || !numbers.every(isFinite)) return null;
  const [from, to, top, bottom] = numbers;
  return to > from && bottom > top ? { from, to, top, bottom } : null;
}
