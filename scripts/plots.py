#!/usr/bin/env python3
"""Draws the charts of the book from measurements.

    plots.py [--check]

`cargo bench --bench solves -- SUITE --json FILE` measures; the lines are kept in docs/src/benchmarks/data/SUITE.jsonl.
A chart has a bar for the best line of a row and a series. With --check nothing is written: each chart must be what its
lines give.
"""
import json
import math
import os
import sys
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "docs/src/benchmarks/data")
IMAGES = os.path.join(ROOT, "docs/src/images")

WIDTH, LEFT, SPAN, TOP = 760, 190, 480, 44
BAR, GAP, ROW_GAP = 15, 3, 10
COLOURS = [("c", "#ddf4ff", "#0969da"), ("g", "#dafbe1", "#1a7f37"), ("o", "#fff8c5", "#9a6700")]


def place(line):
    """Where a line was measured: the device, or the cores."""
    if line["engine"] == "device":
        return line["device"].replace("NVIDIA ", "")
    return "one core" if line["threads"] == 1 else f"{line['threads']} cores"


def rate(line, counter):
    return line["statistics"][counter] / line["seconds"]


def taillard_size(name):
    """Taillard's numbering: ten instances for each size."""
    sizes = "20x5 20x10 20x20 50x5 50x10 50x20 100x5 100x10 100x20 200x10 200x20 500x20".split()
    return sizes[(int(name[2:]) - 1) // 10]


def shape(sizes):
    """As the tables have it: 4^13, or the sizes."""
    return f"{sizes[0]}^{len(sizes)}" if len(set(sizes)) == 1 else f"({','.join(map(str, sizes))})"


def best(values):
    return max(values)


def least(values):
    return min(values)


def mean(values):
    return sum(values) / len(values)


CHARTS = [
    {
        "name": "chart-branch-and-bound",
        "suite": "flow-shop-trees",
        "title": "Branch and bound below the optimum, LB1, million nodes a second",
        "where": lambda line: line["variant"] == "lb1",
        "row": lambda line: f"{line['instance']} {taillard_size(line['instance'])}",
        "series": place,
        "value": lambda line: rate(line, "nodes") / 1e6,
        "of_several": best,
        "logarithmic": True,
        "complete": True,
    },
    {
        "name": "chart-flow-shop-quality",
        "suite": "flow-shop-quality",
        "title": "auto on Taillard's instances: % above the best known makespan, mean of a class",
        "row": lambda line: line["class"],
        "series": lambda line: "two threads, jobs x machines / 2 x 30 ms",
        "value": lambda line: line["statistics"]["deviation_percent"],
        "of_several": mean,
    },
    {
        "name": "chart-interval-dp",
        "suite": "interval-tiles",
        "title": "(min,+) interval program, 32-bit cells, billion relaxations a second",
        "where": lambda line: line["variant"] == "i32" and line["instance"].startswith("search-tree"),
        "row": lambda line: f"{place(line)}, {line['statistics']['points']:,} points",
        "series": lambda line: "rate of whole solves",
        "value": lambda line: rate(line, "relaxations") / 1e9,
        "of_several": best,
        "logarithmic": True,
    },
    {
        "name": "chart-knapsack-dense",
        "suite": "knapsack-dense",
        "title": "Knapsack, dense table with the values of all capacities, billion cells a second",
        "where": lambda line: line["variant"].startswith("values"),
        "row": lambda line: line["instance"],
        "series": place,
        "value": lambda line: rate(line, "cells") / 1e9,
        "of_several": best,
        "logarithmic": True,
    },
    {
        "name": "chart-lattice",
        "suite": "lattice-single",
        "title": "Lattice, table and path, microseconds",
        "where": lambda line: line["variant"] in ("1 thread", "all threads", "device"),
        "row": lambda line: shape(json.loads(line["instance"].partition("]")[0] + "]")),
        "series": place,
        "value": lambda line: line["seconds"] * 1e6,
        "of_several": least,
        "logarithmic": True,
    },
]


def bars(chart):
    """Rows and series in the order of the lines, and the value of each pair."""
    values = {}
    with open(os.path.join(DATA, chart["suite"] + ".jsonl"), encoding="utf-8") as file:
        for line in map(json.loads, file):
            if chart.get("where", lambda line: True)(line):
                values.setdefault((chart["row"](line), chart["series"](line)), []).append(chart["value"](line))
    rows = list(dict.fromkeys(row for row, _ in values))
    series = list(dict.fromkeys(series for _, series in values))
    if chart.get("complete"):
        rows = [row for row in rows if all((row, name) in values for name in series)]
    return rows, series, {pair: chart["of_several"](several) for pair, several in values.items()}


def ticks(values, logarithmic):
    """The numbers below the axis."""
    if logarithmic:
        first = math.floor(math.log10(min(values)))
        return [10.0 ** power for power in range(first, max(first + 1, math.ceil(math.log10(max(values)))) + 1)]
    step = 10.0 ** math.floor(math.log10(max(values)))
    step = next(step * part for part in (0.2, 0.5, 1, 2) if max(values) / (step * part) <= 5)
    return [step * number for number in range(math.ceil(max(values) / step) + 1)]


def number(value):
    """Three digits."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def text(x, y, words, anchor="start", style="s"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}">{escape(words)}</text>'


def draw(chart):
    rows, series, values = bars(chart)
    shown = [values[row, name] for row in rows for name in series if (row, name) in values]
    axis, logarithmic = ticks(shown, chart.get("logarithmic")), chart.get("logarithmic")
    row_height = len(series) * (BAR + GAP) + ROW_GAP
    bottom = TOP + len(rows) * row_height
    height = bottom + 56

    def scaled(value):
        part = math.log(value / axis[0], axis[-1] / axis[0]) if logarithmic else value / axis[-1]
        return SPAN * part

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img">',
        f"<title>{escape(chart['title'])}</title>",
        "<style>",
        *(f" .{style}{{fill:{fill};stroke:{stroke};stroke-width:1.2}}" for style, fill, stroke in COLOURS),
        " .n{fill:none;stroke:#57606a;stroke-width:1;stroke-dasharray:5 4}",
        " text{font-family:sans-serif;font-size:13px;fill:#1f2328}",
        " .t{font-weight:bold}",
        " .s{font-size:11px;fill:#424a53}",
        " .v{font-size:11px;fill:#424a53;stroke:#ffffff;stroke-width:3;paint-order:stroke}",
        "</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        text(20, 24, chart["title"], style="t"),
    ]
    for tick in axis:
        x = LEFT + scaled(tick)
        svg += [f'<path d="M{x:.1f},{TOP} L{x:.1f},{bottom}" class="n"/>', text(x, bottom + 14, number(tick), "middle")]
    for place_of_row, row in enumerate(rows):
        top = TOP + place_of_row * row_height + 5
        svg.append(text(LEFT - 8, top + len(series) * (BAR + GAP) / 2 + 3, row, "end"))
        for index, name in enumerate(series):
            if (row, name) in values:
                y, width = top + index * (BAR + GAP), max(1, scaled(values[row, name]))
                svg += [
                    f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" class="{COLOURS[index][0]}"/>',
                    text(LEFT + width + 5, y + 12, number(values[row, name]), style="v"),
                ]
    for index, name in enumerate(series):
        x = LEFT + 150 * index
        svg.append(f'<rect x="{x}" y="{bottom + 22}" width="12" height="12" class="{COLOURS[index][0]}"/>')
        svg.append(text(x + 18, bottom + 32, name))
    if logarithmic:
        svg.append(text(WIDTH - 10, bottom + 32, "log scale", "end"))
    return "\n".join([*svg, "</svg>"]) + "\n"


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    stale = []
    for chart in CHARTS:
        path, drawn = os.path.join(IMAGES, chart["name"] + ".svg"), draw(chart)
        if check:
            with open(path, encoding="utf-8") as file:
                stale += [path] if file.read() != drawn else []
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawn)
    for path in stale:
        print(f"{path} is not what scripts/plots.py draws", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
