// The data in the page: base64 of gzip of JSON and typed arrays. The format is in crates/views/report/README.md.

/** The version of the format. */
const VERSION = 3;

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

/** One run: the JSON's fields, and `section(name)` for the arrays, `null` where there is none. */
function unpackRun(script) {
  return unpackText(script.textContent.trim());
}

async function unpackText(text) {
  const packed = bytesOfBase64(text);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const run = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  if (run.version !== VERSION) throw new OtherVersion(`its format is version ${run.version}, and this page reads version ${VERSION}`);
  const start = Math.ceil((4 + length) / 8) * 8;
  run.section = (name) => {
    const found = run.sections?.[name];
    if (!found) return null;
    const Type = ARRAYS[found.type];
    return new Type(buffer, start + found.offset, found.bytes / Type.BYTES_PER_ELEMENT);
  };
  return run;
}

/** The data was made by another version of mpirage. */
class OtherVersion extends Error {}

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

/** Why this page cannot show its data, in words, or `null`. */
function obstacle() {
  if (!document.getElementById("data") && !document.getElementById("live")) {
    return "This page holds no data. A report is made with “mpirage run … --report run.html”, or from a saved record with “mpirage report RUN -o run.html”.";
  }
  if (typeof DecompressionStream === "undefined") {
    return "This browser is too old for the report: it cannot unpack compressed data (DecompressionStream). Firefox 113, Chrome 80, Edge 80, Safari 16.4 and anything newer can.";
  }
  return null;
}
