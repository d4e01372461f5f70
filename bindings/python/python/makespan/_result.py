"""What the results of all problems share: numbers, tables and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from ._bars import Bars

P = TypeVar("P")


class TracePoint(NamedTuple):
    """The best values at a time of a solve."""

    seconds: float
    objective: float | None
    bound: float | None


class Outcome(NamedTuple):
    """What the native part tells of a solve; `Result` explains it."""

    status: str
    objective: float | None
    bound: float | None
    sense: str
    guarantee: float | None
    solution: Any
    method: str
    device: str | None
    fallback: str | None
    warning: str | None
    interrupted: bool
    seconds: float
    setup_seconds: float
    statistics: dict[str, int]
    trace: list[tuple[float, float | None, float | None]]


def read_only(value: Any) -> Any:
    """The value, whose arrays nobody can change any more."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, dict):
        for part in value.values():
            read_only(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            read_only(part)
    return value


class Result(Generic[P]):
    """What a solve found and proved. Its arrays are read-only."""

    __slots__ = ("_cache", "_outcome", "instance")
    #: The instance that was solved.
    instance: P

    def __init__(self, instance: P, outcome: dict[str, Any]) -> None:
        self.instance = instance
        self._outcome = Outcome(**outcome)
        self._cache: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._restored, (self.instance, self._outcome._asdict())

    @classmethod
    def _restored(cls, instance: P, outcome: dict[str, Any]) -> Self:
        """A result from a pickle, which does not keep that arrays are read-only."""
        read_only(outcome["solution"])
        return cls(instance, outcome)

    @property
    def status(self) -> str:
        """optimal, feasible, infeasible or stopped."""
        return self._outcome.status

    @property
    def is_optimal(self) -> bool:
        """Whether the solution is proved optimal."""
        return self._outcome.status == "optimal"

    @property
    def objective(self) -> Any:
        """The value of the solution, computed again from it; None without a solution."""
        return self._outcome.objective

    @property
    def bound(self) -> Any:
        """Proved: no solution is better than this."""
        return self._outcome.bound

    @property
    def sense(self) -> str:
        """minimise or maximise."""
        return self._outcome.sense

    @property
    def guarantee(self) -> float | None:
        """Largest possible factor between the objective and the optimum."""
        return self._outcome.guarantee

    @property
    def solution(self) -> Any:
        """The solution as arrays; None without one."""
        return self._outcome.solution

    @property
    def method(self) -> str:
        """The method that ran."""
        return self._outcome.method

    @property
    def device(self) -> str | None:
        """The device that did the heavy work; None if the CPU did."""
        return self._outcome.device

    @property
    def fallback(self) -> str | None:
        """Why the CPU did the work although a device was asked for or expected to be faster."""
        return self._outcome.fallback

    @property
    def warning(self) -> str | None:
        """A fault that did not end the solve."""
        return self._outcome.warning

    @property
    def interrupted(self) -> bool:
        """Whether a limit, a stop handle or a function ended the solve."""
        return self._outcome.interrupted

    @property
    def seconds(self) -> float:
        """Seconds of the solve without `setup_seconds`."""
        return self._outcome.seconds

    @property
    def setup_seconds(self) -> float:
        """Seconds in which the device was found and its kernels were built."""
        return self._outcome.setup_seconds

    @property
    def statistics(self) -> dict[str, int]:
        """Counters by name."""
        return dict(self._outcome.statistics)

    @property
    def trace(self) -> list[TracePoint]:
        """The best values over time; the last point has those of the result."""
        return [TracePoint(*point) for point in self._outcome.trace]

    def table(self) -> dict[str, NDArray[Any]]:
        """The columns of the solution's table, by name."""
        raise NotImplementedError(f"{type(self).__name__} has no table")

    def to_frame(self) -> Any:
        """The table as a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.table())

    def plot_convergence(self, ax: Any = None) -> Any:
        """Draws objective and bound over time by matplotlib; returns the axes."""
        from ._plots import convergence

        return convergence(self, ax)

    def __repr__(self) -> str:
        values = f"objective {self.objective}, bound {self.bound}"
        return f"<{type(self).__name__} {self.status}: {values}>"

    def _repr_html_(self) -> str:
        from ._html import summary

        return summary(self)

    def _kept(self, name: str, make: Any) -> Any:
        """What `make` returns, computed once, with read-only arrays."""
        if name not in self._cache:
            self._cache[name] = read_only(make())
        return self._cache[name]

    def _found(self) -> Any:
        """The solution, which there must be."""
        if self.solution is None:
            raise ValueError(f"there is no solution: the status is {self.status}")
        return self.solution


class _Schedule(Result[P]):
    """Results that have a Gantt chart."""

    __slots__ = ()

    def _bars(self) -> Bars:
        raise NotImplementedError

    def plot_gantt(self, ax: Any = None) -> Any:
        """Draws the schedule by matplotlib, a row for each machine; returns the axes."""
        from ._plots import gantt

        return gantt(self._bars(), ax)


class _Selection(Result[P]):
    """Results that take items."""

    __slots__ = ()

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """Copies taken of each item; None without a solution."""
        return self.solution

    @property
    def taken(self) -> NDArray[np.int64]:
        """The items of which at least one copy is taken."""
        return self._kept("taken", lambda: np.flatnonzero(self._found()))
