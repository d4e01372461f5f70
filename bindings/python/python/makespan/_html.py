"""Results as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

#: A chart with more bars is left out.
MOST_BARS = 2000
#: Rows of a table.
MOST_ROWS = 10
WIDTH = 800
ROW = 18


def summary(result: Any) -> str:
    """Status and values, and the chart or the first rows of the table."""
    rows = [
        ("status", result.status),
        ("objective", result.objective),
        ("bound", result.bound),
        ("method", result.method),
        ("seconds", f"{result.seconds:.3f}"),
    ]
    if result.device:
        rows.append(("device", result.device))
    if result.warning:
        rows.append(("warning", result.warning))
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows
    )
    name = escape(type(result).__name__)
    parts = [f"<table><caption>{name}</caption>{cells}</table>"]
    if result.solution is not None:
        parts.append(chart(result._bars()) if hasattr(result, "_bars") else table(result))
    return "".join(parts)


def table(result: Any) -> str:
    """The first rows of the solution's table."""
    try:
        columns = result.table()
    except ValueError:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = list(zip(*(column[:MOST_ROWS].tolist() for column in columns.values())))
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    length = len(next(iter(columns.values())))
    more = f"<p>{length - MOST_ROWS} more rows</p>" if length > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def chart(bars: Any) -> str:
    """The schedule as a chart in SVG; the pointer shows a bar's job and times."""
    end = int(bars.end.max(initial=0))
    if len(bars.row) > MOST_BARS or end == 0:
        return ""
    height = bars.rows * ROW
    parts = []
    for row, start, stop, job in zip(*(list.tolist() for list in bars[:4])):
        x, width = start * WIDTH / end, (stop - start) * WIDTH / end
        hue = job * 222 % 360
        title = f"job {job}, machine {row}: {start} to {stop}"
        parts.append(
            f'<rect x="{x:.2f}" y="{row * ROW + 1}" width="{width:.2f}" height="{ROW - 2}" '
            f'fill="hsl({hue},60%,70%)"><title>{title}</title></rect>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="100%" style="max-width:{WIDTH}px">{"".join(parts)}</svg>'
    )
