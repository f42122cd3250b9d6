// Light and dark, and the colours as canvases need them.

const CATEGORY_NAMES = {
  idle: "ended", compute: "computation", p2p: "point-to-point calls", collective: "collectives", wait: "waiting", other: "other calls",
};

const themeListeners = [];
let themeColours = null;

/** Calls `listener` whenever colours have changed. */
function onTheme(listener) {
  themeListeners.push(listener);
}

/** A colour of the style sheet by name, such as `ink`. */
function colour(name) {
  themeColours ??= new Map();
  if (!themeColours.has(name)) {
    themeColours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return themeColours.get(name);
}

/** Red, green, blue of `#rrggbb`. */
function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, value >> 8 & 255, value & 255];
}

function mix(from, to, part) {
  return from.map((value, at) => Math.round(value + (to[at] - value) * part));
}

/** The colour of a scale (`heat`, `load`) at 0..1, as red, green, blue. */
function scaleColour(name, part) {
  const stops = colour(name).split(/\s+/).map(rgb);
  const at = Math.max(0, Math.min(1, part)) * (stops.length - 1);
  const below = Math.min(stops.length - 2, Math.floor(at));
  return mix(stops[below], stops[below + 1], at - below);
}

function css(channels) {
  return `rgb(${channels.join(" ")})`;
}

/** Black or white, whichever is read more easily on a colour. */
function inkOn(hex) {
  const [red, green, blue] = rgb(hex);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#111111" : "#ffffff";
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  themeColours = null;
  const button = document.getElementById("theme");
  button.textContent = theme === "dark" ? "Light" : "Dark";
  for (const listener of themeListeners) listener();
}

/** Follows the system until the reader chooses; prints in light colours. */
function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const apply = () => setTheme(chosen ?? (system.matches ? "dark" : "light"));
  system.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  addEventListener("beforeprint", () => setTheme("light"));
  addEventListener("afterprint", apply);
  apply();
}
