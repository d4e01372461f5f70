"""What users try: every array and every number of every public function, in good and in bad forms."""

import math

import numpy as np
import pytest

import makespan

TIMES = [[3, 2], [1, 4], [2, 2]]
DATES = {"due_dates": [9, 9, 9], "objective": "weighted-tardiness"}
CPU = {"engine": "cpu", "threads": 1}
SETUPS = [[0, 2, 1], [1, 0, 1], [3, 1, 0]]
FAMILIES = {"setups": [[0, 2], [1, 0]], "families": [0, 1, 0]}


def shop(**keywords):
    return makespan.FlowShop(TIMES, **keywords)


#: The function, the argument, a call with a value of it, and a good value. Whole numbers from 0.
COUNTS = [
    ("FlowShop", "times", makespan.FlowShop, TIMES),
    ("FlowShop", "release_times", lambda a: shop(release_times=a), [1, 0, 2]),
    ("FlowShop", "weights", lambda a: shop(weights=a, **DATES), [1, 3, 2]),
    ("FlowShop", "setups", lambda a: shop(setups=a), SETUPS),
    ("FlowShop", "families", lambda a: shop(setups=FAMILIES["setups"], families=a), [0, 1, 0]),
    ("FlowShop", "first_setups", lambda a: shop(setups=SETUPS, first_setups=a), [3, 0, 1]),
    ("FlowShop", "last_kinds", lambda a: shop(**FAMILIES, last_kinds=a), [0, 1]),
    ("FlowShop", "ready_times", lambda a: shop(ready_times=a), [3, 4]),
    ("FlowShop", "pinned", lambda a: shop(pinned=a), [2, 0]),
    ("FlowShop", "running_plan", lambda a: shop(running_plan=a, objective="inversions"), [2, 0, 1]),
    ("FlowShop.evaluate", "sequence", lambda a: shop().evaluate(a), [2, 0, 1]),
    ("FlowShop.starts", "sequence", lambda a: shop().starts(a), [2, 0, 1]),
    ("flow_shop", "times", lambda a: makespan.flow_shop(a, **CPU), TIMES),
    ("flow_shop", "start", lambda a: makespan.flow_shop(TIMES, start=a, **CPU), [2, 0, 1]),
    ("ParallelMachines", "times", lambda a: makespan.ParallelMachines(a, 2), [5, 4, 3]),
    ("ParallelMachines", "pinned", lambda a: makespan.ParallelMachines([5, 4, 3], 2, pinned=a), [[0, 1], [2, 0]]),
    ("ParallelMachines.evaluate", "assignment", lambda a: makespan.ParallelMachines([5, 4, 3], 2).evaluate(a), [1, 0, 1]),
    ("ParallelMachines.starts", "assignment", lambda a: makespan.ParallelMachines([5, 4, 3], 2).starts(a), [1, 0, 1]),
    ("parallel_machines", "times", lambda a: makespan.parallel_machines(a, 2, **CPU), [5, 4, 3]),
    ("Knapsack", "profits", lambda a: makespan.Knapsack(a, [5, 4, 3], 7), [10, 7, 6]),
    ("Knapsack", "weights", lambda a: makespan.Knapsack([10, 7, 6], a, 7), [5, 4, 3]),
    ("Knapsack", "copies", lambda a: makespan.Knapsack([10, 7, 6], [5, 4, 3], 7, copies=a), [2, 1, 3]),
    ("Knapsack", "pinned", lambda a: makespan.Knapsack([10, 7, 6], [5, 4, 3], 7, pinned=a), [0, 1, 0]),
    ("Knapsack.evaluate", "counts", lambda a: makespan.Knapsack([10, 7, 6], [5, 4, 3], 7).evaluate(a), [0, 1, 1]),
    ("knapsack", "profits", lambda a: makespan.knapsack(a, [5, 4, 3], 7, **CPU), [10, 7, 6]),
    ("knapsack_profile", "profits", lambda a: makespan.knapsack_profile(a, [5, 4, 3], 7, **CPU), [10, 7, 6]),
    ("subset_sum", "weights", lambda a: makespan.subset_sum(a, 13, **CPU), [9, 5, 4]),
    ("KnapsackBatch", "profits", lambda a: makespan.KnapsackBatch(a, [5, 4], 7), [[10, 7], [1, 2]]),
    ("KnapsackBatch", "weights", lambda a: makespan.KnapsackBatch([[10, 7], [1, 2]], a, 7), [5, 4]),
    ("KnapsackBatch", "copies", lambda a: makespan.KnapsackBatch([[10, 7]], [5, 4], 7, copies=a), [2, 1]),
    ("knapsack_batch", "profits", lambda a: makespan.knapsack_batch(a, [5, 4], 7, **CPU), [[10, 7], [1, 2]]),
    ("MultidimensionalKnapsack", "profits", lambda a: makespan.MultidimensionalKnapsack(a, [[5, 4]], [9]), [10, 7]),
    ("MultidimensionalKnapsack", "weights", lambda a: makespan.MultidimensionalKnapsack([10, 7], a, [9, 4]), [[5, 4], [1, 2]]),
    ("MultidimensionalKnapsack", "capacities", lambda a: makespan.MultidimensionalKnapsack([10, 7], [[5, 4], [1, 2]], a), [9, 4]),
    ("MultidimensionalKnapsack", "copies", lambda a: makespan.MultidimensionalKnapsack([10, 7], [[5, 4]], [9], copies=a), [2, 1]),
    ("MultidimensionalKnapsack.evaluate", "counts", lambda a: makespan.MultidimensionalKnapsack([10, 7], [[5, 4]], [9]).evaluate(a), [1, 1]),
    ("multidimensional_knapsack", "weights", lambda a: makespan.multidimensional_knapsack([10, 7], a, [9, 4], **CPU), [[5, 4], [1, 2]]),
    ("CuttingStock", "lengths", lambda a: makespan.CuttingStock(a, [2, 3], 100), [45, 36]),
    ("CuttingStock", "demands", lambda a: makespan.CuttingStock([45, 36], a, 100), [2, 3]),
    ("cutting_stock", "demands", lambda a: makespan.cutting_stock([45, 36], a, 100, **CPU), [2, 3]),
    ("bin_packing", "sizes", lambda a: makespan.bin_packing(a, 8, **CPU), [4, 4, 3]),
    ("IntervalProgram.evaluate", "nodes", lambda a: makespan.IntervalProgram.matrix_chain([2, 3, 4, 5]).evaluate(a), [[0, 1, 3], [1, 2, 3]]),
    ("IntervalProgram.parenthesisation", "nodes", lambda a: makespan.IntervalProgram.matrix_chain([2, 3, 4, 5]).parenthesisation(a), [[0, 1, 3], [1, 2, 3]]),
    ("IntervalProgram.dot", "nodes", lambda a: makespan.IntervalProgram.matrix_chain([2, 3, 4, 5]).dot(a), [[0, 1, 3], [1, 2, 3]]),
    ("matrix_chain", "cells", lambda a: makespan.matrix_chain([2, 3, 4, 5], cells=a, **CPU), [[0, 2], [1, 3]]),
    ("Folding.evaluate", "pairs", lambda a: makespan.Folding.nussinov("GGGAAAUCC").evaluate(a), [[0, 8], [1, 7]]),
    ("Folding.brackets", "pairs", lambda a: makespan.Folding.nussinov("GGGAAAUCC").brackets(a), [[0, 8], [1, 7]]),
    ("Recurrence", "offsets", lambda a: makespan.Recurrence("min-plus", a, [1, 2], 9), [2, 1]),
    ("Recurrence.knapsack", "profits", lambda a: makespan.Recurrence.knapsack(a, [5, 4], 7), [10, 7]),
    ("Recurrence.knapsack", "weights", lambda a: makespan.Recurrence.knapsack([10, 7], a, 7), [5, 4]),
    ("recurrence", "offsets", lambda a: makespan.recurrence("min-plus", a, [1, 2], 9, **CPU), [2, 1]),
    ("LatticeProgram", "sizes", lambda a: makespan.LatticeProgram(a, [[1, 0], [0, 1]]), [3, 3]),
    ("LatticeProgram", "offsets", lambda a: makespan.LatticeProgram([3, 3], a), [[1, 0], [0, 1]]),
    ("LatticeProgram", "costs", lambda a: makespan.LatticeProgram([3, 3], [[1, 0], [0, 1]], a), [2, 3]),
    ("LatticeProgram.evaluate", "steps", lambda a: makespan.LatticeProgram([2, 2], [[1, 0], [0, 1]]).evaluate(a), [0, 1]),
    ("lattice_path", "costs", lambda a: makespan.lattice_path([3, 3], [[1, 0], [0, 1]], a, **CPU), [2, 3]),
    ("Packing", "sizes", lambda a: makespan.Packing(a, [4, 2], 8), [3, 5]),
    ("Packing", "counts", lambda a: makespan.Packing([3, 5], a, 8), [4, 2]),
    ("Packing.evaluate", "containers", lambda a: makespan.Packing([3, 5], [2, 2], 8).evaluate(a), [[1, 1], [1, 1]]),
    ("packing", "sizes", lambda a: makespan.packing(a, [4, 2], 8, **CPU), [3, 5]),
]  # fmt: skip
#: The same for whole numbers of both signs.
INTEGERS = [
    ("FlowShop", "due_dates", lambda a: shop(due_dates=a), [-3, 8, 9]),
    ("Recurrence", "initial", lambda a: makespan.Recurrence("min-plus", [2, 1], a, 9), [1, -2]),
    ("Recurrence", "weights", lambda a: makespan.Recurrence("min-plus", [2, 1], [1, 2], 9, weights=a), [1, -2]),
    ("Recurrence", "terms", lambda a: makespan.Recurrence("min-plus", [2, 1], [1, 2], 4, terms=a), [1, -2]),
    ("zuker", "energies['stack']", lambda a: makespan.zuker("GGGAAAUCC", energies={"stack": a}, **CPU), np.full((6, 6), -9).tolist()),
    ("zuker", "energies['hairpin']", lambda a: makespan.zuker("GGGAAAUCC", energies={"hairpin": a}, **CPU), [50] * 31),
]  # fmt: skip
#: The same for real numbers.
REALS = [
    ("matrix_chain", "dimensions", lambda a: makespan.matrix_chain(a, **CPU), [10, 100, 5, 50]),
    ("search_tree", "keys", lambda a: makespan.search_tree(a, **CPU), [10, 20, 30]),
    ("search_tree", "gaps", lambda a: makespan.search_tree([1, 2], a, **CPU), [10, 20, 30]),
    ("triangulation", "weights", lambda a: makespan.triangulation(a, **CPU), [1, 2, 3, 4]),
    ("triangulation", "vertices", lambda a: makespan.triangulation(vertices=a, **CPU), [[0, 0], [1, 0], [1, 1], [0, 1]]),
    ("IntervalProgram", "leaves", makespan.IntervalProgram, [1, 2, 3]),
    ("IntervalProgram", "cell_cost", lambda a: makespan.IntervalProgram([0, 0], cell_cost=a), [[0, 1, 2], [0, 0, 3], [0, 0, 0]]),
    ("IntervalProgram", "cell_cost[1]", lambda a: makespan.IntervalProgram([0, 0], cell_cost=([1, 2, 3], a)), [4, 5, 6]),
    ("IntervalProgram", "split_cost[2]", lambda a: makespan.IntervalProgram([0, 0], split_cost=([1, 2, 3], [1, 2, 3], a)), [4, 5, 6]),
    ("IntervalProgram", "data", lambda a: makespan.IntervalProgram([0, 0], source="data[i]", magnitude=9, data=a), [4, 5, 6]),
]  # fmt: skip
#: Single whole numbers.
NUMBERS = [
    ("ParallelMachines", "machines", lambda n: makespan.ParallelMachines([1], n), 2),
    ("parallel_machines", "machines", lambda n: makespan.parallel_machines([1], n), 2),
    ("Knapsack", "capacity", lambda n: makespan.Knapsack([1], [1], n), 2),
    ("knapsack", "capacity", lambda n: makespan.knapsack([1], [1], n), 2),
    ("subset_sum", "capacity", lambda n: makespan.subset_sum([1], n), 2),
    ("knapsack_profile", "capacity", lambda n: makespan.knapsack_profile([1], [1], n), 2),
    ("KnapsackBatch", "capacity", lambda n: makespan.KnapsackBatch([[1]], [1], n), 2),
    ("knapsack_batch", "capacity", lambda n: makespan.knapsack_batch([[1]], [1], n), 2),
    ("CuttingStock", "stock_length", lambda n: makespan.CuttingStock([1], [1], n), 2),
    ("cutting_stock", "stock_length", lambda n: makespan.cutting_stock([1], [1], n), 2),
    ("bin_packing", "capacity", lambda n: makespan.bin_packing([1], n), 2),
    ("nussinov", "gc", lambda n: makespan.nussinov("GC", gc=n), 2),
    ("nussinov", "hairpin", lambda n: makespan.nussinov("GC", hairpin=n), 2),
    ("Recurrence", "length", lambda n: makespan.Recurrence("min-plus", [1], [0], n), 2),
    ("Recurrence", "modulus", lambda n: makespan.Recurrence("modular", [1], [0], 3, modulus=n), 2),
    ("Recurrence.knapsack", "capacity", lambda n: makespan.Recurrence.knapsack([1], [1], n), 2),
    ("Packing", "capacity", lambda n: makespan.Packing([1], [1], n), 2),
    ("packing", "capacity", lambda n: makespan.packing([1], [1], n), 2),
    ("flow_shop", "tenure", lambda n: makespan.flow_shop(TIMES, method="tabu", iteration_limit=1, tenure=n), 2),
    ("flow_shop", "iteration_limit", lambda n: makespan.flow_shop(TIMES, iteration_limit=n), 2),
]  # fmt: skip
#: Texts.
TEXTS = [
    ("FlowShop", "objective", lambda text: shop(objective=text)),
    ("FlowShop.named", "name", makespan.FlowShop.named),
    ("nussinov", "sequence", makespan.nussinov),
    ("zuker", "sequence", makespan.zuker),
    ("IntervalProgram", "semiring", lambda text: makespan.IntervalProgram([1], semiring=text)),
    ("recurrence", "semiring", lambda text: makespan.recurrence(text, [1], [0], 3)),
    ("flow_shop", "method", lambda text: makespan.flow_shop(TIMES, method=text)),
    ("IntervalProgram.parse", "kind", lambda text: makespan.IntervalProgram.parse("1 2", text)),
    ("FlowShop.parse", "format", lambda text: makespan.FlowShop.parse("1 2", format=text)),
]  # fmt: skip
CLASSES = [value for value in vars(makespan).values()
           if isinstance(value, type) and issubclass(value, makespan.Instance)]  # fmt: skip
READ = [cls for cls in CLASSES if hasattr(cls, "read")]

ARRAYS = COUNTS + INTEGERS + REALS
#: Arguments that may be left out.
OPTIONAL = {"release_times", "weights", "setups", "ready_times", "pinned", "running_plan", "start", "copies",
            "demands", "costs", "cells", "terms", "gaps", "cell_cost", "due_dates", "families", "first_setups",
            "last_kinds", "vertices"}  # fmt: skip


def ids(cases):
    return [f"{case[0]}-{case[1]}" for case in cases]


def refused(call, value, argument, *errors):
    with pytest.raises(errors or (TypeError, ValueError, OverflowError)) as caught:
        call(value)
    text = str(caught.value)
    # The place of an element may follow.
    assert text.startswith(argument) and text[len(argument)] in ":[", text
    if isinstance(caught.value, makespan.InvalidArgumentError):
        assert caught.value.argument == argument
    assert len(text) < 400
    return text


def shown(value):
    """What an instance, a result or a number says."""
    if isinstance(value, makespan.Result):
        return value.objective, repr(value.solution)
    if isinstance(value, makespan.Instance):
        return {name: repr(getattr(value, name)) for name in value._arguments}
    return repr(value)


@pytest.mark.parametrize("function, argument, call, good", ARRAYS, ids=ids(ARRAYS))
def test_arrays_of_wrong_types_and_shapes(function, argument, call, good):
    call(good)
    array = np.array(good)
    if argument not in OPTIONAL and argument != "data":
        refused(call, None, argument, TypeError)
    for value in ("3 2", object(), {3: 2}, b"3 2"):
        if argument not in ("start", "cells", "pinned") or not isinstance(value, (str, dict)):
            refused(call, value, argument, TypeError)
    for dtype in (complex, bool, "U3", "M8[D]"):
        refused(call, array.astype("i8").astype(dtype), argument, TypeError)
    masked = np.ma.masked_array(array, mask=array == array.flat[0])
    refused(call, masked, argument, ValueError)
    refused(call, [[good]], argument, ValueError)
    refused(call, [good, [good]], argument, ValueError)
    if argument not in ("copies",):
        refused(call, 5, argument, TypeError, ValueError)
    if array.ndim == 2 and argument not in ("cell_cost",):
        refused(call, array.ravel(), argument, ValueError)
    if array.ndim == 2 and argument not in ("times", "profits"):
        # As many numbers, in other rows.
        refused(call, np.resize(array, (1, array.size)), argument, ValueError)


@pytest.mark.parametrize("function, argument, call, good", ARRAYS, ids=ids(ARRAYS))
def test_numbers_in_arrays_that_do_not_fit(function, argument, call, good):
    array = np.array(good, dtype=object)
    for number in (10**30, -(10**30), 10**5000, None, "3", math.nan, 1j):
        for place in (0, -1):
            values = array.copy()
            values.flat[place] = number
            refused(call, values, argument)
            refused(call, values.tolist(), argument)
    if (function, argument, call, good) not in REALS:
        refused(call, np.array(good, dtype=float), argument, TypeError)
        refused(call, (np.array(good) + 0.5).tolist(), argument, TypeError, ValueError)
    else:
        for number in (math.nan, math.inf):
            values = np.array(good, dtype=float)
            values.flat[-1] = number
            text = refused(call, values, argument, ValueError)
            assert "must be finite" in text


@pytest.mark.parametrize("function, argument, call, good", COUNTS, ids=ids(COUNTS))
def test_negative_numbers(function, argument, call, good):
    for dtype in (np.int8, np.int16, np.int32, np.int64, object):
        values = np.array(good).astype(dtype)
        values.flat[-1] = -1
        refused(call, values, argument, ValueError)


@pytest.mark.parametrize("function, argument, call, good", ARRAYS, ids=ids(ARRAYS))
def test_layouts_give_the_same(function, argument, call, good):
    array = np.array(good)
    if argument == "cells":
        call = lambda value: makespan.matrix_chain([2, 3, 4, 5], cells=value, **CPU).cells
    expected = shown(call(good))
    sparse = np.zeros([2 * size for size in array.shape], array.dtype)
    view = sparse[tuple([slice(None, None, 2)] * array.ndim)]
    view[:] = array
    reverse = np.flip(array).copy()
    frozen = array.copy()
    frozen.flags.writeable = False
    forms = [view, np.flip(reverse), np.asfortranarray(array), array.astype(">i8"), frozen]
    forms += [array.astype(object), array.astype(np.int16)]
    # A tuple of lists is another form of cell costs.
    forms += [tuple(good)] if argument != "cell_cost" else []
    for form in forms:
        assert shown(call(form)) == expected


@pytest.mark.parametrize("function, argument, call, good", ARRAYS, ids=ids(ARRAYS))
def test_later_changes_of_an_array_have_no_effect(function, argument, call, good):
    array = np.array(good)
    made = call(array)
    before = shown(made)
    array[:] = 1
    assert shown(made) == before
    if isinstance(made, makespan.Instance):
        # What an instance returns can't be changed either.
        for name in made._arguments:
            value = getattr(made, name)
            for part in value if isinstance(value, tuple) else [value]:
                assert not isinstance(part, np.ndarray) or not part.flags.writeable, name


@pytest.mark.parametrize("function, argument, call, good", NUMBERS, ids=ids(NUMBERS))
def test_numbers(function, argument, call, good):
    for number in (good, np.int8(good), np.uint64(good)):
        call(number)
    for number in (-1, 10**30, 10**5000, -(10**5000)):
        text = refused(call, number, argument, ValueError)
    assert "bits" in text
    wrong = [2.0, "two", True, [2], math.nan, np.float64(2), object()]
    if argument not in ("modulus", "iteration_limit", "tenure"):
        wrong.append(None)
    for number in wrong:
        refused(call, number, argument, TypeError, ValueError)


@pytest.mark.parametrize("function, argument, call", TEXTS, ids=ids(TEXTS))
def test_texts(function, argument, call):
    refused(call, "nonsense!", argument, ValueError)
    for value in (3, b"min-plus", ["a", 3], object()):
        refused(call, value, argument, TypeError)
    if argument != "objective":
        refused(call, None, argument, TypeError)


@pytest.mark.parametrize("cls", READ, ids=lambda cls: cls.__name__)
def test_files(cls, tmp_path):
    kind = ["matrix-chain"] if cls is makespan.IntervalProgram else []
    for path in (None, 3, [1], object()):
        refused(lambda path: cls.read(path, *kind), path, "path", TypeError)
    for text in (None, 3, b"1 2"):
        refused(lambda text: cls.parse(text, *kind), text, "text", TypeError)
    missing = tmp_path / "missing"
    with pytest.raises(makespan.FileError) as caught:
        cls.read(missing, *kind)
    assert caught.value.errno == 2 and caught.value.filename == str(missing)
    assert str(caught.value) == f"[Errno 2] No such file or directory: '{missing}'"
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "bytes"):
        with pytest.raises(makespan.FileError) as caught:
            cls.read(path, *kind)
        assert caught.value.filename == str(path)
    with pytest.raises((makespan.ParseError, makespan.InvalidArgumentError)):
        cls.parse("nonsense\n", *kind)


@pytest.mark.parametrize("format", ["csv", "json"])
def test_files_with_names_are_refused(format):
    refused(lambda format: makespan.FlowShop.parse("", format=format), format, "format", ValueError)


def test_every_public_function_is_tried():
    tried = {case[0].split(".")[0] for case in ARRAYS + NUMBERS + TEXTS}
    others = {"devices", "kernel_names", "options", "solve_batch", "Folding", "Instance"}
    functions = {name for name in makespan.__all__ if name[0].islower() and callable(getattr(makespan, name))}
    assert functions | {cls.__name__ for cls in CLASSES} <= tried | others


def test_wrong_batches():
    shop = makespan.FlowShop(TIMES)
    for value in (None, 3, shop):
        refused(makespan.solve_batch, value, "instances", TypeError)
    refused(makespan.solve_batch, [shop, TIMES], "instances[1]", TypeError)
    refused(makespan.solve_batch, [shop, makespan.Knapsack([1], [1], 1)], "instances", TypeError)
    whole = makespan.IntervalProgram([1, 2])
    refused(makespan.solve_batch, [whole, makespan.IntervalProgram([1.0, 2.0])], "instances", ValueError)


@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda a: makespan.IntervalProgram([1, 2], data=a), "data"),
        (lambda a: makespan.IntervalProgram([1, 2], magnitude=3), "magnitude"),
        (lambda a: makespan.IntervalProgram([1, 2], split_cost=(a, a, a), source="i"), "source"),
        (lambda a: makespan.IntervalProgram([1, 2], split_cost=max, magnitude=3, data=a), "data"),
        (lambda a: makespan.recurrence("min-plus", [1], [0], 3, source="x"), "source"),
        (lambda a: makespan.recurrence("min-plus", [1], [0], 3, idempotent=True), "idempotent"),
        (lambda a: makespan.recurrence("min-plus", [1], [0], 3, weigh=max), "weigh"),
        (lambda a: makespan.recurrence("custom", [1], [0], 3), "combine"),
    ],
)
def test_arguments_that_nothing_would_use(call, argument):
    refused(call, [1, 2, 3], argument, ValueError)
