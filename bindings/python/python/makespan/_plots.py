"""Plots by matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._bars import Bars

#: Bars get the numbers of their jobs only up to this number of bars.
LABELLED = 200


def gantt(bars: Bars, ax: Any) -> Any:
    """Draws bars in rows, in the colour of their jobs."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(10, 1 + 0.4 * min(bars.rows, 40)))
    jobs = np.unique(bars.job)
    place = np.searchsorted(jobs, bars.job)
    # Neighbours in the list get colours that are far apart.
    colours = plt.get_cmap("hsv")((place * 0.618034) % 1.0, alpha=0.6)
    lengths = bars.end - bars.start
    ax.barh(bars.row, lengths, left=bars.start, height=0.8, color=colours, edgecolor="white")
    if len(bars.job) <= LABELLED:
        for row, start, length, job in zip(bars.row, bars.start, lengths, bars.job):
            if length > 0:
                middle = start + length / 2
                ax.text(middle, row, str(job), ha="center", va="center", fontsize="small")
    ax.set_yticks(range(bars.rows))
    ax.set_ylim(bars.rows - 0.5, -0.5)
    ax.set_xlabel("time")
    ax.set_ylabel("machine")
    return ax


def convergence(result: Any, ax: Any) -> Any:
    """Draws objective and bound as steps over time."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots()
    trace = result.trace
    for name in ("objective", "bound"):
        points = [(point.seconds, getattr(point, name)) for point in trace]
        known = [(seconds, value) for seconds, value in points if value is not None]
        if known:
            seconds, values = zip(*known)
            # The last value lasts until the end.
            end = max(trace[-1].seconds, result.seconds + result.setup_seconds)
            ax.step((*seconds, end), (*values, values[-1]), where="post", label=name)
            ax.plot(seconds, values, ".", color=ax.lines[-1].get_color())
    ax.set_xlabel("seconds")
    ax.set_ylabel("value")
    if ax.lines:
        ax.legend()
    return ax
