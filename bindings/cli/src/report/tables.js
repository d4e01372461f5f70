
// Tables: of numbers, of options, of solutions.

// Longer tables are cut; the JSON object and --output have all rows.
const MOST_ROWS = 5000;

function tableOf({ caption, columns, rows, numbers }) {
  // A column of numbers is aligned at the right.
  const isNumber = columns.map((_, column) => rows.length > 0 && (
    rows.every((row) => typeof row[column] === "number" || row[column] === "") || (numbers === true && column > 0)));
  const kind = (column) => ({ class: isNumber[column] && "number" });
  const cell = (value, column) => (column === 0 && !isNumber[0] && columns.length > 1
    ? html("th", { scope: "row" }, String(value)) : html("td", kind(column), grouped(value)));
  const more = rows.length > MOST_ROWS ? ", the first " + grouped(MOST_ROWS) + " of " + grouped(rows.length) + " rows" : "";
  return html("table", {},
    caption && html("caption", {}, caption + more),
    html("thead", {}, html("tr", {}, columns.map((name, column) => html("th", { scope: "col", ...kind(column) }, name)))),
    html("tbody", {}, rows.slice(0, MOST_ROWS).map((row) => html("tr", {}, row.map(cell)))));
}

// Rows of a table that is printed.
const PRINTED = 250;

// A table that is made when it is opened; a short one is printed.
function lazyTable(summary, make) {
  const content = scrolling("div", "wide", summary);
  const details = html("details", {}, html("summary", {}, summary), content);
  let table = null;
  const build = () => {
    table = table || make();
    if (!content.firstChild) content.append(tableOf(table));
  };
  details.addEventListener("toggle", () => { if (details.open) build(); });
  let opened = false;
  window.addEventListener("beforeprint", () => {
    table = table || make();
    if (details.open || table.rows.length > PRINTED || table.columns.length > 12) return;
    build();
    opened = true;
    details.open = true;
  });
  window.addEventListener("afterprint", () => {
    if (opened) details.open = false;
    opened = false;
  });
  return details;
}

function pairs(title, id, entries, columns) {
  const rows = Object.entries(entries);
  const content = rows.length > 0 ? tableOf({ columns, rows }) : html("p", { class: "size" }, "None.");
  return html("section", { "aria-labelledby": id }, html("h2", { id }, title), scrolling("div", "wide", title, content));
}

const itemName = (item) => (item.name === undefined ? item.item : item.name);

// The items that a knapsack takes, of one knapsack or several.
function takenItems(solution) {
  const one = ({ items }) => items.map((item) => [itemName(item), item.profit, item.weight, item.count]);
  const columns = ["item", "profit", "weight", "count"];
  if (!Array.isArray(solution)) {
    return { caption: "The items taken, of weight " + grouped(solution.weight) + " together", columns, rows: one(solution) };
  }
  const rows = solution.flatMap((choice, number) => one(choice).map((row) => [number, ...row]));
  return { caption: "The items taken in each knapsack", columns: ["knapsack", ...columns], rows };
}

function takenInDimensions({ weights, items }) {
  const dimensions = weights.map((_, number) => "weight " + number);
  return {
    caption: "The items taken, of weights " + weights.map(grouped).join(", ") + " together",
    columns: ["item", "profit", ...dimensions],
    rows: items.map(({ item, profit, weights: own }) => [item, profit, ...own]),
  };
}

function lattice(solution) {
  if (solution.offsets) {
    const rows = solution.offsets.map((offset, step) => [step, offset]);
    return { caption: "The steps of the path, from the last cell back", columns: ["step", "offset"], rows };
  }
  const content = (items) => items.map((count, item) => (count > 0 ? count + " × item " + item : null));
  const rows = solution.containers.map(({ count, items }, number) => [number, count, content(items).filter(Boolean).join(", ")]);
  return { caption: "Containers with the same content are a pattern", columns: ["pattern", "containers", "items"], rows };
}

function recurrence({ last, values, choices }) {
  if (!values) {
    return { caption: "The last element of each table", columns: ["table", "value"], rows: last.map((value, table) => [table, value]) };
  }
  const choice = (table, element) => {
    const place = element - (values[table].length - choices[table].length);
    return place < 0 ? "" : choices[table][place];
  };
  const rows = values.flatMap((elements, table) => elements.map((value, element) => (
    choices ? [table, element, value, choice(table, element)] : [table, element, value])));
  const columns = ["table", "element", "value"].concat(choices ? ["choice"] : []);
  return { caption: "The elements of the tables", columns, rows };
}

// The table of a solution that has no chart, or null.
function solutionTable({ problem, solution }) {
  switch (problem) {
    case "knapsack": return takenItems(solution);
    case "multidimensional-knapsack": return takenInDimensions(solution);
    case "lattice-dp": return lattice(solution);
    case "recurrence": return recurrence(solution);
    default: return null;
  }
}

function solutionSection(table) {
  return html("section", { "aria-labelledby": "solution" }, html("h2", { id: "solution" }, "Solution"),
    scrolling("div", "wide", "Table of the solution", tableOf(table)));
}
