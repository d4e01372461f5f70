"""Solves while they run: functions, signals, threads, processes."""

import gc
import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import makespan

#: Takes minutes to prove.
HARD = makespan.FlowShop.named("ta051")


def test_solutions_are_told_as_they_are_found(cpu):
    told = []
    result = HARD.solve(
        method="iterated-greedy",
        iteration_limit=200,
        context=cpu,
        on_solution=lambda progress: told.append(progress),
    )
    values = [progress.objective for progress in told]
    assert values == sorted(values, reverse=True) and len(set(values)) == len(values)
    assert values[-1] == result.objective
    for progress in told:
        assert HARD.evaluate(progress.solution) == [progress.objective]
        assert progress.seconds >= 0 and progress.phase
        assert progress.bound is None or progress.bound <= result.bound


def test_solutions_that_are_better_in_a_later_stage_are_told(cpu):
    random = np.random.default_rng(7)
    times = random.integers(1, 20, (12, 3))
    shop = makespan.FlowShop(
        times, objective="max-lateness,total-flow-time", due_dates=[100] * 12
    )
    told = []
    result = shop.solve(
        method="iterated-greedy", iteration_limit=200, context=cpu, on_solution=told.append
    )
    values = [shop.evaluate(progress.solution) for progress in told]
    assert values == sorted(values, reverse=True) and values[-1] == shop.evaluate(result.sequence)
    first = [value for value, _ in values]
    assert len(set(first)) < len(first) == len({tuple(value) for value in values})


def test_progress_ends_with_the_values_of_the_result(cpu):
    told = []
    result = HARD.solve(time_limit=0.3, context=cpu, on_progress=told.append)
    assert len(told) > 2 and told[-1].phase == "end"
    assert (told[-1].objective, told[-1].bound) == (result.objective, result.bound)


@pytest.mark.parametrize("name", ["on_solution", "on_progress"])
def test_exceptions_of_functions_end_the_solve(cpu, name):
    calls = []

    def fail(progress):
        calls.append(progress)
        raise KeyError("of the caller")

    begun = time.monotonic()
    with pytest.raises(KeyError, match="of the caller") as caught:
        HARD.solve(context=cpu, **{name: fail})
    assert len(calls) == 1 and time.monotonic() - begun < 20
    assert caught.traceback[-1].name == "fail"
    # The context is as good as before.
    assert makespan.flow_shop([[1, 2]], context=cpu).objective == 3


def test_stop_iteration_ends_with_the_best_result(cpu):
    def enough(progress):
        raise StopIteration

    result = HARD.solve(context=cpu, on_solution=enough)
    assert result.status == "feasible" and result.interrupted
    assert HARD.evaluate(result.sequence) == [result.objective]


def test_handles_stop_solves_on_other_threads(cpu):
    stop = makespan.StopHandle()
    threading.Timer(0.2, stop.stop).start()
    result = HARD.solve(context=cpu, stop=stop)
    assert result.interrupted and stop.is_stopped
    stop.reset()
    assert not stop.is_stopped


def test_exceptions_of_costs_and_operators_end_the_solve(cpu):
    def cost(i, k, j):
        raise LookupError(f"no cost of {i} {k} {j}")

    program = makespan.IntervalProgram([0] * 60, split_cost=cost, magnitude=9)
    with pytest.raises(LookupError, match="no cost"):
        program.solve(context=cpu)
    wrong = makespan.IntervalProgram([0] * 9, split_cost=lambda i, k, j: "far", magnitude=9)
    with pytest.raises(TypeError, match="the value of split_cost: must be a whole number, not str"):
        wrong.solve(context=cpu)
    with pytest.raises(ZeroDivisionError):
        makespan.recurrence("custom", [2, 1], [0, 1], 99, combine=lambda a, b: 1 // 0, context=cpu)
    with pytest.raises(ZeroDivisionError):
        makespan.recurrence(
            "custom", [1], [0], 9, weights=[1], combine=max, weigh=lambda a, b: 1 // 0, context=cpu
        )


def in_threads(*calls):
    """The results of calls in threads of their own, or their exceptions."""
    found = [None] * len(calls)

    def note(place):
        try:
            found[place] = calls[place]()
        except Exception as error:
            found[place] = error

    threads = [threading.Thread(target=note, args=[place]) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def once(value):
    """A function that raises at its first call, when another thread has called it, too."""
    callers, both, lock = set(), threading.Event(), threading.Lock()

    def function(*arguments):
        with lock:
            is_first = not callers
            callers.add(threading.get_ident())
        if is_first:
            assert both.wait(60)
            raise KeyError("the first")
        if len(callers) > 1:
            both.set()
        return value(*arguments)

    return function


@pytest.mark.parametrize("in_batch", [False, True])
def test_solves_of_one_instance_raise_their_own_exceptions(in_batch):
    contexts = [makespan.Context(engine="cpu", threads=1, cache="off") for _ in range(2)]
    solve = lambda instance, context: (
        makespan.solve_batch([instance], context=context)[0]
        if in_batch
        else instance.solve(context=context)
    )
    program = makespan.IntervalProgram([0] * 9, split_cost=once(lambda *_: 1), magnitude=1)
    table = makespan.Recurrence("custom", [2, 1], [0, 1], 40, combine=once(max))
    for instance, value in ((program, lambda result: result.objective == 8),
                            (table, lambda result: result.last.tolist() == [1])):
        calls = [lambda context=context: solve(instance, context) for context in contexts]
        found = sorted(in_threads(*calls), key=lambda one: isinstance(one, Exception))
        assert value(found[0]) and repr(found[1]) == "KeyError('the first')"


@pytest.mark.parametrize(
    "instance",
    [
        lambda function: makespan.IntervalProgram([0] * 4, split_cost=function, magnitude=9),
        lambda function: makespan.Recurrence("custom", [1], [0], 5, combine=function),
        lambda function: makespan.Recurrence("custom", [1], [0], 5, combine=max, weigh=function),
    ],
)
def test_instances_in_cycles_with_their_functions_are_collected(cpu, instance):
    class Owner:
        def __init__(self):
            self.instance = instance(self.function)

        def function(self, *numbers):
            return max(numbers)

    owner = Owner()
    owner.instance.solve(context=cpu)
    alive = weakref.ref(owner)
    del owner
    gc.collect()
    assert alive() is None


def run(program, **environment):
    """The output of a program in another process, and its exit status."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    return done.stdout + done.stderr, done.returncode


@pytest.mark.parametrize(
    "solve, bound",
    [
        ("hard.solve(**cpu, threads=1, method='branch-and-bound')", 0.1),
        ("hard.solve(**cpu, threads=2)", 0.1),
        ("hard.solve(**cpu, method='iterated-greedy', iteration_limit=10**9)", 0.1),
        ("hard.solve(**cpu, method='tabu', iteration_limit=10**9)", 0.1),
        ("hard.solve(**cpu, method='beam', beam_width=10**6)", 0.1),
        ("makespan.flow_shop(times, setups=setups, objective='total-flow-time', time_limit=9, **cpu)", 0.1),
        ("makespan.cutting_stock(random[:400] + 300, random[:400], 4000, **cpu)", 0.1),
        ("makespan.flow_shop(random[:10**6].reshape(-1, 2), **cpu)", 0.1),
        ("makespan.flow_shop(random[:10**6].reshape(-1, 2), release_times=random[:500_000], **cpu)", 0.1),
        ("makespan.knapsack(ones, ones + random, 10**9, **cpu, method='dense')", 0.1),
        ("makespan.knapsack_batch(random[: 10**7].reshape(-1, 10), weights, 10**6, **cpu)", 0.1),
        ("makespan.IntervalProgram([0] * 400, split_cost=cost, magnitude=9).solve(**cpu)", 0.1),
        ("makespan.recurrence('custom', [2, 1], [0, 1], 10**7, combine=lambda a, b: 1, **cpu)", 0.1),
    ],
)
def test_control_c_ends_a_solve(solve, bound):
    """Each of these solves takes more than five seconds if nothing interrupts it."""
    output, status = run(
        f"""
        import os, signal, threading, time
        import numpy as np
        import makespan
        random = np.random.default_rng(1).integers(1, 1000, 3 * 10**6)
        ones = np.ones_like(random)
        weights = random[:10] + 1000
        times, setups = random[:1000].reshape(50, 20), random[:2500].reshape(50, 50)
        hard = makespan.FlowShop.named("ta051")
        cost = lambda i, k, j: 1
        cpu = {{"engine": "cpu", "memory_limit": "4G"}}
        sent = None
        def interrupt(delay):
            global sent
            time.sleep(delay)
            sent = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)
        # A try at a moment when the machine is idle is enough.
        for delay in (0.4, 0.8, 0.3, 0.5, 0.6, 0.7, 0.9, 1.0, 1.2, 1.5):
            threading.Thread(target=interrupt, args=[delay]).start()
            try:
                {solve}
            except KeyboardInterrupt:
                late = time.monotonic() - sent
                print("interrupted", late)
                if late < {bound}:
                    break
        """
    )
    assert status == 0 and output, output
    tries = [line.split() for line in output.splitlines()]
    assert all(word == "interrupted" for word, _ in tries), output
    seconds = [float(late) for _, late in tries]
    # A busy machine takes longer, but not each time.
    assert max(seconds) < 3 and min(seconds) < bound, output


def test_handlers_of_signals_run_in_a_solve(cpu):
    def alarm(number, frame):
        raise TimeoutError("alarm")

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError, match="alarm"):
            HARD.solve(context=cpu)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_handlers_of_signals_run_beside_a_large_solve(cpu):
    times = np.random.default_rng(1).integers(1, 100, (30_000, 3))
    calls = []

    def alarm(number, frame):
        calls.append(number)
        if len(calls) == 3:
            raise TimeoutError("alarm")

    def solve():
        return makespan.flow_shop(times, objective="total-flow-time", time_limit=0.5, context=cpu)

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        with pytest.raises(TimeoutError, match="alarm"):
            solve()
        # Handlers that return do not end a solve.
        result = solve()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(calls) > 3
    assert sorted(result.sequence) == list(range(30_000))


def test_other_threads_run_in_a_solve(cpu):
    ticks, is_over = [], threading.Event()

    def tick():
        while not is_over.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    HARD.solve(time_limit=0.3, context=cpu)
    is_over.set()
    thread.join()
    assert len(ticks) > 10


def test_a_solve_of_another_thread_needs_no_lock(cpu):
    found = []
    thread = threading.Thread(target=lambda: found.append(HARD.solve(time_limit=0.2, context=cpu)))
    before = sys.getswitchinterval()
    # Nobody takes the lock from this thread, unless it sleeps.
    sys.setswitchinterval(60)
    try:
        thread.start()
        # Less than the time between two reports of the solve.
        time.sleep(0.02)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            pass
    finally:
        sys.setswitchinterval(before)
    thread.join()
    assert found[0].seconds < 2


def test_threads_share_a_context(cpu):
    shop = makespan.FlowShop.named("ta001")
    expected = shop.solve(method="tabu", iteration_limit=30, context=cpu).sequence.tolist()
    found = []

    def solve():
        for _ in range(3):
            result = shop.solve(method="tabu", iteration_limit=30, context=cpu)
            found.append(result.sequence.tolist())

    threads = [threading.Thread(target=solve) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 18


def test_children_make_their_own_context():
    output, status = run(
        """
        import os, warnings
        import makespan
        warnings.simplefilter("ignore")
        shop = makespan.FlowShop.named("ta001")
        print(shop.solve(method="neh").objective, flush=True)
        child = os.fork()
        if child == 0:
            print(shop.solve(method="tabu", iteration_limit=5).status, flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert (output.split(), status) == (["1286", "feasible"], 0)


def test_the_program_may_end_during_a_solve():
    output, status = run(
        """
        import threading, time
        import makespan
        shop = makespan.FlowShop.named("ta051")
        solve = lambda: shop.solve(engine="cpu", on_progress=lambda progress: None)
        threading.Thread(target=solve, daemon=True).start()
        time.sleep(0.3)
        print("over")
        """
    )
    assert (output, status) == ("over\n", 0)


def test_a_child_does_not_wait_for_solves_of_its_parent():
    output, status = run(
        """
        import os, threading, time, warnings
        import makespan
        warnings.simplefilter("ignore")
        shop = makespan.FlowShop.named("ta051")
        stop = makespan.StopHandle()
        solves = threading.Thread(target=lambda: shop.solve(engine="cpu", threads=1, stop=stop))
        solves.start()
        time.sleep(0.3)
        child = os.fork()
        if child == 0:
            raise SystemExit(7)
        begun = time.monotonic()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(status, time.monotonic() - begun < 4)
        stop.stop()
        solves.join()
        """
    )
    assert (output, status) == ("7 True\n", 0)


def test_no_solve_begins_after_the_end():
    output, status = run(
        """
        import atexit
        def late():
            try:
                print(makespan.flow_shop([[3, 2], [1, 4]]).status)
            except RuntimeError as error:
                print(error)
        # Functions run in the opposite order, so this one runs after the package's own.
        atexit.register(late)
        import makespan
        """
    )
    assert (output, status) == ("the interpreter is ending: no solve can begin\n", 0)


def test_nothing_stays_behind(cpu):
    class Function:
        def __call__(self, progress):
            pass

    function = Function()
    alive = weakref.ref(function)
    times = np.ones((5, 3), int)
    references = sys.getrefcount(times)
    for _ in range(50):
        makespan.flow_shop(times, context=cpu, on_solution=function, on_progress=function)
    assert sys.getrefcount(times) == references
    del function
    gc.collect()
    assert alive() is None
    context = makespan.Context(threads=1, log=lambda level, message: None, log_level="debug")
    makespan.flow_shop(times, context=context)
    del context


def test_logs(cpu):
    lines = []
    context = makespan.Context(
        engine="cpu", threads=1, log=lambda *line: lines.append(line), log_level="info"
    )
    makespan.FlowShop.named("ta001").solve(context=context, method="neh")
    assert lines and all(level in ("warning", "info") for level, _ in lines)
    with pytest.raises(makespan.InvalidArgumentError, match="^log_level: must be one of warning"):
        makespan.Context(log=print, log_level="loud")
    with pytest.raises(TypeError, match="^log: must be callable"):
        makespan.Context(log=3)


def test_exceptions_of_log_functions_go_to_the_hook(monkeypatch):
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: caught.append((what.exc_value, what.object)))

    def log(level, message):
        raise KeyError(message)

    context = makespan.Context(engine="cpu", threads=1, log=log, log_level="info")
    assert makespan.flow_shop([[3, 2], [1, 4]], context=context).objective == 7
    assert any("ends optimal" in str(error) for error, _ in caught)
    assert all(type(error) is KeyError and function is log for error, function in caught)


def test_a_context_may_end_in_its_own_log_function():
    output, status = run(
        """
        import threading
        import makespan
        held, called = [], threading.Event()
        def log(level, message):
            held.clear()
            called.set()
        held.append(makespan.Context(log=log, log_level="debug", cache="off"))
        held[0].prewarm("knapsack")
        # Without a device there is nothing to log.
        print(called.wait(60) or not makespan.devices())
        """
    )
    assert (output, status) == ("True\n", 0)


def test_contexts_in_cycles_with_their_log_functions_are_collected():
    class Program:
        def __init__(self):
            self.context = makespan.Context(threads=1, log=self.log, log_level="debug")

        def log(self, level, message):
            assert self.context

    program = Program()
    makespan.flow_shop([[3, 2], [1, 4]], context=program.context)
    alive = weakref.ref(program)
    del program
    gc.collect()
    assert alive() is None


def test_contexts_and_devices(cpu):
    assert cpu.threads == 2
    for device in cpu.devices:
        assert device.name and device.kind and str(device.index) in repr(device)
    with pytest.raises(TypeError, match="'thread'; did you mean 'threads'"):
        makespan.Context(thread=1)
    with pytest.raises(ValueError, match="^device: 1 is named twice"):
        makespan.Context(device=[0, 1, 1])
    assert "flow_shop" in makespan.kernel_names()
    with pytest.raises(makespan.InvalidArgumentError):
        cpu.prewarm("nonsense")


@pytest.mark.heavy
def test_devices_find_what_the_cpu_finds(cpu):
    if not cpu.devices:
        pytest.skip("there is no device")
    context = makespan.Context(engine="device")
    kernels = context.prewarm("knapsack")
    assert kernels.wait(120) and kernels.is_over and kernels.done == kernels.total
    random = np.random.default_rng(5)
    profits, weights = random.integers(1, 99, (2, 30))
    found = [
        makespan.knapsack(profits, weights, 400, method="dense", context=own)
        for own in (context, cpu)
    ]
    assert found[0].device == context.devices[0].name and found[1].device is None
    assert found[0].counts.tolist() == found[1].counts.tolist()
    with pytest.raises(NotImplementedError, match="the method greedy on a device"):
        makespan.knapsack([1], [1], 1, method="greedy", context=context)


def test_display(cpu, monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    told = []
    result = HARD.solve(
        display=True, method="neh", context=cpu, on_progress=lambda progress: told.append(1)
    )
    assert told and f"objective {result.objective}" in screen.getvalue()
    assert screen.getvalue().endswith("end\n") or "end" in screen.getvalue()


def test_summaries_in_notebooks(cpu):
    shop = makespan.flow_shop([[3, 2], [1, 4]], context=cpu)
    html = shop._repr_html_()
    assert "optimal" in html and html.count("<rect") == 4 and "<svg" in html
    for result in (
        makespan.knapsack([10, 7], [5, 4], 9, context=cpu),
        makespan.bin_packing([3, 4], 9, context=cpu),
        makespan.matrix_chain([3, 4, 5], context=cpu),
        makespan.recurrence("sum-product", [2, 1], [0, 1], 30, context=cpu),
        makespan.IntervalProgram([1] * 5, semiring="plus-times").solve(context=cpu),
        makespan.lattice_path([3, 3], [[2, 0]], context=cpu),
    ):
        assert result.status in result._repr_html_()
    assert "20 more rows" in makespan.recurrence("sum-product", [2, 1], [0, 1], 30)._repr_html_()
    assert repr(shop) == "<FlowShopResult optimal: objective 7, bound 7>"


def test_a_batch_raises_what_functions_of_its_instances_raise():
    def cost(left, split, right):
        raise KeyError("cost")

    program = makespan.IntervalProgram([0] * 6, split_cost=cost, magnitude=9)
    with pytest.raises(KeyError, match="cost"):
        makespan.solve_batch([program])
    # Nothing is left over for the next solve.
    with pytest.raises(KeyError, match="cost"):
        program.solve()


def test_a_stop_ends_a_batch_of_instances_that_are_solved_in_turn(cpu):
    rng = np.random.default_rng(3)
    folds = [makespan.Folding.nussinov("".join(rng.choice(list("ACGU"), 60))) for _ in range(40)]

    def stop(progress):
        raise StopIteration

    never = lambda progress: pytest.fail("a batch calls no on_solution")
    found = makespan.solve_batch(folds, context=cpu, on_progress=stop, on_solution=never)
    assert len(found) == 40 and found[-1].status != "optimal"
    assert all(r.status == "optimal" for r in makespan.solve_batch(folds, context=cpu))
