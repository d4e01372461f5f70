"""The bars of a Gantt chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Bars(NamedTuple):
    """One element for each bar."""

    #: Number of the row: the machine.
    row: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    job: NDArray[np.int64]
    rows: int
