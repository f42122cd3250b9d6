// The data behind every plot, as comma-separated values.

function csvText(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function csvCell(value) {
  const text = value == null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A button that downloads what `rows()` gives. */
function csvButton(title, name, rows) {
  return el("button", {
    type: "button", class: "csv", "aria-label": `Download the data of “${title}” as CSV`, title: "Download the data as CSV",
    click: () => download(`${name}.csv`, csvText(rows())),
  }, "CSV");
}

function download(name, text, type = "text/csv") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Columns (arrays by name) as rows with a header. */
function csvOfColumns(columns) {
  const names = Object.keys(columns);
  const length = names.length ? columns[names[0]].length : 0;
  const rows = Array.from({ length }, (_, at) => names.map((name) => columns[name][at]));
  return [names, ...rows];
}
