#!/usr/bin/env python3
"""Writes python/makespan/_keywords.pyi: the keywords of all solvers with their types, from the tables of
options of the installed package. With --check it only says whether the file is current.

    keywords.py [--check]
"""
import os
import sys

import makespan

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python/makespan/_keywords.pyi")
WIDTH = 100
TYPES = {
    "flag": "bool",
    "whole": "SupportsIndex",
    "real": "float | Fraction | str",
    "seconds": "float | timedelta",
    "bytes": "SupportsIndex | str",
    "path": "str | PathLike[str]",
    "list": "ArrayLike",
}
HEAD = '''"""Keywords of all solvers; bindings/python/keywords.py writes this file from the tables of options."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from os import PathLike
from typing import Any, Literal, SupportsIndex, TypedDict

from numpy.typing import ArrayLike

from . import Context, Progress, StopHandle

class _Functions(TypedDict, total=False):
    # The context with threads and devices.
    context: Context | None
    # A handle by which other threads end the solve.
    stop: StopHandle | None
    # Called for each better solution.
    on_solution: Callable[[Progress], Any] | None
    # Called about twenty times a second.
    on_progress: Callable[[Progress], Any] | None
    # Whether to show the progress on the screen.
    display: bool

class _Log(TypedDict, total=False):
    # Called with the level and the text of each message, perhaps on several threads at once.
    log: Callable[[str, str], Any] | None
    # The least important messages that it is called with.
    log_level: Literal["warning", "info", "debug"]
'''


def class_name(problem):
    return "".join(word.capitalize() for word in problem.split("_")) + "Keywords"


def annotation(problem, option):
    if option.kind == "choice":
        words = [f'"{choice}"' for choice in option.choices]
        if option.unset and option.unset not in option.choices:
            words.append(f'"{option.unset}"')
        kind = f"Literal[{', '.join(words)}]"
    else:
        kind = TYPES[option.kind]
    if (problem, option.name) == ("cutting_stock", "start"):
        kind += " | Sequence[tuple[int, Mapping[int, int]]]"
    return f"{kind} | None" if option.unset else kind


def wrapped(text):
    """The text as comments."""
    lines, line = [], "    #"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "    #"
        line += f" {word}"
    return [*lines, line]


def body(problem, options):
    lines = []
    for option in options:
        default = f"the default is {option.default}" if option.default else "empty by default"
        lines += wrapped(f"{option.text}; {default}.")
        lines.append(f"    {option.name}: {annotation(problem, option)}")
    return lines


def text():
    common = makespan.options("context")
    solve = [option for option in makespan.options("knapsack") if option.name not in ("method", "start")]
    names = {option.name for option in solve}
    parts = [HEAD]
    parts += ["class ContextKeywords(_Log, total=False):", *body("context", common), ""]
    parts.append("class SolveKeywords(_Functions, total=False):")
    parts += body("solve", solve)
    # The options of a context, which the call then has to itself.
    parts += body("context", [option for option in common if option.name not in names])
    for problem in makespan.PROBLEMS:
        own = [option for option in makespan.options(problem) if option.name not in names]
        parts += ["", f"class {class_name(problem)}(SolveKeywords, total=False):", *body(problem, own)]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        with open(FILE, encoding="utf-8") as file:
            if file.read() != text():
                sys.exit(f"{FILE} is not current; keywords.py writes it")
    else:
        with open(FILE, "w", encoding="utf-8") as file:
            file.write(text())
