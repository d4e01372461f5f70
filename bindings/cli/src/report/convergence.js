
// Objective and bound over time.

const CURVES = ["objective", "bound"];
const CURVE_HEIGHT = 300;
// A trace over more than this factor begins with logarithmic time.
const LONG = 50;

class Convergence {
  constructor(result, about) {
    this.result = result;
    const objective = result.objectives ? result.objectives[0].name : about.objective;
    this.names = { objective, bound: "bound" };
    const trace = result.trace.filter((point) => CURVES.some((curve) => typeof point[curve] === "number"));
    this.trace = trace;
    this.end = Math.max(...trace.map(({ seconds }) => seconds), 1e-9);
    const [first] = trace.map(({ seconds }) => seconds).filter((seconds) => seconds > 0);
    this.first = first || this.end;
    this.logarithmic = this.end / this.first > LONG;
    this.canvas = svg("svg", {
      role: "img", "aria-label": this.summary(),
      on: { pointermove: (event) => this.hover(event), pointerleave: () => { this.tip.hidden = true; this.draw(); } },
    });
    this.tip = html("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.plot = scrolling("div", "drawing", "Curves", this.canvas);
    const box = html("input", { type: "checkbox", id: "logarithmic", on: { change: () => {
      this.logarithmic = box.checked;
      this.draw();
    } } });
    box.checked = this.logarithmic;
    const tools = html("div", { class: "tools" }, html("div", { class: "group" },
      box, html("label", { for: "logarithmic" }, "Logarithmic time")));
    this.element = html("section", { "aria-labelledby": "convergence" },
      html("h2", { id: "convergence" }, "Objective and bound over time"),
      this.first < this.end ? tools : null,
      html("div", { class: "chart" }, this.plot, this.tip),
      lazyTable("Table of the values over time", () => ({
        caption: "One row for each improvement",
        columns: ["seconds", objective, "bound"],
        rows: result.trace.map(({ seconds, objective, bound }) => [
          seconds.toFixed(6), objective === null ? "" : objective, bound === null ? "" : bound]),
        numbers: true,
      })));
    fitted(this.plot, (width) => this.resize(width));
  }

  summary() {
    const last = this.trace[this.trace.length - 1];
    const value = (curve) => (typeof last[curve] === "number" ? this.names[curve] + " " + grouped(last[curve]) : null);
    return "Curves of objective and bound, " + counted(this.trace.length, "point") + ". After " +
      duration(last.seconds) + ": " + CURVES.map(value).filter(Boolean).join(", ") + ".";
  }

  resize(width) {
    if (this.width === width) return;
    this.width = width;
    this.canvas.setAttribute("viewBox", "0 0 " + width + " " + CURVE_HEIGHT);
    this.draw();
  }

  // Positions of times and values.
  scales() {
    const values = this.trace.flatMap((point) => CURVES.map((curve) => point[curve])).filter((value) => typeof value === "number");
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const least = values.every(Number.isInteger) ? 1 : 0;
    const pad = (high - low) * 0.06 || Math.max(Math.abs(high) * 0.05, 1);
    const labels = ticks(low - pad, high + pad, 6, least).map(grouped);
    const left = Math.max(...labels.map((label) => textWidth(label, 12))) + 18;
    const [right, top, bottom] = [this.width - 28, 34, CURVE_HEIGHT - 44];
    const share = this.logarithmic
      ? (seconds) => Math.log(Math.max(seconds, this.first) / this.first) / Math.log(this.end / this.first || 1) || 0
      : (seconds) => seconds / this.end;
    return {
      low: low - pad, high: high + pad, least, left, right, top, bottom,
      x: (seconds) => left + share(seconds) * (right - left),
      y: (value) => bottom - (value - low + pad) / (high - low + 2 * pad) * (bottom - top),
    };
  }

  draw() {
    const scales = this.scales();
    this.drawn = scales;
    this.canvas.replaceChildren(...this.axes(scales), ...CURVES.flatMap((curve) => this.curve(curve, scales)));
  }

  // The axes with their lines.
  axes({ low, high, least, left, right, top, bottom, x, y }) {
    const values = ticks(low, high, 6, least).filter((value) => value >= low && value <= high);
    const most = (right - left) / 80;
    const times = this.logarithmic ? logarithmicTicks(this.first, this.end, most) : ticks(0, this.end, most);
    const second = (time) => (time === 0 ? "0" : time < 1e-3 ? grouped(Number((time * 1e6).toPrecision(6))) + " µs"
      : time < 1 ? grouped(Number((time * 1e3).toPrecision(6))) + " ms" : grouped(time) + " s");
    return [
      ...values.map((value) => svg("path", { class: "grid", d: "M" + left + " " + round(y(value)) + "H" + right })),
      ...values.map((value) => svg("text", {
        class: "faint", x: left - 8, y: round(y(value) + 4), "text-anchor": "end",
      }, grouped(value))),
      svg("path", { class: "frame", d: "M" + left + " " + top + "V" + bottom + "H" + right }),
      ...times.map((time) => svg("path", { class: "frame", d: "M" + round(x(time)) + " " + bottom + "v5" })),
      ...times.map((time) => svg("text", {
        class: "faint", x: round(x(time)), y: bottom + 19, "text-anchor": "middle",
      }, second(time))),
      svg("text", { class: "faint", x: (left + right) / 2, y: bottom + 37, "text-anchor": "middle" }, "time of the solve"),
    ];
  }

  // A curve of steps with its last value.
  curve(curve, { left, right, top, x, y }) {
    const points = this.trace.filter((point) => typeof point[curve] === "number");
    if (points.length === 0) return [];
    let path = "";
    for (const point of points) {
      const [at, value] = [round(x(point.seconds)), round(y(point[curve]))];
      path += path === "" ? "M" + at + " " + value : "H" + at + "V" + value;
    }
    const last = points[points.length - 1];
    path += "H" + right;
    const [objective, bound] = CURVES.map((name) => (this.result[name] === null ? "" : name));
    const label = this.names[curve] + " " + grouped(last[curve]);
    const place = curve === objective || bound === "" ? left : right;
    const anchor = place === left ? "start" : "end";
    const dots = points.length <= 60 ? points : [last];
    return [
      svg("path", { class: "line " + curve, d: path }),
      ...dots.map((point) => svg("circle", { class: curve, cx: round(x(point.seconds)), cy: round(y(point[curve])), r: 3 })),
      svg("path", { class: "line " + curve, d: "M" + (place === left ? left : right - textWidth(label, 12.5) - 32) + " " + (top - 18) + "h24" }),
      svg("text", {
        class: curve, x: place === left ? left + 30 : right, y: top - 14, "text-anchor": anchor,
      }, label),
    ];
  }

  // Shows the values at the time under the pointer.
  hover(event) {
    const { left, top, bottom, x } = this.drawn;
    const box = this.canvas.getBoundingClientRect();
    const at = (event.clientX - box.left) * this.width / box.width;
    const reached = this.trace.filter((point) => x(point.seconds) <= at + 3);
    const point = reached[reached.length - 1];
    this.tip.hidden = !point || at < left - 3;
    this.draw();
    if (this.tip.hidden) return;
    const values = CURVES.filter((curve) => typeof point[curve] === "number");
    const texts = values.map((curve) => this.names[curve] + " " + grouped(point[curve]));
    this.tip.textContent = "since " + duration(point.seconds) + ": " + texts.join(", ");
    this.canvas.append(svg("path", { class: "frame", d: "M" + round(x(point.seconds)) + " " + top + "V" + bottom }));
    const size = this.tip.getBoundingClientRect();
    this.tip.style.left = Math.max(0, Math.min(event.clientX - box.left + 12, box.width - size.width)) + "px";
    this.tip.style.top = Math.max(0, event.clientY - box.top - size.height - 10) + "px";
  }
}

// The values over time as curves, or in words if all were found at once; null without values.
function convergenceSection(result, about) {
  const points = result.trace.filter((point) => CURVES.some((curve) => typeof point[curve] === "number"));
  if (points.length === 0) return null;
  if (points.length > 1) return new Convergence(result, about).element;
  const [{ seconds }] = points;
  return html("section", { "aria-labelledby": "convergence" },
    html("h2", { id: "convergence" }, "Objective and bound over time"),
    html("p", {}, "The solve found its values at once, after " + duration(seconds) + "."));
}
