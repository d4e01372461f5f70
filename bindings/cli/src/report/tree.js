
// The structures of interval programs: trees of splits, and folded sequences.

// Larger trees are shown as rows of intervals, which can be zoomed.
const MOST_NODES = 50;
const LEVEL = 58;
const LEAST_LEVEL = 34;
const TREE_HEIGHT = 900;
const MOST_BASES = 3000;
// Colours of the root, of left and of right children.
const SIDES = [2, 0, 5];

// The nodes with their levels and sides; parents come before their children.
function levelsOf(nodes) {
  const levels = new Map();
  return nodes.map(([first, split, last]) => {
    const [level, side] = levels.get(first + " " + last) || [0, 0];
    levels.set(first + " " + split, [level + 1, 1]);
    levels.set(split + " " + last, [level + 1, 2]);
    return { first, split, last, level, side };
  });
}

// The words for a node, and for a cell without splits; search trees have no such leaves.
function wordsOf(kind) {
  if (kind === "search-tree") {
    return { node: ({ split }) => String(split - 1), told: ({ split }) => "key " + (split - 1), leaf: null };
  }
  if (kind === "triangulation") {
    const told = ({ first, split, last }) => "triangle " + [first, split, last].join(", ");
    return { node: ({ split }) => String(split), told, leaf: (last) => (last - 1) + "–" + last };
  }
  const told = ({ first, split, last }) => (kind === "matrix-chain"
    ? "A" + (first + 1) + " to A" + last + ", cut after A" + split
    : "from " + first + " to " + last + ", split at " + split);
  return { node: ({ split }) => String(split), told, leaf: (last) => "A" + last };
}

function treeSection(result, about) {
  const { nodes, parenthesisation } = result.solution;
  if (!nodes || nodes.length === 0) return null;
  const words = wordsOf(about.kind);
  const all = levelsOf(nodes);
  const table = lazyTable("Table of the tree", () => ({
    caption: "The inner nodes of the tree, from the root on",
    columns: ["first", "split", "last", "level"],
    rows: all.map(({ first, split, last, level }) => [first, split, last, level]),
  }));
  if (nodes.length > MOST_NODES) return new Chart(intervalPlan(all, words, table)).element;
  return html("section", { "aria-labelledby": "tree" }, html("h2", { id: "tree" }, "Tree"),
    about.kind === "matrix-chain" ? html("p", {}, parenthesisation) : null,
    scrolling("div", "drawing", "Drawing of the tree", drawTree(all, words)), table);
}

// A node stands at its split, so that edges never cross.
function drawTree(nodes, words) {
  const [from, to] = [nodes[0].first, nodes[0].last];
  const depth = nodes.reduce((most, { level }) => Math.max(most, level), 0) + (words.leaf ? 1 : 0);
  const pitch = Math.max(22, Math.min(90, 1100 / (to - from)));
  const radius = Math.min(17, pitch * 0.42);
  const x = (place) => (place - from) * pitch + 20;
  const levelHeight = Math.max(LEAST_LEVEL, Math.min(LEVEL, TREE_HEIGHT / (depth + 1)));
  const y = (level) => level * levelHeight + 32;
  const [edges, marks, open] = [[], [], new Map()];
  const join = (parent, place, level) => {
    edges.push(svg("path", { class: "edge", d: "M" + x(parent.split) + " " + y(parent.level) + "L" + x(place) + " " + y(level) }));
  };
  const leaf = (parent, last) => {
    if (!words.leaf) return;
    join(parent, last - 0.5, parent.level + 1);
    const at = { x: x(last - 0.5), y: y(parent.level + 1) + 4, "text-anchor": "middle" };
    const width = Math.min(34, pitch);
    marks.push(svg("rect", { x: at.x - width / 2, y: at.y - 15, width, height: 21, style: "fill:var(--page)" }));
    marks.push(svg("text", at, words.leaf(last)));
  };
  for (const node of nodes) {
    const parent = open.get(node.first + " " + node.last);
    if (parent) join(parent, node.split, node.level);
    open.set(node.first + " " + node.split, node);
    open.set(node.split + " " + node.last, node);
    if (node.split === node.first + 1) leaf(node, node.split);
    if (node.last === node.split + 1) leaf(node, node.last);
    marks.push(svg("g", {}, svg("title", {}, words.told(node)),
      svg("circle", { class: "node", cx: x(node.split), cy: y(node.level), r: radius }),
      svg("text", { x: x(node.split), y: y(node.level) + 4, "text-anchor": "middle" }, words.node(node))));
  }
  const [width, height] = [(to - from) * pitch + 40, y(depth) + 32];
  return svg("svg", {
    viewBox: "0 0 " + width + " " + height, style: "max-width:" + width + "px;min-width:" + Math.min(width, 22 * (to - from)) + "px",
    role: "img", "aria-label": "Tree of " + counted(nodes.length, "node"),
  }, edges, marks);
}

// The intervals of the nodes, a row for each level.
function intervalPlan(nodes, words, table) {
  const plan = emptyPlan({ title: "Tree", across: "points", down: "level", group: "node" });
  for (const node of nodes) {
    if (node.level === plan.rows.length) plan.rows.push({ name: "level " + node.level, label: String(node.level), bars: [] });
    const group = plan.groups.length;
    plan.groups.push({ name: words.node(node), bars: [], colour: SIDES[node.side] });
    addBar(plan, { row: node.level, group, start: node.first, end: node.last });
  }
  plan.order = plan.groups.map((_, group) => group);
  plan.describe = (bar) => words.told(nodes[bar.group]);
  plan.details = (group) => {
    const { first, split, last, level } = nodes[group];
    return { caption: words.told(nodes[group]), columns: ["first", "split", "last", "level"], rows: [[first, split, last, level]] };
  };
  plan.tableElement = table;
  return finishPlan(plan);
}

// A folded sequence: its bases on a line, its pairs as arcs.
function foldingSection({ solution }) {
  const { structure, pairs: found } = solution;
  const table = lazyTable("Table of the pairs", () => ({
    caption: "The bases of each pair, from 0", columns: ["first", "last"], rows: found,
  }));
  const parts = [html("h2", { id: "structure" }, "Structure")];
  if (structure.length <= MOST_BASES) parts.push(scrolling("div", "drawing", "Drawing of the structure", drawArcs(structure.length, found)));
  parts.push(html("details", {}, html("summary", {}, "Structure in brackets"),
    scrolling("pre", null, "Structure in brackets", structure)), table);
  return html("section", { "aria-labelledby": "structure" }, parts);
}

function drawArcs(bases, found) {
  const widest = found.reduce((most, [first, last]) => Math.max(most, last - first), 1);
  const pitch = 1100 / Math.max(bases, 30);
  const height = Math.min(widest * pitch / 2, 420) + 20;
  const squeeze = (height - 20) / (widest * pitch / 2);
  const x = (base) => round(24 + (base + 0.5) * pitch);
  const arc = ([first, last]) => {
    const radius = (last - first) * pitch / 2;
    return svg("path", {
      class: "arc", d: "M" + x(first) + " " + height + "A" + round(radius) + " " + round(radius * squeeze) + " 0 0 1 " + x(last) + " " + height,
    }, svg("title", {}, "bases " + first + " and " + last));
  };
  const labels = ticks(0, bases - 1, 12, 1).map((base) => svg("text", {
    class: "faint", x: x(base), y: height + 20, "text-anchor": "middle",
  }, grouped(base)));
  const line = svg("path", { class: "frame", d: "M" + x(0) + " " + height + "H" + x(bases - 1) });
  return svg("svg", {
    viewBox: "0 0 " + round(48 + bases * pitch) + " " + round(height + 32), role: "img",
    "aria-label": "Arcs of " + counted(found.length, "pair") + " of " + counted(bases, "base"),
  }, found.map(arc), line, labels);
}
