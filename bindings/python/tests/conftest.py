"""What tests share."""

import json
import os
import subprocess

import hypothesis
import pytest

import makespan

hypothesis.settings.register_profile("quick", deadline=None, max_examples=25, derandomize=True)
hypothesis.settings.register_profile("heavy", deadline=None, max_examples=200)
hypothesis.settings.load_profile(os.environ.get("MAKESPAN_HYPOTHESIS", "quick"))


@pytest.fixture(scope="session")
def cpu():
    """A context that looks for no device."""
    return makespan.Context(engine="cpu", threads=2, cache="off")


@pytest.fixture(scope="session")
def command():
    """Runs the command and returns its JSON object; MAKESPAN_COMMAND names the program."""
    program = os.environ.get("MAKESPAN_COMMAND")
    if not program:
        pytest.skip("MAKESPAN_COMMAND does not name the command")

    def run(*arguments, text):
        words = [program, *map(str, arguments), "--json", "--engine", "cpu"]
        done = subprocess.run(words, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
