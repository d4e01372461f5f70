"""RNA folding: instances, results and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _makespan
from ._instance import Instance
from ._result import Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self, Unpack

    from ._keywords import IntervalDpKeywords


class FoldingResult(Result["Folding"]):
    """The pairs of a sequence's bases."""

    __slots__ = ()

    @property
    def pairs(self) -> NDArray[np.int64] | None:
        """The pairs of bases, a row for each; None without a solution."""
        return self.solution

    @property
    def brackets(self) -> str:
        """The structure as dots and brackets."""
        return self.instance.brackets(self._found())

    def table(self) -> dict[str, NDArray[Any]]:
        """A row for each pair: first, last."""
        return dict(zip(("first", "last"), self._found().T))


class Folding(Instance):
    """An RNA sequence to fold, and the model of its structures. A sequence has the letters A, C, G
    and U or T, large or small, such as GGGAAAUCC; or it is the text of a file in FASTA's format."""

    __slots__ = ()
    _class = _makespan.Folding
    _result = FoldingResult
    _sizes = ("bases",)

    def __init__(self) -> None:
        raise TypeError("Folding: use Folding.nussinov or Folding.zuker")

    @classmethod
    def nussinov(
        cls, sequence: str, *, gc: int = 1, au: int = 1, gu: int = 1, hairpin: int = 3
    ) -> Self:
        """The largest sum of the weights of nested pairs, with at least `hairpin` bases between
        the two of a pair. Pairs of weight 0 are not allowed."""
        return cls._of(_makespan.Folding._nussinov(sequence, gc, au, gu, hairpin))

    @classmethod
    def zuker(cls, sequence: str, *, energies: dict[str, Any] | None = None) -> Self:
        """The least energy of all loops, in tenths of kcal/mol. `energies` replaces some of the
        usual ones, all whole numbers:

        - stack, shape (6, 6): of a pair directly around another one, by the outer and the inner
          pair, in the order CG, GC, GU, UG, AU, UA;
        - hairpin, bulge, interior, shape (31,): of a loop by its number of unpaired bases;
        - multi, branch, unpaired: of a loop with three or more pairs, of each of its pairs and of
          each of its unpaired bases.
        """
        return cls._of(_makespan.Folding._zuker(sequence, energies))

    @property
    def bases(self) -> int:
        """Number of bases."""
        return self._native.bases

    @property
    def sequence(self) -> str:
        """The letters of the bases."""
        return self._native.sequence

    @property
    def model(self) -> str:
        """nussinov or zuker."""
        name: str = self._native._model[0]
        return name

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers of the model: weights and hairpin, or the energies."""
        numbers: dict[str, Any] = self._native._model[1]
        return numbers

    def __reduce__(self) -> tuple[Any, ...]:
        return _modelled, (type(self), self.model, self.sequence, self.parameters)

    def evaluate(self, pairs: ArrayLike) -> int:
        """The value of a structure, given by its pairs."""
        return self._native.evaluate(pairs)

    def brackets(self, pairs: ArrayLike) -> str:
        """A structure as dots and brackets."""
        return self._native.brackets(pairs)

    def solve(self, **keywords: Unpack[IntervalDpKeywords]) -> FoldingResult:
        """Finds the best structure; see `nussinov` and `zuker`."""
        return self._run(keywords)


def _modelled(cls: type[Folding], model: str, sequence: str, numbers: dict[str, Any]) -> Folding:
    """An instance from a pickle."""
    if model == "zuker":
        return cls.zuker(sequence, energies=numbers)
    return cls.nussinov(sequence, **numbers)


def nussinov(
    sequence: str,
    *,
    gc: int = 1,
    au: int = 1,
    gu: int = 1,
    hairpin: int = 3,
    **keywords: Unpack[IntervalDpKeywords],
) -> FoldingResult:
    """Finds the nested pairs of bases with the largest weight.

    >>> import makespan
    >>> result = makespan.nussinov("GGGAAAUCC")
    >>> result.objective, result.brackets.count("(")
    (3, 3)
    """
    folding = Folding.nussinov(sequence, gc=gc, au=au, gu=gu, hairpin=hairpin)
    return folding.solve(**keywords)


def zuker(
    sequence: str,
    *,
    energies: dict[str, Any] | None = None,
    **keywords: Unpack[IntervalDpKeywords],
) -> FoldingResult:
    """Finds the structure with the least energy.

    >>> import makespan
    >>> makespan.zuker("GGGGAAAACCCC").brackets
    '((((....))))'
    """
    return Folding.zuker(sequence, energies=energies).solve(**keywords)
