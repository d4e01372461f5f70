
// Solutions as plans: rows of bars along an axis. Bars of the same thing, such as a job, are a
// group, which can be followed. A group has a colour by its number, unless it names one.

const MOST_COPIES = 20000;

function emptyPlan(about) {
  return { rows: [], bars: [], groups: [], marks: [], end: 0, ...about };
}

function addBar(plan, bar) {
  const index = plan.bars.length;
  plan.bars.push(bar);
  plan.rows[bar.row].bars.push(index);
  if (bar.kind === undefined) plan.groups[bar.group].bars.push(index);
  plan.end = Math.max(plan.end, bar.end);
}

function finishPlan(plan) {
  const { bars } = plan;
  for (const row of plan.rows) {
    row.bars.sort((a, b) => bars[a].start - bars[b].start || bars[a].end - bars[b].end);
    row.bars.forEach((index, place) => { bars[index].place = place; });
  }
  for (const mark of plan.marks) plan.end = Math.max(plan.end, mark.at);
  plan.end = plan.end || 1;
  return plan;
}

const nameOf = (names, index, prefix) => (names && index < names.length ? names[index] : prefix + index);

function makespanMarks(result, end) {
  const { objective, bound } = result;
  if (result.objectives || typeof bound !== "number" || bound < 0) {
    return [{ at: end, label: "end " + grouped(end) }];
  }
  if (result.status === "optimal") return [{ at: bound, label: "makespan = lower bound " + grouped(bound) }];
  return [
    { at: bound, label: "lower bound " + grouped(bound), dashed: true },
    { at: objective, label: "makespan " + grouped(objective) },
  ];
}

function schedulePlan(about) {
  return emptyPlan({
    title: "Schedule",
    across: about.unit ? "time (" + about.unit + ")" : "time",
    down: "machine",
    group: "job",
  });
}

function describeWork(plan, bar) {
  const { name, late } = plan.groups[bar.group];
  const times = grouped(bar.start) + " to " + grouped(bar.end);
  const what = bar.kind === "quiet" ? "set-up for " + name : name;
  const delay = late > 0 && bar.kind === undefined ? ", late by " + grouped(late) : "";
  return what + " on " + plan.rows[bar.row].name + ": " + times + ", takes " + grouped(bar.end - bar.start) + delay;
}

// How many jobs are due after the end of the plan, where the chart has no place for their dates.
function laterNote({ due_dates: dues }, plan) {
  const count = (dues || []).filter((due) => due !== null && due > plan.end).length;
  if (count === 0) return null;
  const marked = plan.groups.length > MOST_DATED ? "." : ": arrows at the right edge mark their dates.";
  return counted(count, "job") + (count === 1 ? " is" : " are") + " due after the end of the schedule" + marked;
}

// The release time on the first machine and the due date on the last one.
function datesOf({ release_times: releases, due_dates: dues }, job, machines) {
  const dates = [];
  if (releases && releases[job] > 0) dates.push({ row: 0, at: releases[job], label: "released at " });
  if (dues && dues[job] !== null) dates.push({ row: machines - 1, at: dues[job], label: "due at " });
  return dates;
}

function flowShop(result, about) {
  const { solution } = result;
  const { starts, ends, setups, tardiness } = solution;
  const plan = schedulePlan(about);
  const machines = starts.length > 0 ? starts[0].length : 0;
  for (let machine = 0; machine < machines; machine++) {
    plan.rows.push({ name: nameOf(solution.machine_names, machine, "machine "), bars: [] });
  }
  plan.groups = starts.map((_, job) => ({
    name: nameOf(solution.job_names, job, "J"), bars: [], late: tardiness ? tardiness[job] : 0,
    dates: datesOf(solution, job, machines),
  }));
  solution.permutation.forEach((job, position) => {
    plan.groups[job].position = position;
    for (let machine = 0; machine < machines; machine++) {
      const start = starts[job][machine];
      const setup = setups ? setups[job][machine] : 0;
      if (setup > 0) addBar(plan, { row: machine, group: job, start: start - setup, end: start, kind: "quiet" });
      addBar(plan, { row: machine, group: job, start, end: ends[job][machine] });
    }
  });
  plan.order = solution.permutation;
  plan.chained = true;
  plan.marks = makespanMarks(result, plan.end);
  plan.describe = (bar) => describeWork(plan, bar);
  plan.details = (group) => {
    const { bars, dates, position, late } = plan.groups[group];
    const known = dates.map(({ at, label }) => ", " + label + grouped(at)).join("");
    const delay = known + (late > 0 ? ", late by " + grouped(late) : "");
    let before = null;
    return {
      caption: "Position " + grouped(position + 1) + " of " + grouped(plan.groups.length) + delay,
      columns: ["machine", "start", "end", "takes", "waits before"],
      rows: bars.map((index) => {
        const { row, start, end } = plan.bars[index];
        const waits = before === null ? "" : start - before;
        before = end;
        return [plan.rows[row].name, start, end, end - start, waits];
      }),
    };
  };
  plan.table = () => ({
    caption: "Start and end of each job on each machine, in the sequence of the jobs",
    columns: ["job", ...plan.rows.map((row) => row.name)],
    rows: solution.permutation.map((job) => [
      plan.groups[job].name,
      ...starts[job].map((start, machine) => grouped(start) + "–" + grouped(ends[job][machine])),
    ]),
    numbers: true,
  });
  finishPlan(plan);
  plan.note = laterNote(solution, plan);
  return plan;
}

function parallelMachines(result, about) {
  const { solution } = result;
  const { assignment, starts, ends } = solution;
  const plan = schedulePlan(about);
  const used = assignment.reduce((most, machine) => Math.max(most, machine + 1), 0);
  for (let machine = 0; machine < used; machine++) {
    plan.rows.push({ name: nameOf(solution.machine_names, machine, "machine "), bars: [] });
  }
  plan.groups = assignment.map((_, job) => ({ name: nameOf(solution.job_names, job, "J"), bars: [] }));
  assignment.forEach((row, job) => addBar(plan, { row, group: job, start: starts[job], end: ends[job] }));
  plan.marks = makespanMarks(result, plan.end);
  plan.describe = (bar) => describeWork(plan, bar);
  const columns = ["job", "machine", "start", "end", "takes"];
  const row = (job) => [
    plan.groups[job].name, plan.rows[assignment[job]].name, starts[job], ends[job], ends[job] - starts[job],
  ];
  plan.details = (job) => ({ columns, rows: [row(job)] });
  const jobs = assignment.map((_, job) => job).sort((a, b) => starts[a] - starts[b] || assignment[a] - assignment[b]);
  plan.order = jobs;
  plan.table = () => ({ caption: "The jobs in the order of their starts", columns, rows: jobs.map(row) });
  return finishPlan(plan);
}

function cuttingStock(result) {
  const { patterns } = result.solution;
  const plan = emptyPlan({ title: "Patterns", across: "length", down: "pattern", group: "item" });
  const numbers = new Map();
  const groupOf = (item) => {
    if (!numbers.has(item.type)) {
      numbers.set(item.type, plan.groups.length);
      const name = item.name === undefined ? "item " + item.type : item.name;
      plan.groups.push({ name, bars: [], length: item.length, cuts: [] });
    }
    return numbers.get(item.type);
  };
  const copies = patterns.reduce((sum, { items }) => items.reduce((all, item) => all + item.count, sum), 0);
  patterns.forEach(({ count, items, waste }, row) => {
    plan.rows.push({ name: "pattern " + row, label: grouped(count) + " ×  pattern " + row, bars: [] });
    let at = 0;
    for (const item of items) {
      const group = groupOf(item);
      plan.groups[group].cuts.push([row, count, item.count, count * item.count]);
      const [number, length] = copies > MOST_COPIES ? [1, item.length * item.count] : [item.count, item.length];
      for (let copy = 0; copy < number; copy++, at += length) {
        addBar(plan, { row, group, start: at, end: at + length });
      }
    }
    if (waste > 0) addBar(plan, { row, group: -1, start: at, end: at + waste, kind: "quiet" });
  });
  plan.order = plan.groups.map((_, group) => group).sort((a, b) => plan.groups[b].length - plan.groups[a].length);
  plan.describe = (bar) => {
    const { name } = plan.rows[bar.row];
    const pieces = name + ", cut from " + counted(patterns[bar.row].count, "piece");
    if (bar.kind === "quiet") return "waste " + grouped(bar.end - bar.start) + " in " + pieces;
    return plan.groups[bar.group].name + ", length " + grouped(plan.groups[bar.group].length) + ", in " + pieces;
  };
  plan.details = (group) => ({
    caption: "Length " + grouped(plan.groups[group].length),
    columns: ["pattern", "pieces", "items of a piece", "items"],
    rows: plan.groups[group].cuts,
  });
  plan.table = () => ({
    caption: "The items of each pattern, which is cut from that many pieces",
    columns: ["pattern", "pieces", "items", "waste of a piece"],
    rows: patterns.map(({ count, items, waste }, row) => [
      row, count, items.map((item) => item.count + " × " + plan.groups[groupOf(item)].name).join(", "), waste,
    ]),
  });
  return finishPlan(plan);
}

// The plan of a result, or null if its solution is none.
function planOf(result, about) {
  if (result.solution === null) return null;
  switch (result.problem) {
    case "flow-shop": return flowShop(result, about);
    case "parallel-machines": return parallelMachines(result, about);
    case "cutting-stock": return cuttingStock(result);
    default: return null;
  }
}
