"""The permutation flow shop: its instances, results and function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._instance import Instance
from ._result import Bars, _Schedule

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self, Unpack

    from ._keywords import FlowShopKeywords


class FlowShopResult(_Schedule["FlowShop"]):
    """A sequence of jobs with its schedule."""

    __slots__ = ()

    @property
    def sequence(self) -> NDArray[np.int64] | None:
        """The jobs in their sequence; None without a solution."""
        return self.solution

    @property
    def starts(self) -> NDArray[np.int64]:
        """Start times, a row for each job and a column for each machine."""
        return self._kept("starts", lambda: self.instance.starts(self._found()))

    @property
    def ends(self) -> NDArray[np.int64]:
        """The ends, in the same order."""
        return self._kept("ends", lambda: self.starts + self.instance.times)

    @property
    def completions(self) -> NDArray[np.int64]:
        """The time at which each job ends."""
        return self.ends[:, -1]

    @property
    def tardiness(self) -> NDArray[np.int64]:
        """The time by which each job ends after its due date; the instance must have due dates."""
        dates = self.instance.due_dates
        if not len(dates):
            raise ValueError("the instance has no due dates")
        return np.maximum(self.completions - dates, 0)

    @property
    def objectives(self) -> dict[str, int]:
        """The values of all stages of the objective, the most important first."""
        values = self._kept("values", lambda: self.instance.evaluate(self._found()))
        return dict(zip(self.instance.objective, values))

    def table(self) -> dict[str, Any]:
        """A row for each operation, by start: job, machine, start, end."""
        bars = self._bars()
        order = np.lexsort((bars.row, bars.start))
        columns = {"job": bars.job, "machine": bars.row, "start": bars.start, "end": bars.end}
        return {name: column[order] for name, column in columns.items()}

    def _bars(self) -> Bars:
        jobs, machines = self.starts.shape
        sequence = self._found()
        row = np.tile(np.arange(machines), jobs)
        job = np.repeat(sequence, machines)
        starts, ends = self.starts[sequence].ravel(), self.ends[sequence].ravel()
        return Bars(row, starts, ends, job, machines)


class FlowShop(Instance):
    """Jobs that pass all machines in the same sequence.

    `times` has a row for each job and a column for each machine. `objective` lists criteria with
    commas between, the most important first, each perhaps a sum such as
    "late-jobs,total-tardiness+5*makespan". `setups` is one matrix for all machines or one for each:
    row i and column j is the set-up for job j after job i, or for family j after family i if
    `families` has the family of each job.
    """

    __slots__ = ()
    _class = _makespan.FlowShop
    _result = FlowShopResult

    def __init__(
        self,
        times: ArrayLike,
        *,
        objective: str | None = None,
        release_times: ArrayLike | None = None,
        due_dates: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        setups: ArrayLike | None = None,
        families: ArrayLike | None = None,
        first_setups: ArrayLike | None = None,
        last_kinds: ArrayLike | None = None,
        blocking: bool = False,
        ready_times: ArrayLike | None = None,
        pinned: ArrayLike | None = None,
        running_plan: ArrayLike | None = None,
    ) -> None:
        self._native = _makespan.FlowShop(
            times,
            objective=objective,
            release_times=release_times,
            due_dates=due_dates,
            weights=weights,
            setups=setups,
            families=families,
            first_setups=first_setups,
            last_kinds=last_kinds,
            blocking=blocking,
            ready_times=ready_times,
            pinned=pinned,
            running_plan=running_plan,
        )

    @classmethod
    def named(cls, name: str) -> Self:
        """One of Taillard's instances, "ta001" to "ta120".

        >>> import makespan
        >>> makespan.FlowShop.named("ta021").times.shape
        (20, 20)
        """
        return cls._of(_makespan.FlowShop._named(name))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """An instance from a file in one of the library's formats."""
        return cls._of(_makespan.FlowShop._read(path))

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return self._native.jobs

    @property
    def machines(self) -> int:
        """Number of machines."""
        return self._native.machines

    @property
    def times(self) -> NDArray[np.int64]:
        """The times, a row for each job."""
        return self._native.times

    @property
    def due_dates(self) -> NDArray[np.int64]:
        """The due date of each job; empty if they were not given."""
        return self._native.due_dates

    @property
    def objective(self) -> list[str]:
        """The stages of the objective, the most important first."""
        return self._native.objective

    def evaluate(self, sequence: ArrayLike) -> list[int]:
        """The values of a sequence, one for each stage of the objective."""
        return self._native.evaluate(sequence)

    def starts(self, sequence: ArrayLike) -> NDArray[np.int64]:
        """The start times of a sequence, a row for each job."""
        return self._native.starts(sequence)

    def solve(self, **keywords: Unpack[FlowShopKeywords]) -> FlowShopResult:
        """Finds a good sequence and a proved bound; see `flow_shop`."""
        return self._run(keywords)


def flow_shop(
    times: ArrayLike,
    *,
    objective: str | None = None,
    release_times: ArrayLike | None = None,
    due_dates: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    setups: ArrayLike | None = None,
    families: ArrayLike | None = None,
    first_setups: ArrayLike | None = None,
    last_kinds: ArrayLike | None = None,
    blocking: bool = False,
    ready_times: ArrayLike | None = None,
    pinned: ArrayLike | None = None,
    running_plan: ArrayLike | None = None,
    **keywords: Unpack[FlowShopKeywords],
) -> FlowShopResult:
    """Schedules jobs that pass all machines in the same sequence; `FlowShop` has the arguments.

    Other keywords are those of all problems: the options that `options("flow_shop")` lists, and

    - `context`: the `Context` with threads and devices;
    - `stop`: a `StopHandle` by which other threads end the solve;
    - `on_solution`: a function that is called with a `Progress` for each better solution;
    - `on_progress`: a function that is called with a `Progress` about twenty times a second;
    - `display`: whether to show the progress on the screen.

    A function that raises `StopIteration` ends the solve, which returns its best result so far.
    Another exception ends the solve, too, and the call raises it. So does Ctrl-C.

    >>> import makespan
    >>> result = makespan.flow_shop([[3, 2], [1, 4], [2, 2]])
    >>> result.status, result.objective, result.bound
    ('optimal', 9, 9)
    >>> result.sequence
    array([1, 2, 0])
    """
    shop = FlowShop(
        times,
        objective=objective,
        release_times=release_times,
        due_dates=due_dates,
        weights=weights,
        setups=setups,
        families=families,
        first_setups=first_setups,
        last_kinds=last_kinds,
        blocking=blocking,
        ready_times=ready_times,
        pinned=pinned,
        running_plan=running_plan,
    )
    return shop._run(keywords)
