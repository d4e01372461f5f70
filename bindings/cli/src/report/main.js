
// The page.

function read(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function facts(result, about) {
  const entry = (name, value, kind) => (value === null || value === undefined ? null
    : html("div", {}, html("dt", {}, name), html("dd", { class: kind }, value)));
  const early = result.interrupted ? html("small", {}, "ended early") : null;
  const values = result.objectives
    ? result.objectives.map(({ name, value }) => entry(name, grouped(value), "large"))
    : [entry(about.objective, result.objective === null ? null : grouped(result.objective), "large")];
  const setup = result.setup_seconds < 1e-3 ? "" : " and " + duration(result.setup_seconds) + " to set up the device";
  return html("dl", { class: "facts" },
    entry("status", [result.status, early], "large " + result.status), values,
    entry("bound", result.bound === null ? null : grouped(result.bound), "large"),
    entry("guarantee", about.quality), entry("time", duration(result.seconds) + setup),
    entry("method", result.method), entry("engine", result.device === null ? "CPU" : result.device));
}

function solutionOf(result, about) {
  if (result.solution === null) {
    return html("section", { "aria-labelledby": "solution" }, html("h2", { id: "solution" }, "Solution"),
      html("p", { class: "notice" }, "There is no solution: the solve is " + result.status + "."));
  }
  const plan = planOf(result, about);
  if (plan) return new Chart(plan).element;
  if (result.problem === "interval-dp" && !Array.isArray(result.solution)) {
    return result.solution.pairs ? foldingSection(result) : treeSection(result, about);
  }
  const table = solutionTable(result);
  return table && solutionSection(table);
}

function jsonSection() {
  const text = document.getElementById("result").textContent;
  const content = scrolling("pre", null, "The result as JSON");
  const details = html("details", { class: "on-screen" }, html("summary", {}, "Show"), content);
  details.addEventListener("toggle", () => { content.textContent = text; });
  const save = () => {
    const address = URL.createObjectURL(new Blob([text + "\n"], { type: "application/json" }));
    html("a", { href: address, download: "result.json" }).click();
    // Some browsers read it after the click.
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  return html("section", { "aria-labelledby": "json", class: "on-screen" }, html("h2", { id: "json" }, "Result as JSON"),
    html("p", {}, "This page draws all its numbers from this object, which is the one that --json prints."),
    html("button", { type: "button", on: { click: save } }, "Save as a file"), details);
}

function main() {
  const [result, about] = [read("result"), read("about")];
  const notices = [["Fallback", result.fallback], ["Warning", result.warning]].filter(([, text]) => text !== null);
  const options = { ...result.options, seed: result.seed };
  document.getElementById("content").append(
    facts(result, about),
    ...notices.map(([name, text]) => html("p", { class: "notice" }, name + ": " + text)),
    ...[solutionOf(result, about), convergenceSection(result, about)].filter(Boolean),
    html("div", { class: "pair" },
      pairs("Statistics", "statistics", result.statistics, ["counter", "value"]),
      pairs("Options", "options", options, ["option", "value"])),
    jsonSection());
  document.querySelector("footer").textContent = "makespan " + result.version + ", " + result.problem;
}

main();
