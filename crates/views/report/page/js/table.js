// Tables that sort by a click on a column's head.

const ROWS_AT_FIRST = 20;

/**
 * `columns`: `{ key, title, number, code, show(value, row) }`; `rows`: objects. Sorted by `sort`, largest first, or with `+` smallest first; in
 * their own order if it is empty.
 */
function sortableTable(caption, columns, rows, sort) {
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more" });
  const heads = columns.map((column) => el("th", { scope: "col", class: column.number ? "number" : null },
    el("button", { type: "button", click: () => sortBy(column) }, column.title)));
  let order = { column: columns.find((column) => column.key === sort.replace("+", "")) ?? (sort ? columns[0] : null), down: !sort.startsWith("+") };
  let shown = ROWS_AT_FIRST;

  function sortBy(column) {
    order = { column, down: order.column === column ? !order.down : Boolean(column.number) };
    fill();
  }

  function fill() {
    const key = order.column?.key, sign = order.down ? -1 : 1;
    const sorted = key ? [...rows].sort((a, b) => sign * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0)) : rows;
    heads.forEach((head, at) => {
      const here = columns[at] === order.column;
      head.setAttribute("aria-sort", here ? (order.down ? "descending" : "ascending") : "none");
      head.firstChild.textContent = columns[at].title + (here ? (order.down ? " ▾" : " ▴") : "");
    });
    body.replaceChildren(...sorted.slice(0, shown).map((row) => el("tr", {}, columns.map((column) => el("td", {
      class: column.number ? "number" : column.code ? "code" : null,
    }, column.show ? column.show(row[column.key], row) : String(row[column.key]))))));
    more.hidden = rows.length <= shown;
    more.textContent = `Show all ${formatCount(rows.length)} rows`;
  }

  more.addEventListener("click", () => { shown = Infinity; fill(); });
  fill();
  return el("div", { class: "scroll" },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, heads)), body), more);
}

/** Rows of columns that are arrays. */
function rowsOfColumns(columns, length = Object.values(columns)[0]?.length ?? 0) {
  return Array.from({ length }, (_, at) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[at]])));
}
