"""Bad and unusual input: an exception of the right type that names the argument."""

import datetime
import fractions
import pathlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import makespan

TIMES = [[3, 2], [1, 4], [2, 2]]


@pytest.mark.parametrize(
    "times, error, message",
    [
        (None, TypeError, "times: must be an array of numbers, not NoneType"),
        ("3 2", TypeError, "times: must be an array of numbers, not str"),
        (5, ValueError, "times: must have 2 dimensions, not 0"),
        ([1, 2], ValueError, "times: must have 2 dimensions, not 1"),
        ([[[1]]], ValueError, "times: must have 2 dimensions, not 3"),
        ([[1, 2], [3]], ValueError, "times: is no array of numbers"),
        (np.zeros((0, 3), int), ValueError, "times: has 0 jobs"),
        (np.zeros((3, 0), int), ValueError, "times: has 3 jobs and 0 machines"),
        ([[1, -2]], ValueError, r"times\[0, 1\]: must be from 0 to 4294967295, not -2"),
        ([[1], [2**32]], ValueError, r"times\[1, 0\]: must be from 0 to 4294967295"),
        ([[1], [10**40]], ValueError, r"times\[1, 0\]: must be from 0 to 4294967295"),
        (np.array([[1], [2**63]], np.uint64), ValueError, r"times\[1, 0\]"),
        ([[1.5]], TypeError, r"times\[0, 0\]: must be a whole number, not 1.5"),
        ([[1, float("nan")]], TypeError, r"times\[0, 0\]|times\[0, 1\]"),
        (np.ones((2, 2)), TypeError, "times: must have whole numbers, not float64"),
        (np.ones((2, 2), bool), TypeError, "times: must have whole numbers, not bool"),
        (np.ones((2, 2), complex), TypeError, "times: must have whole numbers, not complex128"),
        (np.array([["a"]]), TypeError, "times: must have whole numbers"),
        (np.array([["2020-01-01"]], "M8[D]"), TypeError, "times: must have whole numbers"),
        (np.array([[None]]), TypeError, r"times\[0, 0\]: must be a whole number, not NoneType"),
        (np.array([[True]], object), TypeError, r"times\[0, 0\]: must be a whole number, not bool"),
        (np.ma.masked_array([[1, 2]], [[0, 1]]), ValueError, "times: has masked elements"),
    ],
)
def test_bad_matrices(times, error, message):
    with pytest.raises(error, match=f"^{message}"):
        makespan.flow_shop(times)


def views():
    base = np.arange(24, dtype=np.int64).reshape(4, 6) % 7 + 1
    yield base
    yield np.asfortranarray(base)
    yield base[::-1, ::2]
    yield base.T
    yield np.broadcast_to(base[:, :1], (4, 3))
    for kind in "bBhHiIlLqQ":
        yield base.astype(kind)
    yield base.astype(">i4")
    yield base.astype(object)
    unaligned = np.zeros(24 * 8 + 1, np.uint8)[1:].view(np.int64).reshape(4, 6)
    unaligned[:] = base
    assert not unaligned.flags.aligned
    yield unaligned
    frozen = base.copy()
    frozen.flags.writeable = False
    yield frozen
    yield np.ma.masked_array(base)


@pytest.mark.parametrize("times", list(views()))
def test_arrays_of_any_layout(times):
    shop = makespan.FlowShop(times)
    assert shop.times.tolist() == times.tolist()


@given(st.lists(st.integers(0, 2**32 - 1), min_size=6, max_size=6), st.integers(0, 5), st.booleans())
def test_each_number_is_checked(numbers, place, is_negative):
    wrong = -1 - numbers[place] if is_negative else numbers[place] + 2**32
    numbers[place] = wrong
    with pytest.raises(makespan.InvalidArgumentError) as caught:
        makespan.FlowShop(np.array(numbers).reshape(3, 2))
    assert caught.value.argument == "times"
    assert caught.value.index == divmod(place, 2)
    assert str(wrong) in str(caught.value)


def test_later_changes_have_no_effect():
    times = np.array(TIMES)
    shop = makespan.FlowShop(times)
    times[:] = 99
    assert shop.times.tolist() == TIMES
    result = shop.solve(engine="cpu")
    for array in (result.sequence, result.instance.times):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@pytest.mark.parametrize(
    "keywords, error, message",
    [
        ({"due_dates": [1, 2]}, ValueError, "due_dates: "),
        ({"due_dates": [1, 2, 10**20]}, ValueError, r"due_dates\[2\]: must be from -9"),
        ({"release_times": [1, 2, -1]}, ValueError, r"release_times\[2\]"),
        ({"weights": [1, 2, 0.5]}, TypeError, r"weights\[0\]|weights\[2\]"),
        ({"objective": "soon"}, ValueError, "objective: "),
        ({"objective": "total-tardiness"}, ValueError, "objective: "),
        ({"objective": 3}, TypeError, "objective: must be a str, not int"),
        ({"blocking": 1}, TypeError, "blocking: must be True or False, not int"),
        ({"setups": [[1, 2], [3, 4]]}, ValueError, r"setups: must have the shape \(3, 3\) or"),
        ({"setups": np.zeros((3, 3, 3), int)}, ValueError, r"setups: .* \(2, 3, 3\)"),
        ({"families": [0, 1, 0]}, ValueError, "families: needs the argument setups"),
        ({"setups": [[0]], "families": [0, 1, 0]}, ValueError, r"families\[1\]"),
        ({"pinned": [0, 0]}, ValueError, r"pinned\[1\]"),
        ({"pinned": [7]}, ValueError, r"pinned\[0\]"),
        ({"ready_times": [1]}, ValueError, "ready_times: "),
        ({"start": [0, 1]}, ValueError, "start"),
        ({"start": [0.5, 1.5, 2]}, TypeError, "start"),
        ({"start": [[0, 1, 2]]}, ValueError, "start: must have 1 dimension, not 2"),
        ({"start": 3.5}, TypeError, "start: must be a list of whole numbers, not float"),
        ({"method": "fast"}, ValueError, "method: must be one of auto,"),
        ({"method": 3}, TypeError, "method: must be a str, not int"),
        ({"method": None}, TypeError, "method: must be a str, not None"),
        ({"tenure": 0}, ValueError, r"tenure: must be from 1 to 4096, not 0 \(the default is 10\)"),
        ({"tenure": 2.0}, TypeError, "tenure: must be a whole number, not float"),
        ({"tenure": True}, TypeError, "tenure: must be a whole number, not bool"),
        ({"tenure": 10**30}, ValueError, "tenure: "),
        ({"method": "neh", "tenure": 3}, ValueError, "tenure: applies only to tabu"),
        ({"time_limit": -1}, ValueError, "time_limit: must be 0 or more, not -1"),
        ({"time_limit": float("nan")}, ValueError, "time_limit: "),
        ({"time_limit": [1]}, TypeError, "time_limit: must be a number of seconds, not list"),
        ({"seed": -1}, ValueError, "seed: "),
        ({"memory_limit": "1T"}, ValueError, "memory_limit: "),
        ({"start_beside_neh": 1}, TypeError, "start_beside_neh: must be True or False, not int"),
        ({"threads": 0}, ValueError, "threads: must be from 1 to 1024, not 0"),
        ({"time_limitt": 1}, TypeError, ".*'time_limitt'; did you mean 'time_limit'"),
        ({"xyzzy": 1}, TypeError, ".*'xyzzy'; makespan.options"),
        ({"context": 1}, TypeError, "context: must be a Context"),
        ({"stop": 1}, TypeError, "stop: must be a StopHandle"),
        ({"on_solution": 1}, TypeError, "on_solution: must be callable"),
        ({"on_progress": 1, "display": True}, TypeError, "on_progress: must be callable"),
        ({"display": "no"}, TypeError, "display: must be True or False, not str"),
        ({"display": 1}, TypeError, "display: must be True or False, not int"),
    ],
)
def test_bad_keywords(keywords, error, message):
    with pytest.raises(error, match=f"^({message})"):
        makespan.flow_shop(TIMES, **keywords)


def test_keywords_take_natural_types(tmp_path):
    seconds = datetime.timedelta(seconds=5)
    for keywords in [
        {"time_limit": seconds},
        {"time_limit": np.float32(5)},
        {"time_limit": None},
        {"time_limit": float("inf")},
        {"seed": np.uint8(3), "memory_limit": "1G"},
        {"memory_limit": 1 << 30},
        {"start": (2, 0, 1), "method": "neh"},
        {"start": np.array([2, 0, 1], np.int16)},
        {"start": iter([2, 0, 1])},
        {"start": None},
        {"method": "tabu", "iteration_limit": 3, "start_beside_neh": np.bool_(True)},
        {"cache": tmp_path / "cache", "threads": 1},
        {"engine": "cpu"},
        {"display": None},
        {"display": np.bool_(False)},
    ]:
        assert makespan.flow_shop(TIMES, **keywords).objective == 9, keywords
    for epsilon in (0.5, "1/2", fractions.Fraction(1, 2), 1):
        result = makespan.parallel_machines([5, 4, 3], 2, method="ptas", epsilon=epsilon)
        assert result.objective <= 9
    with pytest.raises(TypeError, match="threads: is an option of the context"):
        makespan.flow_shop(TIMES, context=makespan.Context(), threads=1)


@pytest.mark.parametrize("problem", [*makespan.PROBLEMS, "context"])
def test_every_option_is_a_keyword(problem):
    calls = {
        "cutting_stock": lambda **own: makespan.cutting_stock([3], [2], 7, **own),
        "flow_shop": lambda **own: makespan.flow_shop(TIMES, **own),
        "interval_dp": lambda **own: makespan.matrix_chain([3, 4, 5], **own),
        "knapsack": lambda **own: makespan.knapsack([3], [2], 7, **own),
        "lattice_dp": lambda **own: makespan.lattice_path([3], [[1]], **own),
        "multidimensional_knapsack": lambda **own: makespan.multidimensional_knapsack(
            [3], [[2]], [7], **own
        ),
        "parallel_machines": lambda **own: makespan.parallel_machines([3], 2, **own),
        "recurrence": lambda **own: makespan.recurrence("min-plus", [1], [0], 3, **own),
        "context": lambda **own: makespan.Context(**own),
    }
    call = calls[problem]
    for option in makespan.options(problem):
        assert option.text and option.tier in ("basic", "advanced", "experimental")
        if option.default:
            # The default itself is always allowed.
            call(**{option.name: option.default})
        with pytest.raises(TypeError, match=f"^{option.name}: "):
            call(**{option.name: object()})
        if option.kind == "whole" and option.range:
            with pytest.raises(ValueError, match=f"^{option.name}: "):
                call(**{option.name: int(option.range[0]) - 1})
        if option.kind == "choice":
            with pytest.raises(ValueError, match=f"^{option.name}: must be one of"):
                call(**{option.name: "nonsense"})
    with pytest.raises(ValueError, match="^problem: must be one of"):
        makespan.options("travelling_salesman")


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: makespan.parallel_machines([1, -1], 2), ValueError, r"times\[1\]"),
        (lambda: makespan.parallel_machines([1], 0), ValueError, "machines: must be at least 1"),
        (lambda: makespan.parallel_machines([1], 2.0), TypeError, "machines: must be a whole"),
        (lambda: makespan.parallel_machines([1], True), TypeError, "machines: must be a whole"),
        (lambda: makespan.parallel_machines([1], 2**40), ValueError, "machines: must be from 0"),
        (lambda: makespan.parallel_machines([2**63, 2**63], 2), OverflowError, ""),
        (lambda: makespan.knapsack([1], [1, 2], 3), ValueError, "profits|weights"),
        (lambda: makespan.knapsack([1], [1], -3), ValueError, "capacity: must be from 0"),
        (lambda: makespan.knapsack([1], [1], None), TypeError, "capacity: must be a whole"),
        (lambda: makespan.knapsack([1], [1], 3, copies=[1, 2]), ValueError, "copies"),
        (lambda: makespan.knapsack([1], [1], 3, copies=1.5), ValueError, "copies: must be a whole number or math.inf"),
        (lambda: makespan.knapsack_batch([[1, 2]], [1], 3), ValueError, "profits: has rows of 2"),
        (lambda: makespan.knapsack_batch([1, 2], [1], 3), ValueError, "profits: must have 2 dim"),
        (
            lambda: makespan.multidimensional_knapsack([1, 2], [[1, 2]], [3, 4]),
            ValueError,
            "weights: must have a row for each of 2 capacities",
        ),
        (lambda: makespan.cutting_stock([9], [1], 5), ValueError, r"lengths\[0\]"),
        (lambda: makespan.cutting_stock([3], [1, 2], 5), ValueError, "demands"),
        (lambda: makespan.cutting_stock([3], [1], 5, pinned=[3]), TypeError, "pinned: must be a"),
        (lambda: makespan.matrix_chain([3]), ValueError, "dimensions: "),
        (lambda: makespan.matrix_chain([3, float("nan")]), ValueError, r"dimensions\[1\]: must be finite"),
        (lambda: makespan.search_tree([1], [1]), ValueError, "gaps: "),
        (lambda: makespan.search_tree([1, 2.5], [1, 2, 2**60]), ValueError, r"gaps\[2\]: is beyond"),
        (lambda: makespan.triangulation(), TypeError, "triangulation: takes either"),
        (lambda: makespan.triangulation(vertices=[[1, 2, 3]]), ValueError, r"vertices: must have the shape \(n, 2\), not \(1, 3\)"),
        (lambda: makespan.IntervalProgram([1, 2], split_cost=abs), TypeError, "magnitude: is missing"),
        (lambda: makespan.IntervalProgram([1, 2], split_cost=3), TypeError, "split_cost: must be a"),
        (lambda: makespan.IntervalProgram([1, 2], cell_cost=([1], [2], [3])), ValueError, "cell_cost"),
        (lambda: makespan.IntervalProgram([1, 2], semiring="plus"), ValueError, "semiring: must be"),
        (lambda: makespan.recurrence("min-plus", [1, 2], [0], 3), ValueError, "offsets"),
        (lambda: makespan.recurrence("plus", [1], [0], 3), ValueError, "semiring: must be one of"),
        (lambda: makespan.recurrence("modular", [1], [0], 3), TypeError, "modulus: is missing"),
        (lambda: makespan.recurrence("min-plus", [1], [0], 3, modulus=5), ValueError, "modulus: is"),
        (lambda: makespan.recurrence("custom", [1], [0], 3, combine=5), TypeError, "combine: must"),
        (lambda: makespan.lattice_path([3], [[1, 2]]), ValueError, "offsets: has rows of 2"),
        (lambda: makespan.lattice_path([3], [[1]], [1, 2]), ValueError, "costs: has 2 costs"),
        (lambda: makespan.packing([9], [1], 5), ValueError, r"sizes\[0\]"),
        (lambda: makespan.bin_packing([9], 5), ValueError, r"sizes\[0\]"),
        (lambda: makespan.bin_packing([1], 0), ValueError, "capacity: must be at least 1"),
        (lambda: makespan.subset_sum([2**63 - 1] * 2, 2**63 - 1), OverflowError, ""),
        (lambda: makespan.search_tree(None), TypeError, "keys: must be an array of numbers"),
        (lambda: makespan.zuker("GC", energies=3), TypeError, "energies: must be a dictionary"),
        (lambda: makespan.zuker("GC", energies={3: 1}), TypeError, "energies: a key: must be a str"),
        (lambda: makespan.zuker("GC", energies={"multi": "x"}), TypeError, r"energies\['multi'\]"),
        (lambda: makespan.Folding.nussinov("GGGAAAUCC").evaluate([[0, 1]]), ValueError, "pairs"),
        (lambda: makespan.Folding.nussinov("GGGAAAUCC").evaluate([[0, 99]]), ValueError, r"pairs\[0\]"),
        (
            lambda: makespan.parallel_machines([1, 2, 3], 2, pinned=[[0, 1, 2], [1, 0, 2]]),
            ValueError,
            r"pinned: must have the shape \(n, 2\), not \(2, 3\)",
        ),
        (
            lambda: makespan.recurrence("min-plus", [2, 1], [0, 1], 9, weights=[[1], [2]]),
            ValueError,
            r"weights: must have the shape \(2,\) or \(1, 2\), not \(2, 1\)",
        ),
        (
            lambda: makespan.recurrence("min-plus", [1], [0], 5, terms=[[1, 2], [3, 4]]),
            ValueError,
            r"terms: must have the shape \(4,\) or \(1, 4\), not \(2, 2\)",
        ),
        (
            lambda: makespan.IntervalProgram([0, 0], cell_cost=[[1, 2], [3, 4]]),
            ValueError,
            r"cell_cost: must have the shape \(3, 3\), not \(2, 2\)",
        ),
        (
            lambda: makespan.IntervalProgram([0, 0], cell_cost=([1, 2], [1, 2, 3])),
            ValueError,
            r"cell_cost\[0\]: 2 numbers, 3 are needed",
        ),
        (lambda: makespan.knapsack([1], [1], 1, method="greedy", engine="device"), Exception, ""),
    ],
)
def test_bad_problems(call, error, message):
    with pytest.raises(error, match=f"^({message})"):
        call()


def test_arrays_beyond_the_memory_are_named():
    huge = np.broadcast_to(np.int64(1), (2**20, 2**20))
    for call, name in [
        (lambda: makespan.FlowShop(huge), "times"),
        (lambda: makespan.FlowShop(TIMES, setups=huge), "setups"),
        (lambda: makespan.search_tree([1], huge), "gaps"),
        (lambda: makespan.flow_shop(TIMES, start=huge), "start"),
    ]:
        with pytest.raises(makespan.OutOfMemoryError, match=f"^{name}: Unable to allocate 8.00 TiB") as caught:
            call()
        assert isinstance(caught.value.__cause__, MemoryError)


class NoIndex:
    def __index__(self):
        raise KeyError("no index")


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda number: makespan.FlowShop([[number]]), r"times\[0, 0\]"),
        (lambda number: makespan.Knapsack([1], [1], number), "capacity"),
        (lambda number: makespan.flow_shop(TIMES, seed=number), "seed"),
        (lambda number: makespan.flow_shop(TIMES, time_limit=number), "time_limit"),
        (lambda number: makespan.flow_shop(TIMES, start=[0, 1, number]), r"start\[2\]"),
    ],
)
def test_exceptions_of_indices_are_causes(call, name):
    with pytest.raises(TypeError, match=f"^{name}: must be") as caught:
        call(NoIndex())
    assert repr(caught.value.__cause__) == "KeyError('no index')"


def test_exceptions_are_of_both_kinds():
    assert issubclass(makespan.InvalidArgumentError, ValueError)
    assert issubclass(makespan.RangeError, OverflowError)
    assert issubclass(makespan.OutOfMemoryError, MemoryError)
    assert issubclass(makespan.FileError, OSError)
    for name in dir(makespan):
        kind = getattr(makespan, name)
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert issubclass(kind, makespan.MakespanError) and kind.__module__ == "makespan"
    with pytest.raises(makespan.OutOfMemoryError, match="limit"):
        makespan.lattice_path([1000, 1000], [[1, 0], [0, 1]], memory_limit=99)
    assert pathlib.Path(makespan.__file__).parent.joinpath("py.typed").exists()
