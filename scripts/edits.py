#!/usr/bin/env python3
"""Edits of files that a page shows in blocks marked `diff edit:PATH`.

    edits.py PAGE FOLDER        performs them on the files in a folder and prints the paths

A block has lines that begin with a space, `-` or `+`, as in a diff, and `...` between edits of one
file. The lines of an edit that stay or go occur exactly once in the file, one after the other.
"""
import os
import re
import sys


def blocks(page):
    """Path, line and lines of each block."""
    found, block = [], None
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            mark = re.match(r"```diff edit:(\S+)$", line)
            if mark:
                block = []
                found.append((mark.group(1), number, block))
            elif line.startswith("```"):
                block = None
            elif block is not None:
                block.append(line)
    return found


def edits(page):
    """Path, line, lines before and lines after of each edit."""
    for path, number, lines in blocks(page):
        groups = [[]]
        for line in lines:
            if line == "...":
                groups.append([])
            else:
                groups[-1].append(line)
        for group in groups:
            before = [line[1:] for line in group if not line.startswith("+")]
            after = [line[1:] for line in group if not line.startswith("-")]
            yield path, number, before, after


def places(content, before):
    """How often the lines occur in a text."""
    return ("\n" + content).count("\n" + "\n".join(before) + "\n")


def main():
    page, folder = sys.argv[1:]
    paths = {}
    for path, number, before, after in edits(page):
        name = os.path.join(folder, path)
        with open(name, encoding="utf-8") as file:
            content = file.read()
        if places(content, before) != 1:
            times = places(content, before)
            sys.exit(f"{page}:{number}: the lines occur {times} times in {path}: {before}")
        old, new = ("\n" + "\n".join(lines) + "\n" for lines in (before, after))
        with open(name, "w", encoding="utf-8") as file:
            file.write(("\n" + content).replace(old, new)[1:])
        paths[path] = None
    print("\n".join(paths))


if __name__ == "__main__":
    main()
