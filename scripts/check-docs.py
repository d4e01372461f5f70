#!/usr/bin/env python3
"""Checks the Markdown of the repository; see test-docs.sh.

    check-docs.py COMMAND PREFIX

Links and anchors lead somewhere, the book's summary lists all its pages, the manual has all options of the command, the C reference all functions, a
block marked `file:PATH` is a part of that file, and other Rust is in a page that src/lib.rs hands to rustdoc. Edits of a
block marked `edit:PATH` have exactly one place in that file (see edits.py). Blocks
marked `console` run in the repository root: the output of each line after `$ ` equals what follows it, where `...` is any
text, or any lines on a line of its own. Whole programs in blocks marked `c` or `c,program` compile without warnings and
run; a `text` block after one is what they print.
"""
import os
import re
import subprocess
import sys
import tempfile

from c_reference import manual
from edits import edits, places

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOOK = "docs/src"
# Files of the page about a new problem, with links that hold where it puts them.
ELSEWHERE = "docs/new-problem"
# Parts of pages, with links that hold where the pages include them.
INCLUDED = f"{BOOK}/papers/report"
MANUAL = f"{BOOK}/command.md"
REFERENCE = f"{BOOK}/c-reference.md"
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
END = "-- end of output --"
faults = []


def fault(page, line, reason):
    faults.append(f"{page}:{line}: {reason}")


def pages():
    names = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in ("target", "dist")
                      and os.path.relpath(os.path.join(folder, name), ROOT) not in (ELSEWHERE, INCLUDED)]
        names += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files if name.endswith(".md")]
    return sorted(names)


def whole(page):
    """The page with the files that it includes."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(page)
    return re.sub(r"^\{\{#include (\S+)\}\}$", lambda found: whole(os.path.join(folder, found.group(1))), text,
                  flags=re.M)


def split(page):
    """The lines of prose with their numbers, and the code blocks: line, mark, lines."""
    prose, blocks, mark = [], [], None
    for number, line in enumerate(whole(page).split("\n"), 1):
        fence = re.match(r"\s*```(.*)$", line)
        if fence and mark is None:
            mark, block = fence.group(1).strip(), (number, fence.group(1).strip(), [])
            blocks.append(block)
        elif fence:
            mark = None
        elif mark is None:
            prose.append((number, line))
        else:
            block[2].append(line)
    return prose, blocks


def anchors(page):
    """As GitHub and mdBook make them of headings."""
    found = {}
    for _, line in split(page)[0]:
        heading = re.match(r"#+\s+(.*?)\s*$", line)
        if heading:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            times = found[anchor] = found.get(anchor, -1) + 1
            if times:
                found[f"{anchor}-{times}"] = 0
    return found


def check_links(page, prose):
    for number, line in prose:
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "`", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(ROOT, path)):
                fault(page, number, f"{target} leads nowhere")
            elif anchor and anchor not in anchors(path):
                fault(page, number, f"{path} has no heading #{anchor}")


def check_summary(names):
    summary = f"{BOOK}/SUMMARY.md"
    listed = re.findall(r"\]\(([^)]+)\)", "\n".join(line for _, line in split(summary)[0]))
    listed = {os.path.normpath(os.path.join(BOOK, target)) for target in listed}
    for page in names:
        if page.startswith(BOOK + "/") and page not in listed and page != summary:
            fault(page, 1, f"{summary} does not list it")


def check_blocks(page, blocks, tested_by_rustdoc):
    for number, mark, lines in blocks:
        source = re.search(r"\bfile:(\S+)", mark)
        if source:
            path = os.path.join(ROOT, source.group(1))
            content = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
            if "\n".join(lines) + "\n" not in content:
                fault(page, number, f"the block is no part of {source.group(1)}")
        elif mark.split(",")[0] == "rust" and page not in tested_by_rustdoc:
            fault(page, number, "src/lib.rs does not hand this page's Rust to rustdoc")


def check_edits(page):
    for path, number, before, _ in edits(os.path.join(ROOT, page)):
        path = os.path.join(ROOT, path)
        content = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if places(content, before) != 1:
            fault(page, number, f"the lines before the edit occur {places(content, before)} times: {before}")


def check_manual(command):
    """The manual names every option."""
    def described(*arguments):
        return subprocess.run([command, *arguments, "--help"], capture_output=True, text=True, check=True).stdout

    with open(os.path.join(ROOT, MANUAL), encoding="utf-8") as file:
        manual = file.read()
    for subcommand in re.findall(r"^  ([a-z-]+)  ", described(), re.M):
        options = described(subcommand) if subcommand != "help" else ""
        for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", options, re.M):
            if not re.search(rf"{option}(?![a-z-])", manual):
                fault(MANUAL, 1, f"there is no {option} of {subcommand}")


def check_reference():
    """The reference has all functions of the C headers, and its links lead to its headings."""
    text = manual("include/makespan.h") + manual("include/makespan_units.h")
    with open(os.path.join(ROOT, "include/makespan.symbols"), encoding="utf-8") as file:
        functions = file.read().split()
    titles = re.findall(r"^### (.*)$", text, re.M)
    for function in set(functions) - set(titles):
        fault(REFERENCE, 1, f"there is no {function}")
    for anchor in set(re.findall(r"\]\(#([^)]+)\)", text)) - {title.lower() for title in titles}:
        fault(REFERENCE, 1, f"#{anchor} leads nowhere")


def matches(expected, actual):
    """Whether the lines are those expected."""
    pattern = ""
    for line in expected:
        some = ".*?".join(re.escape(part) for part in line.split("..."))
        pattern += r"(?:[^\n]*\n)*?" if line.strip() == "..." else some + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def run_console(page, number, lines, folder, environment):
    """One shell for the block."""
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands and line.startswith("> ") and commands[-1][0].endswith("\\"):
            commands[-1] = (f"{commands[-1][0]}\n{line[2:]}", [])
        elif commands:
            commands[-1][1].append(line)
        else:
            return fault(page, number, "the block does not begin with a command")
    script = "".join(f"{command}\n(exit $?); code=$?; echo '{END}'; (exit $code)\n" for command, _ in commands)
    result = subprocess.run(["sh", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    outputs = result.stdout.split(END + "\n")
    for (command, expected), output in zip(commands, outputs):
        actual = output.split("\n")[:-1]
        if not matches(expected, actual):
            fault(page, number, "\n".join([f"`{command}` prints"] + [f"    {line}" for line in actual]))


def run_program(page, number, lines, output, prefix, folder, environment):
    source, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    compiler = [os.environ.get("CC", "cc"), *WARNINGS, source, "-o", program]
    built = subprocess.run([*compiler, "-I", f"{prefix}/include", "-L", f"{prefix}/lib", "-lmakespan", "-lpthread"],
                           capture_output=True, text=True)
    if built.returncode:
        return fault(page, number, f"the program does not compile: {built.stderr}")
    result = subprocess.run([program], cwd=folder, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=120)
    if result.returncode:
        fault(page, number, f"the program ends with {result.returncode}: {result.stdout}")
    elif output is not None and not matches(output, result.stdout.split("\n")[:-1]):
        fault(page, number, f"the program prints\n{result.stdout}")


def run_blocks(page, blocks, command, prefix):
    """In a folder that looks like the repository's root and may be written to."""
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(command, os.path.join(folder, "bin", "makespan"))
        # Without devices and caches of this machine.
        environment = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent", "OPENCL_DYLIB_PATH": "/nonexistent",
                       "MAKESPAN_CACHE_DIR": "off", "LD_LIBRARY_PATH": f"{prefix}/lib",
                       "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        for index, (number, mark, lines) in enumerate(blocks):
            if mark == "console":
                run_console(page, number, lines, folder, environment)
            elif mark == "c,program" or mark == "c" and "int main(void)" in lines:
                after = blocks[index + 1] if index + 1 < len(blocks) else (0, "", [])
                output = after[2] if after[1] == "text" else None
                run_program(page, number, lines, output, prefix, folder, environment)
            else:
                continue
            ran += 1
    return ran


def main():
    command, prefix = (os.path.abspath(argument) for argument in sys.argv[1:3])
    names = pages()
    with open(os.path.join(ROOT, "src/lib.rs"), encoding="utf-8") as file:
        tested_by_rustdoc = re.findall(r'include_str!\("\.\./([^"]+\.md)"\)', file.read())
    check_summary(names)
    check_manual(command)
    check_reference()
    ran = 0
    for page in names:
        prose, blocks = split(page)
        check_links(page, prose)
        check_blocks(page, blocks, tested_by_rustdoc)
        check_edits(page)
        ran += run_blocks(page, blocks, command, prefix)
    for found in faults:
        print(found, file=sys.stderr)
    print(f"{len(names)} pages, {ran} blocks run")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
