// Draws the heat maps, and says what is under the pointer.
"use strict";
{
  const cases = JSON.parse(document.getElementById("loads").textContent);
  const tip = document.getElementById("tip");
  const LEFT = 34, BELOW = 30, HEIGHT = 150;
  // Idle is pale, busy is dark; told apart in grey too.
  const STOPS = [[255, 251, 220], [254, 217, 118], [253, 141, 60], [189, 32, 44], [78, 8, 42]];

  const colourOf = (load) => {
    const at = Math.max(0, Math.min(1, load)) * (STOPS.length - 1);
    const below = Math.min(STOPS.length - 2, Math.floor(at));
    return STOPS[below].map((value, channel) => Math.round(value + (STOPS[below + 1][channel] - value) * (at - below)));
  };
  const loadAt = (one, row, column) => parseInt(one.rows[row].slice(2 * column, 2 * column + 2), 16) / one.full;
  const seconds = (value) => `${Number(value.toPrecision(4))} s`;

  // One pixel for each cell; the canvas enlarges it.
  function pixelsOf(one) {
    const small = document.createElement("canvas");
    [small.width, small.height] = [Math.max(1, one.columns), one.rows.length];
    const context = small.getContext("2d");
    const image = context.createImageData(small.width, small.height);
    for (let row = 0; row < one.rows.length; row++) {
      for (let column = 0; column < one.columns; column++) {
        image.data.set([...colourOf(loadAt(one, row, column)), 255], 4 * (row * small.width + column));
      }
    }
    context.putImageData(image, 0, 0);
    return small;
  }

  function draw(canvas, one) {
    const width = canvas.clientWidth, ratio = devicePixelRatio || 1, plot = width - LEFT;
    canvas.style.height = `${HEIGHT + BELOW}px`;
    [canvas.width, canvas.height] = [width * ratio, (HEIGHT + BELOW) * ratio];
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.imageSmoothingEnabled = false;
    one.pixels ??= pixelsOf(one);
    context.drawImage(one.pixels, LEFT, 0, plot, HEIGHT);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = "#555";
    context.textAlign = "right";
    context.textBaseline = "top";
    context.fillText("0", LEFT - 4, 0);
    context.textBaseline = "bottom";
    context.fillText(String(one.cores - 1), LEFT - 4, HEIGHT);
    context.save();
    context.translate(10, HEIGHT / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText("core", 0, 6);
    context.restore();
    const iterations = one.columns * one.iterations_per_column;
    one.moved.forEach((moved, at) => {
      context.fillStyle = moved ? "#0072b2" : "#bbb";
      context.fillRect(LEFT + plot * Math.min(1, (at + 1) * one.every / iterations) - 1, HEIGHT + 2, 2, moved ? 8 : 4);
    });
    context.fillStyle = "#555";
    context.textBaseline = "top";
    context.textAlign = "left";
    context.fillText("iteration 0", LEFT, HEIGHT + 14);
    context.textAlign = "right";
    context.fillText(String(iterations), width, HEIGHT + 14);
  }

  function about(canvas, one, event) {
    const box = canvas.getBoundingClientRect();
    const part = (event.clientX - box.left - LEFT) / (box.width - LEFT);
    const row = Math.floor((event.clientY - box.top) / HEIGHT * one.rows.length);
    if (part < 0 || part >= 1 || row < 0 || !one.columns) return null;
    const column = Math.floor(part * one.columns);
    const first = column * one.iterations_per_column, last = first + one.iterations_per_column - 1;
    const iteration = first === last ? `iteration ${first}` : `iterations ${first} to ${last}`;
    if (row >= one.rows.length) {
      const at = Math.round(part * one.columns * one.iterations_per_column / (one.every || 1)) - 1;
      return one.every && one.moved[at] !== undefined ? `decision after iteration ${(at + 1) * one.every}: ${one.moved[at]} ranks move` : null;
    }
    const low = row * one.cores_per_row, high = Math.min(one.cores, low + one.cores_per_row) - 1;
    const cores = low === high ? `core ${low} (${one.hosts[row]})` : `cores ${low} to ${high} (from ${one.hosts[row]} on)`;
    const from = column ? one.ends[column - 1] : 0;
    return `${cores}, ${iteration}: ${Math.round(100 * loadAt(one, row, column))} % of ${seconds(one.ends[column] - from)}, from ${seconds(from)} on`;
  }

  const canvases = [...document.querySelectorAll("#maps canvas")];
  const drawAll = () => canvases.forEach((canvas, at) => draw(canvas, cases[at]));
  canvases.forEach((canvas, at) => {
    canvas.addEventListener("pointermove", (event) => {
      const text = about(canvas, cases[at], event);
      tip.hidden = !text;
      tip.textContent = text ?? "";
      tip.style.left = `${Math.min(event.clientX + 12, innerWidth - 300)}px`;
      tip.style.top = `${event.clientY + 16}px`;
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  });
  const scale = document.getElementById("scale");
  const bar = document.createElement("canvas");
  [bar.width, bar.height] = [200, 1];
  const ink = bar.getContext("2d");
  for (let x = 0; x < 200; x++) {
    ink.fillStyle = `rgb(${colourOf(x / 199).join(" ")})`;
    ink.fillRect(x, 0, 1, 1);
  }
  scale.append("0 %", bar, "100 %");
  addEventListener("resize", drawAll);
  drawAll();
}
