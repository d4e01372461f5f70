"""The options of solvers and contexts as data."""

from __future__ import annotations

from typing import NamedTuple

from . import _makespan

#: Problems with options of their own.
PROBLEMS = (
    "cutting_stock",
    "flow_shop",
    "interval_dp",
    "knapsack",
    "lattice_dp",
    "multidimensional_knapsack",
    "parallel_machines",
    "recurrence",
)


class Option(NamedTuple):
    """An option of a solver, which is a keyword of its function."""

    name: str
    text: str
    #: flag, whole, real, seconds, bytes, choice, path or list.
    kind: str
    #: The default as a text.
    default: str
    #: The smallest and the largest number; with real numbers the smallest is excluded.
    range: tuple[float, float] | None
    #: The word for a value that is left to the library; None is the same.
    unset: str | None
    #: basic, advanced or experimental.
    tier: str
    #: The methods that use it; none for all.
    methods: list[str]
    #: The possible values with their meanings.
    choices: dict[str, str]


def options(problem: str) -> list[Option]:
    """The options of a problem, followed by those of all solves; or those of a "context".

    >>> import makespan
    >>> [option.name for option in makespan.options("knapsack")][:3]
    ['method', 'start', 'time_limit']
    """
    table = _makespan.option_table(problem)
    if table is None or problem == "solve":
        known = ", ".join((*PROBLEMS, "context"))
        raise ValueError(f'problem: must be one of {known}, not "{problem}"')
    common = [] if problem == "context" else _makespan.option_table("solve") or []
    return [Option(**row) for row in table + common]
