"""Progress of a solve on the screen."""

from __future__ import annotations

import sys
from typing import Any

#: Seconds between two lines on a terminal.
INTERVAL = 0.1


def with_display(keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords with a function that shows the progress and calls the caller's own."""
    own = keywords.get("on_progress")
    if own is not None and not callable(own):
        raise TypeError("on_progress: must be callable")
    show = Display()

    def on_progress(progress: Any) -> None:
        show(progress)
        if own is not None:
            own(progress)

    return {**keywords, "on_progress": on_progress}


class Display:
    """Shows the state on one line of a terminal or notebook; elsewhere a line for each solution."""

    def __init__(self) -> None:
        self.shown = -INTERVAL
        self.is_live = sys.stderr.isatty() or "ipykernel" in sys.modules
        self.width = 0

    def __call__(self, progress: Any) -> None:
        is_end = progress.phase == "end"
        is_new = progress.solution is not None
        due = is_end or progress.seconds - self.shown >= INTERVAL
        if not (due if self.is_live else is_new or is_end):
            return
        self.shown = progress.seconds
        text = line(progress)
        if self.is_live:
            text, self.width = "\r" + text.ljust(self.width), len(text)
        sys.stderr.write(text if self.is_live and not is_end else text + "\n")
        sys.stderr.flush()


def line(progress: Any) -> str:
    """The state in one line."""
    parts = [f"{progress.seconds:8.2f} s", f"objective {progress.objective}"]
    parts.append(f"bound {progress.bound}")
    parts.append(progress.phase)
    if progress.fraction is not None:
        parts.append(f"{progress.fraction:.0%}")
    return "  ".join(parts)
