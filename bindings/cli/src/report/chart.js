
// A plan as a chart that can be zoomed, searched and followed, by pointer and by keyboard.

const MOST_MATCHES = 8;
const ZOOM = 1.6;
// Pointers move a little in a click.
const CLICK = 4;
// Pixels beside a narrow bar that still mean the bar.
const NEAR = 3;

class Chart {
  constructor(plan) {
    this.plan = plan;
    this.view = [0, plan.end];
    this.followed = null;
    this.hovered = null;
    this.pinch = new Pinch();
    this.current = this.firstBar();
    this.build();
    fitted(this.plot, (width) => this.resize(width));
    window.addEventListener("beforeprint", () => this.hover(null));
  }

  firstBar() {
    const first = this.plan.rows.find((row) => row.bars.length > 0);
    return first ? first.bars[0] : null;
  }

  build() {
    const { plan } = this;
    const button = (text, label, act) => html("button", { type: "button", "aria-label": label, on: { click: act } }, text);
    this.search = html("input", {
      type: "search", id: "search", autocomplete: "off", spellcheck: "false", "aria-controls": "matches",
      on: {
        input: () => this.showMatches(),
        keydown: (event) => {
          if (event.key === "Enter") this.followFirstMatch();
          if (event.key === "Escape") this.follow(null);
        },
      },
    });
    this.range = html("span", { class: "range" });
    const tools = html("div", { class: "tools" },
      html("div", { class: "group" }, html("label", { for: "search" }, "Find " + plan.group), this.search),
      html("div", { class: "group" },
        button("−", "Zoom out", () => this.zoom(1 / ZOOM)),
        button("+", "Zoom in", () => this.zoom(ZOOM)),
        button("Whole", "Show the whole chart", () => this.show(0, plan.end)),
        this.range));
    this.matches = html("ul", { class: "matches", id: "matches" });
    this.buildPlot();
    this.tip = html("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.panel = html("div", { class: "followed" });
    const hint = html("p", { class: "hint", id: "keys" },
      "Click a bar to follow its " + plan.group + ". In the chart, ",
      html("kbd", {}, "←"), " ", html("kbd", {}, "→"), " go along a row, ",
      html("kbd", {}, "↑"), " ", html("kbd", {}, "↓"), " to other rows; ",
      html("kbd", {}, "Enter"), " follows, ", html("kbd", {}, "Esc"), " stops; ",
      html("kbd", {}, "+"), " ", html("kbd", {}, "−"), " ", html("kbd", {}, "0"),
      " zoom, and so do two fingers and the wheel with Ctrl. Drag to move.");
    const note = plan.note ? html("p", { class: "note" }, plan.note) : null;
    const table = plan.tableElement || lazyTable("Table of the " + plan.title.toLowerCase(), plan.table);
    this.element = html("section", { "aria-labelledby": "plan" },
      html("h2", { id: "plan" }, plan.title), tools, this.matches,
      html("div", { class: "chart" }, this.plot, this.tip), note, hint, this.panel, table);
  }

  buildPlot() {
    const { plan } = this;
    const layer = (name) => svg("g", { class: name, "aria-hidden": "true" });
    this.layers = Object.fromEntries(["back", "bars", "marks", "on-top"].map((name) => [name, layer(name)]));
    this.axis = svg("svg", { class: "axis", "aria-hidden": "true" });
    const sizes = counted(plan.groups.length, plan.group) + " in " + counted(plan.rows.length, "row");
    // Bars stay within the rows' area while the view moves.
    this.clip = svg("rect", {});
    this.area = svg("g", { "clip-path": "url(#area)" }, this.layers.bars, this.layers.marks, this.layers["on-top"]);
    this.rows = svg("svg", {
      class: "rows", role: "group", "aria-label": plan.title + ": " + sizes, "aria-describedby": "keys",
      on: {
        keydown: (event) => this.key(event),
        pointermove: (event) => this.move(event),
        pointerleave: () => this.hover(null),
        pointerdown: (event) => this.press(event),
        pointerup: (event) => this.release(event),
        pointercancel: (event) => this.cancel(event),
        focusout: () => this.hover(null),
      },
    }, hatchDefinitions(), svg("clipPath", { id: "area" }, this.clip), this.layers.back, this.area);
    this.rows.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.plot = html("div", { class: "plot" }, this.axis, this.rows);
  }

  resize(width) {
    if (this.layout && this.layout.width === width) return;
    this.layout = layoutOf(this.plan, width);
    const { height, left, right } = this.layout;
    this.axis.setAttribute("viewBox", "0 0 " + width + " " + this.layout.axisHeight);
    this.rows.setAttribute("viewBox", "0 0 " + width + " " + height);
    fill(this.clip, { x: left - 1, y: 0, width: right - left + 14, height }, []);
    this.draw();
  }

  draw() {
    const { plan, layout, layers } = this;
    const view = viewOf(layout, ...this.view);
    this.shown = view;
    const [axis, marks] = [drawAxis(plan, layout, view), drawMarks(plan, layout, view)];
    layers.back.replaceChildren(...drawRows(plan, layout), ...axis.lines);
    layers.bars.replaceChildren(...drawBars(plan, layout, view));
    const dated = plan.groups.length > MOST_DATED ? [] : plan.order;
    layers.marks.replaceChildren(...dated.flatMap((group) => drawDates(plan, layout, view, group)), ...marks.lines);
    this.axis.replaceChildren(...axis.labels, ...marks.captions);
    this.rows.classList.toggle("zoomed", view.to - view.from < plan.end);
    this.range.textContent = grouped(Math.round(view.from)) + " to " + grouped(Math.round(view.to));
    this.drawTop();
    this.placeCursor(false);
  }

  // What is followed, and what is under the pointer.
  drawTop() {
    const { plan, layout, shown } = this;
    const parts = [];
    const place = (index) => clipped(layout, extent(layout, shown, plan.bars[index]));
    const thread = (group) => {
      const points = plan.groups[group].bars.flatMap((index) => {
        const { y, height, width, x } = place(index);
        return [[x, y + height / 2], [x + width, y + height / 2]];
      });
      return svg("polyline", { class: "thread", points: points.map(([x, y]) => round(x) + "," + round(y)).join(" ") });
    };
    if (this.followed !== null) {
      if (plan.chained) parts.push(thread(this.followed));
      parts.push(...drawDates(plan, layout, shown, this.followed));
      for (const index of plan.groups[this.followed].bars) {
        const bar = plan.bars[index];
        const at = place(index);
        parts.push(svg("rect", {
          ...at, style: "fill:" + colourOf(plan, bar),
          "data-row": bar.row, "data-group": bar.group, "data-start": bar.start, "data-end": bar.end,
        }), barLabel(plan.groups[bar.group].name, at));
      }
    }
    const hovered = this.hovered === null ? null : plan.bars[this.hovered];
    if (hovered) {
      const all = hovered.kind === undefined ? plan.groups[hovered.group].bars : [this.hovered];
      if (plan.chained && hovered.kind === undefined) parts.push(thread(hovered.group));
      parts.push(...all.map((index) => svg("rect", { class: "hover", ...place(index) })));
    }
    this.layers["on-top"].replaceChildren(...parts.filter(Boolean));
    this.layers.bars.classList.toggle("dim", this.followed !== null);
  }

  // The bar that has the focus is an element; the others have none.
  placeCursor(takesFocus) {
    if (this.current === null) return;
    const { plan, layout, shown } = this;
    const bar = plan.bars[this.current];
    const hadFocus = this.cursor && document.activeElement === this.cursor;
    const cursor = svg("rect", {
      ...clipped(layout, extent(layout, shown, bar)), class: "cursor", tabindex: 0, role: "button",
      "aria-label": plan.describe(bar), "aria-pressed": String(bar.group === this.followed && bar.kind === undefined),
      on: { focus: () => { if (cursor.matches(":focus-visible")) this.hover(this.current); } },
    });
    // Dark and light together are visible on bars of any colour.
    const ring = svg("rect", { ...clipped(layout, extent(layout, shown, bar)), class: "ring", "aria-hidden": "true" });
    if (this.cursor) {
      this.cursor.nextSibling.replaceWith(ring);
      this.cursor.replaceWith(cursor);
    } else {
      this.area.append(cursor, ring);
    }
    this.cursor = cursor;
    if (takesFocus || hadFocus) cursor.focus({ preventScroll: !takesFocus });
  }

  show(from, to) {
    const { end } = this.plan;
    // No deeper than a few units of the axis, so that coordinates stay exact.
    const length = Math.min(Math.max(to - from, Math.max(end / 1e5, 4)), end);
    const start = Math.min(Math.max(from, 0), end - length);
    this.view = [start, start + length];
    this.draw();
  }

  zoom(factor, at) {
    const [from, to] = this.view;
    const centre = at === undefined ? (from + to) / 2 : at;
    this.show(centre - (centre - from) / factor, centre + (to - centre) / factor);
  }

  // The distance from the left edge of the chart, in its units, of a place on the screen.
  across(x) {
    const box = this.rows.getBoundingClientRect();
    return (x - box.left) * this.layout.width / box.width;
  }

  // The bar at a place on the screen.
  barAt(event) {
    const box = this.rows.getBoundingClientRect();
    const zoom = this.layout.width / box.width;
    const [x, y] = [this.across(event.clientX), (event.clientY - box.top) * zoom];
    const row = this.plan.rows[Math.floor(y / this.layout.rowHeight)];
    if (!row || x < this.layout.left) return null;
    let [best, distance] = [null, NEAR];
    for (const index of row.bars) {
      const place = extent(this.layout, this.shown, this.plan.bars[index]);
      const away = Math.max(place.x - x, x - place.x - place.width, 0);
      if (away <= 0) return index;
      if (away < distance) [best, distance] = [index, away];
    }
    return best;
  }

  hover(index) {
    if (this.hovered === index) return;
    this.hovered = index;
    this.drawTop();
    this.tip.hidden = index === null;
    if (index === null) return;
    const bar = this.plan.bars[index];
    this.tip.textContent = this.plan.describe(bar);
    const place = clipped(this.layout, extent(this.layout, this.shown, bar));
    const [box, frame] = [this.rows.getBoundingClientRect(), this.tip.parentElement.getBoundingClientRect()];
    const size = this.tip.getBoundingClientRect();
    const zoom = box.width / this.layout.width;
    const x = box.left - frame.left + (place.x + place.width / 2) * zoom - size.width / 2;
    const above = box.top - frame.top + place.y * zoom - size.height - 6;
    const below = box.top - frame.top + (place.y + place.height) * zoom + 6;
    this.tip.style.left = Math.max(0, Math.min(x, frame.width - size.width)) + "px";
    this.tip.style.top = (above >= 0 ? above : below) + "px";
  }

  // Ends a drag.
  drop() {
    this.drag = null;
    this.rows.classList.remove("dragged");
  }

  // The browser takes a finger for something else.
  cancel(event) {
    this.pinch.lift(event);
    this.drop();
  }

  // What was below the middle of two fingers stays there.
  spread({ factor, from, to }) {
    const { time, scale } = this.shown;
    const start = time(this.across(from)) - (this.across(to) - this.layout.left) / (scale * factor);
    this.hover(null);
    this.show(start, start + (this.view[1] - this.view[0]) / factor);
  }

  move(event) {
    const step = this.pinch.move(event);
    if (step) this.spread(step);
    if (this.pinch.isOn) return;
    // The button was released outside.
    if (this.drag && event.buttons === 0) this.drop();
    if (!this.drag) {
      this.hover(this.barAt(event));
      return;
    }
    const moved = event.clientX - this.drag.x;
    if (Math.abs(moved) > CLICK && !this.drag.moves) {
      this.drag.moves = true;
      this.rows.setPointerCapture(event.pointerId);
      this.rows.classList.add("dragged");
    }
    if (!this.drag.moves) return;
    this.hover(null);
    const [from, to] = this.drag.view;
    const time = moved / this.shown.scale * (this.layout.width / this.rows.getBoundingClientRect().width);
    this.show(from - time, to - time);
  }

  press(event) {
    if (event.pointerType === "touch") {
      // The finger is followed even where it leaves the chart.
      this.rows.setPointerCapture(event.pointerId);
      this.pinch.press(event);
      if (this.pinch.isOn) {
        this.drop();
        return;
      }
    }
    if (event.button === 0) this.drag = { x: event.clientX, view: this.view, moves: false };
  }

  release(event) {
    const { drag } = this;
    this.pinch.lift(event);
    this.drop();
    if (!drag || drag.moves) return;
    const index = this.barAt(event);
    const bar = index === null ? null : this.plan.bars[index];
    if (bar && bar.kind === undefined) {
      this.current = index;
      this.follow(bar.group === this.followed ? null : bar.group);
    } else {
      this.follow(null);
    }
  }

  wheel(event) {
    const [from, to] = this.view;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const at = this.shown.time(this.across(event.clientX));
      this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, Math.min(Math.max(at, from), to));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const time = (event.deltaX || event.deltaY) / this.shown.scale;
      this.show(from + time, to + time);
    }
  }

  key(event) {
    if (this.current === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const bar = this.plan.bars[this.current];
    const row = this.plan.rows[bar.row].bars;
    const acts = {
      ArrowRight: () => this.go(row[bar.place + 1]),
      ArrowLeft: () => this.go(row[bar.place - 1]),
      ArrowDown: () => this.go(this.neighbour(bar, 1)),
      ArrowUp: () => this.go(this.neighbour(bar, -1)),
      Home: () => this.go(row[0]),
      End: () => this.go(row[row.length - 1]),
      Enter: () => this.toggle(bar),
      " ": () => this.toggle(bar),
      Escape: () => this.follow(null),
      "+": () => this.zoom(ZOOM, (bar.start + bar.end) / 2),
      "=": () => this.zoom(ZOOM, (bar.start + bar.end) / 2),
      "-": () => this.zoom(1 / ZOOM, (bar.start + bar.end) / 2),
      0: () => this.show(0, this.plan.end),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  toggle(bar) {
    if (bar.kind === undefined) this.follow(bar.group === this.followed ? null : bar.group);
  }

  // The bar of the same group in the next row; in plans without such bars, the nearest one.
  neighbour(bar, step) {
    const { plan } = this;
    for (let row = bar.row + step; row >= 0 && row < plan.rows.length; row += step) {
      const { bars } = plan.rows[row];
      const same = bars.find((index) => plan.bars[index].group === bar.group && plan.bars[index].kind === bar.kind);
      if (plan.chained && same !== undefined) return same;
      const away = (index) => Math.abs(plan.bars[index].start - bar.start);
      if (bars.length > 0) return bars.reduce((best, index) => (away(index) < away(best) ? index : best));
    }
    return undefined;
  }

  // Moves the focus to a bar.
  go(index) {
    if (index === undefined) return;
    this.current = index;
    const { start, end } = this.plan.bars[index];
    const [from, to] = this.view;
    if (start < from || end > to) this.show((start + end - to + from) / 2, (start + end + to - from) / 2);
    this.hover(null);
    this.placeCursor(true);
    this.hover(index);
  }

  // Follows a group, or none.
  follow(group) {
    if (group === null && this.followed === null) return;
    this.followed = group;
    this.drawTop();
    if (group === null) {
      if (this.panel.contains(document.activeElement)) this.cursor.focus();
      this.panel.replaceChildren();
      say("No " + this.plan.group + " is followed.");
    } else {
      this.describe(group);
    }
    this.placeCursor(false);
  }

  describe(group) {
    const { plan } = this;
    const { name, bars } = plan.groups[group];
    const button = (text, act) => html("button", { type: "button", on: { click: act } }, text);
    const place = plan.order.indexOf(group);
    const step = (by) => () => this.follow(plan.order[(place + by + plan.order.length) % plan.order.length]);
    const [first, last] = [plan.bars[bars[0]], plan.bars[bars[bars.length - 1]]];
    const details = plan.details(group);
    // The button that was pressed is replaced, and must not lose the focus.
    const pressed = this.panel.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.panel.replaceChildren(
      html("h3", {}, name),
      html("div", { class: "tools" }, html("div", { class: "group" },
        button("Previous", step(-1)), button("Next", step(1)),
        button("Zoom to it", () => this.showGroup(group)), button("Stop following", () => this.follow(null)))),
      scrolling("div", "wide", "Table of " + name, tableOf({ ...details, caption: details.caption || plan.group + " " + name })));
    [...this.panel.querySelectorAll("button")].find((one) => one.textContent === pressed)?.focus();
    say("Following " + plan.group + " " + name + ", " + counted(bars.length, "bar") + ": from " +
      grouped(first.start) + " on " + plan.rows[first.row].name + " to " + grouped(last.end) + " on " +
      plan.rows[last.row].name + ".");
  }

  showGroup(group) {
    const bars = this.plan.groups[group].bars.map((index) => this.plan.bars[index]);
    const from = bars.reduce((least, bar) => Math.min(least, bar.start), Infinity);
    const to = bars.reduce((most, bar) => Math.max(most, bar.end), 0);
    const room = (to - from) * 0.08 + 1;
    this.show(from - room, to + room);
  }

  // The groups whose names contain the text of the search, whole names first.
  found() {
    const text = this.search.value.trim().toLowerCase();
    if (text === "") return [];
    const names = this.plan.groups.map(({ name }) => name.toLowerCase());
    const rank = (name) => (name === text ? 0 : name.startsWith(text) ? 1 : 2);
    const found = this.plan.order.filter((group) => names[group].includes(text));
    return found.sort((a, b) => rank(names[a]) - rank(names[b]));
  }

  showMatches() {
    const found = this.found();
    const entry = (group) => html("li", {}, html("button", {
      type: "button", on: { click: () => this.follow(group) },
    }, this.plan.groups[group].name));
    const more = found.length > MOST_MATCHES ? [html("li", {}, "and " + grouped(found.length - MOST_MATCHES) + " more")] : [];
    const text = this.search.value.trim();
    const none = text !== "" && found.length === 0 ? [html("li", {}, "No " + this.plan.group + " has this in its name.")] : [];
    this.matches.replaceChildren(...found.slice(0, MOST_MATCHES).map(entry), ...more, ...none);
    if (text !== "") say(counted(found.length, this.plan.group) + " found.");
  }

  followFirstMatch() {
    const [first] = this.found();
    if (first !== undefined) this.follow(first);
  }
}
