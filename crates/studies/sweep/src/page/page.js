// Sorts the table by the column of a clicked heading, and shows only rows that contain what is typed.
"use strict";
{
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.title || cell.textContent;
    return cell.classList.contains("n") ? (text === "" ? Infinity : Number(text)) : text;
  };
  headings.forEach((heading, column) => heading.addEventListener("click", () => {
    const up = heading.dataset.order !== "up";
    headings.forEach((other) => delete other.dataset.order);
    heading.dataset.order = up ? "up" : "down";
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0) * (up ? 1 : -1));
    body.append(...rows.map(([, row]) => row));
  }));
  document.getElementById("filter").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const row of body.rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    }
  });
}
