"""The tables of all classes of results, and the frames of pandas made of them."""

import numpy as np
import pytest

import makespan

SHOP = makespan.FlowShop([[3, 2], [1, 4], [2, 2]])
FIBONACCI = makespan.Recurrence("sum-product", [2, 1], [[0, 1], [2, 1]], 4)
STEPS = makespan.Recurrence("min-plus", [2, 1], [0, 5], 4, weights=[3, 1])
BATCH = makespan.KnapsackBatch([[10, 7, 6], [1, 2, 9]], [5, 4, 3], 7)

#: A solve, and the columns of its table.
TABLES = [
    (lambda own: SHOP.solve(**own),
     {"job": [1, 2, 1, 0, 2, 0], "machine": [0, 0, 1, 0, 1, 1], "start": [0, 1, 1, 3, 5, 7], "end": [1, 3, 5, 6, 7, 9]}),
    (lambda own: makespan.parallel_machines([5, 4, 3], 2, **own),
     {"job": [0, 1, 2], "machine": [0, 1, 1], "start": [0, 0, 4], "end": [5, 4, 7]}),
    (lambda own: makespan.knapsack([10, 7, 6], [5, 4, 3], 10, copies=[1, 1, 2], **own),
     {"item": [1, 2], "profit": [7, 6], "weight": [4, 3], "count": [1, 2]}),
    (lambda own: makespan.knapsack_profile([10, 7], [3, 2], 4, **own),
     {"capacity": [0, 1, 2, 3, 4], "profit": [0, 0, 7, 10, 10]}),
    (lambda own: BATCH.solve(**own),
     {"instance": [0, 1], "profit": [13, 11], "count_0": [0, 0], "count_1": [1, 1], "count_2": [1, 1]}),
    (lambda own: makespan.multidimensional_knapsack([10, 7, 6], [[5, 4, 3], [1, 1, 4]], [9, 4], **own),
     {"item": [0, 1], "profit": [10, 7], "weight_0": [5, 4], "weight_1": [1, 1], "count": [1, 1]}),
    (lambda own: makespan.cutting_stock([6, 4], [1, 1], 10, **own),
     {"pattern": [0, 0], "pieces": [1, 1], "item": [0, 1], "length": [6, 4], "count": [1, 1]}),
    (lambda own: makespan.matrix_chain([10, 100, 5, 50], **own),
     {"first": [0, 0], "split": [2, 1], "last": [3, 2]}),
    (lambda own: makespan.nussinov("GGGAAAUCC", **own),
     {"first": [0, 1, 2], "last": [8, 7, 6]}),
    (lambda own: FIBONACCI.solve(**own),
     {"instance": [0] * 4 + [1] * 4, "element": [0, 1, 2, 3] * 2, "value": [0, 1, 1, 2, 2, 1, 3, 4]}),
    (lambda own: FIBONACCI.solve(values="last", **own),
     {"instance": [0, 1], "value": [2, 4]}),
    (lambda own: STEPS.solve(choices=True, **own),
     {"instance": [0] * 4, "element": [0, 1, 2, 3], "value": [0, 5, 3, 4], "choice": [-1, -1, 0, 1]}),
    (lambda own: makespan.lattice_path([3, 3], [[2, 2], [1, 1]], [9, 2], **own),
     {"step": [0, 1], "offset": [1, 1]}),
    (lambda own: makespan.packing([3, 5], [2, 1], 8, **own),
     {"container": [0, 0, 1], "item": [0, 1, 0], "count": [1, 1, 1]}),
]  # fmt: skip


@pytest.mark.parametrize("solve, expected", TABLES)
def test_tables(solve, expected, cpu):
    result = solve({"context": cpu})
    table = result.table()
    assert {name: column.tolist() for name, column in table.items()} == expected
    assert list(table) == list(expected)
    for column in table.values():
        assert isinstance(column, np.ndarray) and not column.flags.writeable


def test_every_class_of_results_has_a_table(cpu):
    classes = {kind for kind in vars(makespan).values() if isinstance(kind, type) and issubclass(kind, makespan.Result)}
    assert {type(solve({"context": cpu})) for solve, _ in TABLES} == classes - {makespan.Result}


@pytest.mark.heavy
@pytest.mark.parametrize("solve, expected", TABLES)
def test_frames(solve, expected, cpu):
    pandas = pytest.importorskip("pandas")
    frame = solve({"context": cpu}).to_frame()
    pandas.testing.assert_frame_equal(frame, pandas.DataFrame(expected))
