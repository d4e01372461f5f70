"""What all problems share: instances that can be solved, alone and many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._result import Result

if TYPE_CHECKING:
    from typing_extensions import Self

I = TypeVar("I", bound="Instance")


class Instance:
    """A checked instance of a problem. Later changes of the given arrays have no effect on it."""

    __slots__ = ("_native",)
    _native: Any
    _class: Any
    _result: type[Result[Any]]

    @classmethod
    def _of(cls, native: Any) -> Self:
        self = object.__new__(cls)
        self._native = native
        return self

    def _run(self, keywords: Any) -> Any:
        return self._result(self, self._native._solve(_displayed(keywords)))


def _displayed(keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords for the native part, with progress on the screen if it is asked for."""
    if keywords.pop("display", False):
        from ._display import with_display

        return with_display(keywords)
    return keywords


def solve_batch(instances: Sequence[I], **keywords: Any) -> list[Any]:
    """Solves many instances of one class and returns their results in the same order.

    Small instances are spread over the threads, or solved many at a time on a device. The time
    limit is that of the whole batch, the iteration limit that of each instance. Instances that a
    limit leaves out have the status "stopped". For `Knapsack` and `Folding`, whose instances are
    solved in turn, both limits are those of each instance. Keywords are those of the class's
    `solve`.

    >>> import makespan
    >>> shops = [makespan.FlowShop([[3, 2], [1, 4]]), makespan.FlowShop([[2, 2], [5, 1]])]
    >>> [result.objective for result in makespan.solve_batch(shops)]
    [7, 8]
    """
    instances = list(instances)
    classes = {type(instance) for instance in instances}
    if not classes:
        return []
    if len(classes) > 1 or not issubclass(first := classes.pop(), Instance):
        raise TypeError("instances: must all be of one class of problems")
    natives = [instance._native for instance in instances]
    outcomes = first._class._solve_batch(natives, _displayed(keywords))
    return [first._result(*pair) for pair in zip(instances, outcomes)]
