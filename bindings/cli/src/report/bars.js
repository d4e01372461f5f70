
// Drawing a plan. All bars of a colour are one path: thousands of elements would be slow.

// Paul Tol's "light" scheme, as in the charts of --gantt: distinguishable with any colour vision,
// and dark text is readable on all of them.
const COLOURS = ["#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#99ddff", "#bbcc33", "#aaaa00"];
// Lines in a square of 8 units that is repeated; more groups than colours differ by these.
const HATCHES = [
  null,
  "M-2 2L2 -2M0 8L8 0M6 10L10 6",
  "M-2 6L2 10M0 0L8 8M6 -2L10 2",
  "M0 4H8",
  "M4 0V8",
  "M0 4H8M4 0V8",
  "M0 8L8 0M0 0L8 8",
];
const LANE = 16;
const TEXT = 11;
// Narrower bars have no hatching, which would be noise.
const HATCHED = 7;
const MOST_LABELS = 1500;
// Dates of more groups would hide the bars; those of the followed one are always shown.
const MOST_DATED = 40;
// A bar without length is still visible.
const LEAST_WIDTH = 1;

function layoutOf(plan, width) {
  const narrow = width < 600;
  const longest = plan.rows.reduce((most, row) => Math.max(most, textWidth(row.label || row.name, 12)), 0);
  const left = Math.min(longest + 16, narrow ? 92 : 200);
  const rows = Math.max(plan.rows.length, 1);
  const rowHeight = Math.min(30, Math.max(3, 600 / rows));
  const right = width - 26;
  // From the top: captions of the marks, the name of the axis unless it fits beside them, times.
  const captions = plan.marks.reduce((sum, { label }) => sum + textWidth(label, 12) + 14, 0);
  const lanes = plan.marks.length > 0 && textWidth(plan.across, 12) + captions > right - left ? 3 : 2;
  const axisHeight = LANE * lanes + 10;
  return { width, left, right, axisHeight, rowHeight, height: rowHeight * rows, roomy: rowHeight >= 8 };
}

// A view from one time to another.
function viewOf(layout, from, to) {
  const scale = (layout.right - layout.left) / (to - from);
  return {
    from, to, scale,
    x: (time) => layout.left + (time - from) * scale,
    time: (x) => from + (x - layout.left) / scale,
  };
}

// Position of a bar.
function extent(layout, view, bar) {
  const [start, end] = [view.x(bar.start), view.x(bar.end)];
  const gap = end - start > 6 ? 1 : 0;
  const height = layout.roomy ? layout.rowHeight * 0.8 : layout.rowHeight;
  const y = bar.row * layout.rowHeight + (layout.rowHeight - height) / 2;
  return { x: start, y, width: Math.max(end - start - gap, LEAST_WIDTH), height };
}

// The position without the parts outside the view, whose coordinates may be too large to draw.
function clipped(layout, place) {
  const left = Math.max(place.x, layout.left - 20);
  const right = Math.min(place.x + place.width, layout.right + 20);
  return { ...place, x: left, width: Math.max(right - left, 0) };
}

function colourOf(plan, bar) {
  if (bar.kind === "quiet") return "var(--quiet)";
  const { late, colour } = plan.groups[bar.group];
  if (late > 0) return "var(--alarm)";
  return COLOURS[(colour === undefined ? bar.group : colour) % COLOURS.length];
}

function hatchOf(plan, bar) {
  if (bar.kind === "quiet" || plan.groups[bar.group].colour !== undefined) return 0;
  return Math.floor(bar.group / COLOURS.length) % HATCHES.length;
}

function hatchDefinitions() {
  return svg("defs", {}, HATCHES.map((lines, number) => lines && svg("pattern", {
    id: "hatch-" + number, width: 8, height: 8, patternUnits: "userSpaceOnUse",
  }, svg("path", { class: "hatch", d: lines }))).filter(Boolean));
}

// The indices of the bars of a row that are in the view.
function visible(plan, row, view) {
  return plan.rows[row].bars.filter((index) => plan.bars[index].end >= view.from && plan.bars[index].start <= view.to);
}

function rectangle({ x, y, width, height }) {
  return "M" + round(x) + " " + round(y) + "h" + round(width) + "v" + round(height) + "h" + round(-width) + "z";
}

// A name on its bar: along it, or upright if there is no other room; null without room.
function barLabel(name, place) {
  const { x, y, width, height } = place;
  if (height < TEXT - 1) return null;
  const [long, middle] = [textWidth(name, TEXT), y + height / 2];
  const centre = x + width / 2;
  if (long + 4 <= width) {
    return svg("text", { x: round(centre), y: round(middle + TEXT * 0.36), "text-anchor": "middle" }, name);
  }
  if (long + 2 <= height && width >= TEXT) {
    const turn = "translate(" + round(centre + TEXT * 0.36) + " " + round(middle) + ") rotate(-90)";
    return svg("text", { transform: turn, "text-anchor": "middle" }, name);
  }
  return null;
}

function drawBars(plan, layout, view) {
  const [paths, hatched, labels] = [new Map(), new Map(), []];
  const add = (map, key, text) => {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(text);
  };
  for (let row = 0; row < plan.rows.length; row++) {
    for (const index of visible(plan, row, view)) {
      const bar = plan.bars[index];
      const place = clipped(layout, extent(layout, view, bar));
      const outline = rectangle(place);
      add(paths, colourOf(plan, bar), outline);
      const hatch = hatchOf(plan, bar);
      if (hatch > 0 && layout.roomy && place.width >= HATCHED) add(hatched, hatch, outline);
      if (bar.kind === undefined && labels.length < MOST_LABELS) {
        const label = barLabel(plan.groups[bar.group].name, place);
        if (label) labels.push(label);
      }
    }
  }
  return [
    ...[...paths].map(([fill, parts]) => svg("path", { style: "fill:" + fill, d: parts.join("") })),
    ...[...hatched].map(([hatch, parts]) => svg("path", { fill: "url(#hatch-" + hatch + ")", d: parts.join("") })),
    ...labels,
  ];
}

function drawRows(plan, layout) {
  const parts = [];
  const step = Math.max(1, Math.ceil(15 / layout.rowHeight));
  plan.rows.forEach((row, index) => {
    const y = index * layout.rowHeight;
    if (layout.roomy && index % 2 === 0) {
      const band = { x: layout.left, y, width: layout.right - layout.left, height: layout.rowHeight };
      parts.push(svg("rect", { class: "band", ...band }));
    }
    if (index % step === 0) {
      const name = row.label || row.name;
      const at = { x: layout.left - 8, y: round(Math.max(y + layout.rowHeight / 2 + 4, 10)), "text-anchor": "end" };
      parts.push(svg("text", at, shortened(name, layout.left - 14, 12), svg("title", {}, name)));
    }
  });
  return parts;
}

// The labels above the rows: the axis and the marks.
function drawAxis(plan, layout, view) {
  const widest = textWidth(grouped(Math.round(view.to)), 12) + 26;
  const times = ticks(view.from, view.to, Math.min((layout.right - layout.left) / widest, 14), 1);
  const labels = times.map((time) => svg("text", {
    class: "faint", x: round(view.x(time)), y: layout.axisHeight - 7, "text-anchor": "middle",
  }, grouped(time)));
  const lines = times.map((time) => svg("path", {
    class: "grid", d: "M" + round(view.x(time)) + " 0V" + layout.height,
  }));
  const name = svg("text", { class: "faint", x: layout.left, y: layout.axisHeight - LANE - 11 }, plan.across);
  const corner = svg("text", { class: "faint", x: layout.left - 10, y: layout.axisHeight - 7, "text-anchor": "end" }, plan.down);
  const fits = textWidth(plan.down, 12) < layout.left - 10;
  return { labels: fits ? [name, corner, ...labels] : [name, ...labels], lines };
}

// Short lines in the rows of a group for its dates in the view, such as due dates. Arrows at the end
// of the plan stand for later dates.
function drawDates(plan, layout, view, group) {
  const { name, dates } = plan.groups[group];
  const { right, rowHeight } = layout;
  return (dates || []).map(({ row, at, label }) => {
    const [y, title] = [row * rowHeight, () => svg("title", {}, name + " is " + label + grouped(at))];
    if (at >= view.from && at <= view.to) {
      return svg("path", { class: "date", d: "M" + round(view.x(at)) + " " + y + "v" + rowHeight }, title());
    }
    if (at <= plan.end || view.to < plan.end) return null;
    const half = round(Math.min(rowHeight / 2, 6));
    return svg("path", { class: "later", d: "M" + (right + 3) + " " + round(y + rowHeight / 2 - half) + "l8 " + half + "l-8 " + half + "z" }, title());
  }).filter(Boolean);
}

// Lines for marks in the view, and their captions above the rows, from the right to the left.
function drawMarks(plan, layout, view) {
  const [lines, captions] = [[], []];
  let room = layout.right;
  for (const { at, label, dashed } of [...plan.marks].sort((a, b) => b.at - a.at)) {
    if (at < view.from || at > view.to) continue;
    const x = round(view.x(at));
    const kind = dashed ? " dashed" : "";
    lines.push(svg("path", { class: "mark" + kind, d: "M" + x + " 0V" + layout.height }));
    const end = Math.min(x, room);
    if (end - textWidth(label, 12) < 0) continue;
    captions.push(svg("text", { class: kind.trim(), x: end, y: 15, "text-anchor": "end" }, label));
    room = end - textWidth(label, 12) - 14;
  }
  return { lines, captions };
}
