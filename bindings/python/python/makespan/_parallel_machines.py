"""Jobs on identical machines: instances, results and a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._bars import Bars
from ._instance import InFiles
from ._result import _Schedule, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ._keywords import ParallelMachinesKeywords


class ParallelMachinesResult(_Schedule["ParallelMachines"]):
    """The machines of all jobs."""

    __slots__ = ()

    @property
    def assignment(self) -> NDArray[np.int64] | None:
        """The machine of each job; None without a solution."""
        return self.solution

    @property
    def starts(self) -> NDArray[np.int64]:
        """The start time of each job."""
        return self._kept("starts", lambda: self.instance.starts(self._found()))

    @property
    def ends(self) -> NDArray[np.int64]:
        """The end of each job."""
        return self._kept("ends", lambda: self.starts + self.instance.times)

    @property
    def loads(self) -> NDArray[np.int64]:
        """The work of each machine."""

        def loads() -> NDArray[np.int64]:
            loads = np.zeros(self.instance.machines, dtype=np.int64)
            np.add.at(loads, self._found(), self.instance.times)
            return loads

        return self._kept("loads", loads)

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each job, by machine and start: job, machine, start, end."""
        bars = self._bars()
        order = np.lexsort((bars.start, bars.row))
        columns = {"job": bars.job, "machine": bars.row, "start": bars.start, "end": bars.end}
        return {name: read_only(column[order]) for name, column in columns.items()}

    def _bars(self) -> Bars:
        machines = self.instance.machines
        jobs = np.arange(self.instance.jobs)
        return Bars(self._found(), self.starts, self.ends, jobs, machines)


class ParallelMachines(InFiles):
    """Jobs on identical machines.

    `times` has the time of each job, in whole numbers of any unit with a sum below 2^63. `pinned`
    has the machines of jobs that must not move: a dictionary from jobs to machines, or an array of
    shape (n, 2) with such pairs.
    """

    __slots__ = ()
    _class = _makespan.ParallelMachines
    _result = ParallelMachinesResult
    _arguments = ("times", "machines", "pinned")
    _sizes = ("jobs", "machines")

    def __init__(
        self,
        times: ArrayLike,
        machines: int,
        *,
        pinned: ArrayLike | Mapping[int, int] | None = None,
    ) -> None:
        self._native = _makespan.ParallelMachines(times, machines, pinned=pinned)  # type: ignore[arg-type]

    @property
    def times(self) -> NDArray[np.int64]:
        """The time of each job."""
        return self._native.times

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return self._native.jobs

    @property
    def machines(self) -> int:
        """Number of machines."""
        return self._native.machines

    @property
    def pinned(self) -> NDArray[np.int64] | None:
        """The jobs that must not move with their machines, a row for each; None without any."""
        return self._native.pinned

    def evaluate(self, assignment: ArrayLike) -> int:
        """The makespan of an assignment, the machine of each job."""
        return self._native.evaluate(assignment)

    def starts(self, assignment: ArrayLike) -> NDArray[np.int64]:
        """The start time of each job of an assignment."""
        return self._native.starts(assignment)

    def solve(self, **keywords: Unpack[ParallelMachinesKeywords]) -> ParallelMachinesResult:
        """Finds a short schedule and a proved bound; see `parallel_machines`."""
        return self._run(keywords)


def parallel_machines(
    times: ArrayLike,
    machines: int,
    *,
    pinned: ArrayLike | Mapping[int, int] | None = None,
    **keywords: Unpack[ParallelMachinesKeywords],
) -> ParallelMachinesResult:
    """Assigns jobs to identical machines, so that the last one ends as early as possible.

    Keywords are the options of `options("parallel_machines")` and those of all problems; see
    `flow_shop`.

    >>> import makespan
    >>> result = makespan.parallel_machines([5, 5, 4, 4, 3, 3, 3], machines=3)
    >>> result.status, result.objective, result.loads
    ('optimal', 9, array([9, 9, 9]))
    """
    return ParallelMachines(times, machines, pinned=pinned)._run(keywords)
