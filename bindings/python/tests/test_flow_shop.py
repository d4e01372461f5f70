"""The flow shop against brute force."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import makespan


def shops(most_jobs=5, most_machines=3):
    sizes = st.tuples(st.integers(1, most_jobs), st.integers(1, most_machines))
    rows = lambda size: st.lists(
        st.lists(st.integers(0, 20), min_size=size[1], max_size=size[1]),
        min_size=size[0],
        max_size=size[0],
    )
    return sizes.flatmap(rows)


def ends_of(times, sequence):
    """End of each job by the definition, machine by machine."""
    free, ends = [0] * len(times[0]), {}
    for job in sequence:
        arrival = 0
        for machine, time in enumerate(times[job]):
            arrival = free[machine] = max(arrival, free[machine]) + time
        ends[job] = arrival
    return ends


@given(shops())
def test_the_makespan_is_that_of_the_best_sequence(times):
    result = makespan.flow_shop(times, engine="cpu")
    assert result.status == "optimal" and result.objective == result.bound
    every = permutations(range(len(times)))
    assert result.objective == min(max(ends_of(times, order).values()) for order in every)
    ends = ends_of(times, result.sequence)
    assert [ends[job] for job in range(len(times))] == result.completions.tolist()
    assert result.instance.evaluate(result.sequence) == [result.objective]


def test_families_have_setups_and_machines_have_last_ones(cpu):
    times = [[2], [2], [2]]
    arguments = {"setups": [[0, 7], [5, 0]], "families": [0, 1, 0]}
    result = makespan.flow_shop(times, **arguments, context=cpu)
    assert result.objective == 11 and result.sequence[0] == 1
    result = makespan.flow_shop(times, **arguments, last_kinds=[0], context=cpu)
    assert result.objective == 13 and result.sequence[-1] == 1
    result = makespan.flow_shop(times, **arguments, first_setups=[3, 4], context=cpu)
    assert result.objective == 15


def test_stages_pins_and_running_plans(cpu):
    times = [[3, 2], [1, 4], [2, 2], [5, 1]]
    result = makespan.flow_shop(
        times,
        objective="late-jobs,total-tardiness+5*makespan",
        due_dates=[4, 5, 9, 20],
        pinned=[3],
        ready_times=[2, 0],
        context=cpu,
    )
    assert result.sequence[0] == 3
    lateness = result.completions - [4, 5, 9, 20]
    assert result.tardiness.tolist() == [max(0, late) for late in lateness]
    assert list(result.objectives) == ["late-jobs", "total-tardiness+5*makespan"]
    assert next(iter(result.objectives.values())) == result.objective
    stable = makespan.flow_shop(
        times, objective="inversions", running_plan=[2, 0, 1, 3], context=cpu
    )
    assert stable.objective == 0 and stable.sequence.tolist() == [2, 0, 1, 3]


def test_known_instances_and_files(tmp_path):
    known = makespan.FlowShop.named("ta001")
    assert known.times.shape == (20, 5)
    path = tmp_path / "shop.txt"
    rows = "\n".join(" ".join(map(str, row)) for row in known.times.tolist())
    path.write_text(f"20 5\n{rows}\n")
    assert (makespan.FlowShop.read(path).times == known.times).all()
    with pytest.raises(makespan.InvalidArgumentError, match="ta001 to ta120"):
        makespan.FlowShop.named("ta121")
    with pytest.raises(OSError):
        makespan.FlowShop.read(tmp_path / "none")
    path.write_text("20 5\n1 x\n")
    with pytest.raises(makespan.ParseError, match="line"):
        makespan.FlowShop.read(path)


def test_tables_have_all_operations(cpu):
    result = makespan.FlowShop.named("ta001").solve(method="neh", context=cpu)
    table = result.table()
    assert list(table) == ["job", "machine", "start", "end"]
    assert len(table["job"]) == 100 and (np.diff(table["start"]) >= 0).all()
    lengths = table["end"] - table["start"]
    assert (lengths == result.instance.times[table["job"], table["machine"]]).all()
    assert table["end"].max() == result.objective == max(result.completions)


def test_starts_continue_from_earlier_results(cpu):
    shop = makespan.FlowShop.named("ta011")
    first = shop.solve(method="iterated-greedy", iteration_limit=20, context=cpu)
    again = shop.solve(
        method="iterated-greedy", iteration_limit=1, start=first.sequence, context=cpu
    )
    assert again.objective <= first.objective
    assert [point.objective for point in first.trace][-1] == first.objective
    assert first.trace[-1].bound == first.bound


def test_batches_are_the_single_solves(cpu):
    random = np.random.default_rng(3)
    instances = [makespan.FlowShop(random.integers(1, 99, (6, 3))) for _ in range(8)]
    together = makespan.solve_batch(instances, context=cpu)
    alone = [instance.solve(context=cpu) for instance in instances]
    assert [result.objective for result in together] == [result.objective for result in alone]
    assert [result.instance for result in together] == instances
    assert makespan.solve_batch([]) == []
    with pytest.raises(TypeError, match="one class"):
        makespan.solve_batch([instances[0], makespan.Knapsack([1], [1], 1)])
