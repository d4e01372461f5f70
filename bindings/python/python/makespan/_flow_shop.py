"""The permutation flow shop: its instances, results and function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _makespan
from ._bars import Bars
from ._instance import Instance
from ._result import _Schedule, read_only

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
        if dates is None:
            raise ValueError("the instance has no due dates")
        return self._kept("tardiness", lambda: np.maximum(self.completions - dates, 0))

    @property
    def objectives(self) -> dict[str, int]:
        """The values of all stages of the objective, the most important first."""
        values = self._kept("values", lambda: self.instance.evaluate(self._found()))
        return dict(zip(self.instance.objective, values))

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each operation, by start: job, machine, start, end."""
        bars = self._bars()
        order = np.lexsort((bars.row, bars.start))
        columns = {"job": bars.job, "machine": bars.row, "start": bars.start, "end": bars.end}
        return {name: read_only(column[order]) for name, column in columns.items()}

    def _bars(self) -> Bars:
        jobs, machines = self.starts.shape
        sequence = self._found()
        row = np.tile(np.arange(machines), jobs)
        job = np.repeat(sequence, machines)
        starts, ends = self.starts[sequence].ravel(), self.ends[sequence].ravel()
        return Bars(row, starts, ends, job, machines)


class FlowShop(Instance):
    """Jobs that pass all machines in the same sequence.

    All times are whole numbers in one unit. With n jobs and m machines:

    - `times`, shape (n, m): the time of each job on each machine;
    - `objective`: criteria with commas between, or a list of them, the most important first. Each
      may be a sum, as in "late-jobs,total-tardiness+5*makespan";
    - `release_times`, `due_dates`, `weights`, shape (n,): of each job. Due dates may be negative;
    - `setups`, shape (k, k), or (m, k, k) with a matrix for each machine: row i and column j is the
      set-up for job j after job i. With `families`, shape (n,), it is for family j after family i;
    - `first_setups`, shape (k,) or (m, k): the set-up for the first job of a machine;
    - `last_kinds`, shape (m,): the job or family that each machine is set up for at the beginning,
      in place of `first_setups`;
    - `blocking`: a job stays on its machine until the next machine is free;
    - `ready_times`, shape (m,): the time from which each machine is free;
    - `pinned`: the jobs that the sequence begins with;
    - `running_plan`: the sequence from which criteria such as "inversions" count differences. It
      may lack new jobs.

    An argument that was not given is None as an attribute.
    """

    __slots__ = ()
    _class = _makespan.FlowShop
    _result = FlowShopResult
    _arguments = (
        "times",
        "objective",
        "release_times",
        "due_dates",
        "weights",
        "setups",
        "families",
        "first_setups",
        "last_kinds",
        "blocking",
        "ready_times",
        "pinned",
        "running_plan",
    )
    _sizes = ("jobs", "machines")

    def __init__(
        self,
        times: ArrayLike,
        *,
        objective: str | Sequence[str] | None = None,
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
    def read(cls, path: str | os.PathLike[str], *, format: str = "auto") -> Self:
        """An instance from a file. `format` is "taillard", "vrf", "matrix", "setups" or
        "due-dates"; "auto" takes the first that fits. Files of CSV and JSON are refused."""
        return cls._of(_makespan.FlowShop._read(path, format))

    @classmethod
    def parse(cls, text: str, *, format: str = "auto") -> Self:
        """An instance from the text of such a file.

        >>> import makespan
        >>> makespan.FlowShop.parse("3 2\\n1 4\\n2 2\\n", format="matrix").jobs
        3
        """
        return cls._of(_makespan.FlowShop._parse(text, format))

    @classmethod
    def named(cls, name: str) -> Self:
        """One of Taillard's instances, "ta001" to "ta120".

        >>> import makespan
        >>> makespan.FlowShop.named("ta021").times.shape
        (20, 20)
        """
        return cls._of(_makespan.FlowShop._named(name))

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
    def release_times(self) -> NDArray[np.int64] | None:
        """The time from which each job may start."""
        return self._native.release_times

    @property
    def due_dates(self) -> NDArray[np.int64] | None:
        """The due date of each job."""
        return self._native.due_dates

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """The weight of each job."""
        return self._native.weights

    @property
    def setups(self) -> NDArray[np.int64] | None:
        """The set-ups, one matrix for all machines or one for each."""
        return self._native.setups

    @property
    def families(self) -> NDArray[np.int64] | None:
        """The family of each job."""
        return self._native.families

    @property
    def first_setups(self) -> NDArray[np.int64] | None:
        """The set-ups for first jobs, one row for all machines or one for each."""
        return self._native.first_setups

    @property
    def last_kinds(self) -> NDArray[np.int64] | None:
        """The job or family that each machine is set up for at the beginning."""
        return self._native.last_kinds

    @property
    def blocking(self) -> bool:
        """Whether a job stays on its machine until the next one is free."""
        return self._native.blocking

    @property
    def ready_times(self) -> NDArray[np.int64] | None:
        """The time from which each machine is free."""
        return self._native.ready_times

    @property
    def pinned(self) -> NDArray[np.int64] | None:
        """The jobs that every sequence begins with."""
        return self._native.pinned

    @property
    def running_plan(self) -> NDArray[np.int64] | None:
        """The sequence of the running plan."""
        return self._native.running_plan

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
    objective: str | Sequence[str] | None = None,
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
