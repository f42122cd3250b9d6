// Quantities for people.

const TIME_UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

/** The unit in which a duration of so many seconds is best read. */
function timeUnit(seconds) {
  const size = Math.abs(seconds);
  return TIME_UNITS.find(([unit]) => size >= unit * 0.9995) ?? TIME_UNITS[3];
}

/** A duration: four significant digits and a unit. */
function formatTime(seconds) {
  if (seconds == null || !isFinite(seconds)) return "–";
  if (seconds === 0) return "0 s";
  const [unit, name] = timeUnit(seconds);
  return `${significant(seconds / unit, 4)} ${name}`;
}

/** A duration to the nanosecond, in seconds: the figure of `--json`. */
function exactSeconds(seconds) {
  return `${seconds.toFixed(9)} s`;
}

/** A number with about so many significant digits, and no exponent. */
function significant(value, digits) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const before = Math.floor(Math.log10(size)) + 1;
  return grouped(value.toFixed(Math.max(0, Math.min(9, digits - before))));
}

/** Thousands set apart by a thin space, as SI asks. */
function grouped(text) {
  const [whole, part] = String(text).split(".");
  const wide = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return part === undefined ? wide : `${wide}.${part}`;
}

function formatCount(value) {
  return value == null ? "–" : grouped(Math.round(value));
}

/** Bytes, in the units of the summary on the terminal. */
function formatBytes(bytes) {
  if (bytes == null) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = bytes, unit = 0;
  while (value >= 1024 && unit + 1 < units.length) { value /= 1024; unit += 1; }
  return unit === 0 ? `${grouped(Math.round(value))} B` : `${value.toFixed(1)} ${units[unit]}`;
}

function formatPercent(fraction) {
  if (fraction == null || !isFinite(fraction)) return "–";
  const percent = fraction * 100;
  return percent !== 0 && Math.abs(percent) < 0.1 ? "< 0.1 %" : `${percent.toFixed(1)} %`;
}

/** "3 ranks", "1 rank". */
function plural(count, one, many = `${one}s`) {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A round step so that about `wanted` of them fill `span`. */
function niceStep(span, wanted) {
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) * power;
}

/** A tick of a time axis: all ticks share the unit of the step's neighbourhood, with as many digits as the step needs. */
function formatTick(seconds, step, end) {
  const [unit, name] = timeUnit(Math.min(Math.abs(end), step * 1e4));
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  return `${grouped((seconds / unit).toFixed(Math.min(9, digits)))} ${name}`;
}
