"""The models of the flow shop against all sequences of few jobs, whose values follow from the definitions."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import makespan

OBJECTIVES = ("makespan", "total-flow-time", "weighted-flow-time", "total-tardiness", "weighted-tardiness",
              "max-lateness", "late-jobs", "inversions", "new-predecessors")  # fmt: skip
PARTS = ("release_times", "ready_times", "blocking", "setups", "machine_setups", "families", "machine_families",
         "first_setups", "machine_first_setups", "last_kinds", "family_last_kinds")  # fmt: skip


def part_of(name, draw, jobs, machines, families=2):
    """The arguments of a part of the model. `draw` makes an array of numbers up to the first, with the shape of the others.
    Set-ups before first jobs are long, so that no job arrives later than the machine is set up."""
    return {
        "release_times": lambda: {"release_times": draw(30, jobs)},
        "ready_times": lambda: {"ready_times": draw(30, machines)},
        "blocking": lambda: {"blocking": True},
        "setups": lambda: {"setups": draw(9, jobs, jobs)},
        "machine_setups": lambda: {"setups": draw(9, machines, jobs, jobs)},
        "families": lambda: {"setups": draw(9, families, families), "families": draw(families - 1, jobs)},
        "machine_families": lambda: {
            "setups": draw(9, machines, families, families),
            "families": draw(families - 1, jobs),
            "first_setups": draw(60, machines, families),
        },
        "first_setups": lambda: {"setups": draw(9, jobs, jobs), "first_setups": draw(60, jobs)},
        "machine_first_setups": lambda: {
            "setups": draw(9, machines, jobs, jobs),
            "first_setups": draw(60, machines, jobs),
        },
        "last_kinds": lambda: {"setups": draw(60, jobs, jobs), "last_kinds": draw(jobs - 1, machines)},
        "family_last_kinds": lambda: {
            "setups": draw(60, machines, families, families),
            "families": draw(families - 1, jobs),
            "last_kinds": draw(families - 1, machines),
        },
    }[name]()


def setup_of(model, machine, before, job):
    """The set-up of a machine for a job after another one; None is before the first."""
    own = lambda name, dimensions: model[name][machine] if np.ndim(model[name]) == dimensions else model[name]
    kind = lambda job: model["families"][job] if "families" in model else job
    if before is not None:
        return own("setups", 3)[kind(before)][kind(job)] if "setups" in model else 0
    if "last_kinds" in model:
        return own("setups", 3)[model["last_kinds"][machine]][kind(job)]
    return own("first_setups", 2)[kind(job)] if "first_setups" in model else 0


def starts_of(model, sequence):
    """The start of each job on each machine, as early as it can."""
    times = model["times"]
    machines = range(len(times[0]))
    release = model.get("release_times", [0] * len(times))
    free = list(model.get("ready_times", [0] * len(machines)))
    starts, before = {}, None
    for job in sequence:
        arrival, row = release[job], []
        for machine in machines:
            row.append(max(arrival, free[machine] + setup_of(model, machine, before, job)))
            arrival = row[machine] + times[job][machine]
        for machine in machines:
            # With blocking, a job leaves a machine when it starts on the next one.
            leaves_late = model.get("blocking", False) and machine + 1 in machines
            free[machine] = row[machine + 1] if leaves_late else row[machine] + times[job][machine]
        starts[job], before = row, job
    return starts


def value_of(model, sequence, starts, objective):
    """The value of an objective without sums."""
    jobs = range(len(model["times"]))
    ends = [starts[job][-1] + model["times"][job][-1] for job in jobs]
    release, dates = model.get("release_times", [0] * len(jobs)), model["due_dates"]
    weights, plan = model["weights"], model["running_plan"]
    before = lambda order, job: dict(zip(order, [None, *order[:-1]]))[job]
    return {
        "makespan": lambda: max(ends),
        "total-flow-time": lambda: sum(ends[job] - release[job] for job in jobs),
        "weighted-flow-time": lambda: sum(weights[job] * (ends[job] - release[job]) for job in jobs),
        "total-tardiness": lambda: sum(max(0, ends[job] - dates[job]) for job in jobs),
        "weighted-tardiness": lambda: sum(weights[job] * max(0, ends[job] - dates[job]) for job in jobs),
        "max-lateness": lambda: max(ends[job] - dates[job] for job in jobs),
        "late-jobs": lambda: sum(ends[job] > dates[job] for job in jobs),
        "inversions": lambda: sum(
            sequence.index(first) > sequence.index(second) for first, second in combinations(plan, 2)
        ),
        "new-predecessors": lambda: sum(before(plan, job) != before(sequence, job) for job in plan),
    }[objective]()


def values_of(model, sequence, stages):
    """The values of the stages, each a list of factors and objectives."""
    starts = starts_of(model, sequence)
    value = lambda objective: value_of(model, sequence, starts, objective)
    return [sum(factor * value(objective) for factor, objective in stage) for stage in stages]


def text_of(stages):
    return ",".join("+".join(f"{factor}*{objective}" for factor, objective in stage) for stage in stages)


def check(model, stages, context):
    """Solves the model and compares all values; returns the least ones."""
    pinned = model.get("pinned", [])
    every = [list(order) for order in permutations(range(len(model["times"]))) if list(order[: len(pinned)]) == pinned]
    # Objectives that don't use dates or weights only warn.
    shop = makespan.FlowShop(**model, objective=text_of(stages))
    least = min(values_of(model, order, stages) for order in every)
    for method in ("branch-and-bound", "auto"):
        result = shop.solve(method=method, context=context)
        sequence = result.sequence.tolist()
        assert result.status == "optimal" and result.objective == result.bound
        assert [result.objective, *result.objectives.values()] == [least[0], *least]
        assert sequence in every and values_of(model, sequence, stages) == least
    for order in (sequence, every[0], every[-1]):
        starts = starts_of(model, order)
        assert shop.starts(order).tolist() == [starts[job] for job in range(len(order))]
        assert shop.evaluate(order) == values_of(model, order, stages)
    return least


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("part", PARTS)
def test_each_objective_with_each_part(part, objective, cpu):
    random = np.random.default_rng([PARTS.index(part), OBJECTIVES.index(objective)])
    draw = lambda most, *shape: random.integers(0, most + 1, shape).tolist()
    model = {
        "times": random.integers(1, 20, (5, 3)).tolist(),
        "due_dates": random.integers(20, 70, 5).tolist(),
        "weights": random.integers(1, 6, 5).tolist(),
        "running_plan": random.permutation(5).tolist(),
        **part_of(part, draw, 5, 3),
    }
    if objective in ("inversions", "new-predecessors"):
        # The running plan is no solution: its last job has begun.
        model["pinned"] = model["running_plan"][-1:]
        assert check(model, [[(1, objective)]], cpu)[0] > 0
    else:
        check(model, [[(1, objective)], [(1, "inversions")]], cpu)


@st.composite
def models(draw, most_jobs=5):
    jobs, machines = draw(st.integers(1, most_jobs)), draw(st.integers(1, 3))

    def numbers(most, *shape):
        if not shape:
            return draw(st.integers(0, most))
        return [numbers(most, *shape[1:]) for _ in range(shape[0])]

    orders = st.permutations(range(jobs))
    model = {
        "times": numbers(20, jobs, machines),
        "due_dates": [date - 20 for date in numbers(80, jobs)],
        "weights": numbers(5, jobs),
        # New jobs are not in the running plan.
        "running_plan": draw(orders)[: draw(st.integers(1, jobs))],
        "pinned": draw(orders)[: draw(st.integers(0, jobs))],
    }
    for part in draw(st.sets(st.sampled_from(PARTS[:3]))) | {draw(st.sampled_from(PARTS))}:
        model.update(part_of(part, numbers, jobs, machines))
    return model


@given(models(), st.data())
def test_parts_and_stages_together(cpu, model, data):
    terms = st.tuples(st.integers(1, 5), st.sampled_from(OBJECTIVES))
    stage = st.lists(terms, min_size=1, max_size=2, unique_by=lambda term: term[1])
    check(model, data.draw(st.lists(stage, min_size=1, max_size=3, unique_by=str)), cpu)
