"""The package: its stubs, documentation, plots and notebook."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys

import pytest

import makespan

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.dirname(HERE)
ROOT = os.path.dirname(os.path.dirname(PYTHON))
BOOK = os.path.join(ROOT, "docs/src")


def modules():
    yield makespan
    for module in pkgutil.iter_modules(makespan.__path__, "makespan."):
        if module.name not in ("makespan._plots", "makespan._makespan"):
            yield importlib.import_module(module.name)


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__)
def test_examples_of_docstrings(module):
    assert doctest.testmod(module).failed == 0


def run_examples(page):
    path = os.path.join(BOOK, page)
    with open(path, encoding="utf-8") as file:
        # The end of a block would be read as output.
        blocks = re.findall(r"^```pycon$(.*?)^```$", file.read(), re.M | re.S)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, path, path, 0)
    return doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)


def test_examples_of_the_guide():
    found = run_examples("python-guide.md")
    assert found.attempted > 20 and found.failed == 0


@pytest.mark.parametrize(
    "paper", ["branch-and-bound", "interval-dp", "parallel-machines", "pipeline", "tabu"]
)
def test_examples_of_the_papers(paper):
    found = run_examples(f"papers/{paper}.md")
    assert found.attempted > 3 and found.failed == 0


@pytest.mark.parametrize("name", ["parallel_machines", "flow_shop", "many_knapsacks"])
def test_examples(name):
    path = os.path.join(ROOT, f"examples/python/{name}.py")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_keywords_are_those_of_the_tables():
    script = os.path.join(PYTHON, "keywords.py")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_package_needs_numpy_alone():
    program = "import sys, makespan; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(done.stdout.split()) - set(sys.stdlib_module_names)
    assert {name for name in loaded if not name.startswith(("_", "site"))} <= {"makespan", "numpy"}


def test_public_names_have_documentation():
    for name in makespan.__all__:
        value = getattr(makespan, name)
        if callable(value):
            assert value.__doc__, name


@pytest.mark.heavy
def test_types():
    pytest.importorskip("mypy")
    package = os.path.dirname(makespan.__file__)
    settings = os.path.join(PYTHON, "pyproject.toml")
    checked = [package, os.path.join(HERE, "typed.py")]
    command = [sys.executable, "-m", "mypy", "--config-file", settings, *checked]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    stubs = [sys.executable, "-m", "mypy.stubtest", "--ignore-missing-stub", "--ignore-disjoint-bases"]
    done = subprocess.run([*stubs, "makespan._makespan"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.heavy
def test_frames_and_plots():
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    shop = makespan.FlowShop.named("ta001").solve(method="iterated-greedy", iteration_limit=20)
    frame = shop.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns)[:2] == ["job", "machine"]
    assert frame.end.max() == shop.objective and len(frame) == 100
    chart = shop.plot_gantt()
    assert len(chart.patches) == 100 and len(chart.texts) == 100
    assert chart.get_ylim() == (4.5, -0.5)
    lines = shop.plot_convergence().get_lines()
    assert [line.get_label() for line in lines][::2] == ["objective", "bound"]
    assert lines[0].get_ydata()[-1] == shop.objective
    _, ax = matplotlib.pyplot.subplots()
    assert makespan.parallel_machines([5, 4, 3], 2).plot_gantt(ax) is ax and len(ax.patches) == 3
    for result in (
        makespan.parallel_machines([5, 4, 3], 2),
        makespan.cutting_stock([45, 36], [2, 3], 100),
        makespan.nussinov("GGGAAAUCC"),
        makespan.packing([3, 5], [4, 2], 8),
    ):
        assert len(result.to_frame())


@pytest.mark.heavy
def test_the_notebook_runs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    path = os.path.join(ROOT, "examples/python/tour.ipynb")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [
        output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type in ("display_data", "execute_result")
    ]
    assert any("image/png" in data for data in shown)
    assert any("<svg" in data.get("text/html", "") for data in shown)
