#!/usr/bin/env python3
"""Opens reports in a browser and uses them as people do; see test-report.sh.

    test-report.py MAKESPAN CHROMIUM FOLDER
"""
import json
import os
import re
import subprocess
import sys

from browser import Browser

MAKESPAN, CHROMIUM, FOLDER = sys.argv[1:4]
DATA = "examples/data"
TAB, ENTER, ESCAPE, LEFT, UP, RIGHT, DOWN = 9, 13, 27, 37, 38, 39, 40
HOSTILE = '<b>&"\'</script><!--<img src=x onerror=document.title="broken">'


def check(holds, *reason):
    if not holds:
        raise SystemExit("FAILED: " + " ".join(map(str, reason)))


def report(*arguments, text=None):
    """The path of a report, and the JSON object that the command printed beside it."""
    path = os.path.join(FOLDER, "report.html")
    call = [MAKESPAN, *arguments, "--json", "--report", path]
    output = subprocess.run(call, input=text, capture_output=True, text=True)
    check(output.returncode == 0, call, output.stderr)
    return path, json.loads(output.stdout)


def plain(text):
    """Without the thin spaces between groups of digits."""
    return text.replace("\u2009", "")


def opened(browser, path):
    browser.open(path)
    browser.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")
    check(not browser.errors, "errors of the page:", browser.errors)


def follow(browser, name):
    """Searches a name and follows the first match."""
    browser.run("document.getElementById('search').focus(); document.getElementById('search').select()")
    browser.type(name)
    browser.press("Enter", ENTER, "\r")


def followed(browser):
    """The bars of what is followed: row, start, end, left edge, right edge."""
    return json.loads(browser.run("""JSON.stringify([...document.querySelectorAll(".on-top rect[data-start]")].map((bar) => [
        Number(bar.dataset.row), Number(bar.dataset.start), Number(bar.dataset.end),
        Number(bar.getAttribute("x")), Number(bar.getAttribute("x")) + Number(bar.getAttribute("width"))]))"""))


def table(browser, selector):
    """The texts of the cells below the header."""
    return json.loads(browser.run(f"""JSON.stringify([...document.querySelectorAll("{selector} tbody tr")].map(
        (row) => [...row.cells].map((cell) => cell.textContent)))"""))


def check_facts(browser, result):
    facts = json.loads(browser.run("""JSON.stringify(Object.fromEntries([...document.querySelectorAll("dl > div")].map(
        (fact) => [fact.querySelector("dt").textContent, fact.querySelector("dd").firstChild.textContent])))"""))
    check(facts["status"] == result["status"], facts)
    if "objectives" not in result and isinstance(result["objective"], int):
        check(str(result["objective"]) in [plain(fact) for fact in facts.values()], facts)
    if isinstance(result["bound"], int):
        check(plain(facts["bound"]) == str(result["bound"]), facts)


def check_drawn(browser, count):
    """All bars are drawn, as parts of the paths of their colours."""
    drawn = browser.run("""[...document.querySelectorAll(".bars path")].filter((path) => path.style.fill)
        .reduce((sum, path) => sum + path.getAttribute("d").split("M").length - 1, 0)""")
    check(drawn == count, drawn, "bars are drawn of", count)


def check_job(browser, result, job):
    """What is followed has the times of the JSON object, as numbers, as a table and to scale."""
    starts, ends = result["solution"]["starts"][job], result["solution"]["ends"][job]
    bars = followed(browser)
    check([bar[:3] for bar in bars] == [[row, start, end] for row, (start, end) in enumerate(zip(starts, ends))],
          "job", job, bars)
    shown = [[int(plain(cell)) for cell in row[1:3]] for row in table(browser, ".followed")]
    check(shown == [list(times) for times in zip(starts, ends)], "job", job, shown)
    first, last = bars[0], max(bars, key=lambda bar: bar[1])
    scale = (last[3] - first[3]) / (last[1] - first[1])
    for _, start, end, left, right in bars:
        check(abs(left - first[3] - (start - first[1]) * scale) < 0.1, "start to scale", bars)
        check(abs(right - left - max((end - start) * scale - 1, 0)) < 1.1, "length to scale", bars)


def schedule(browser):
    """Search, follow, zoom, pointer, keyboard, accessibility and print of a schedule of 100 x 20."""
    path, result = report("flow-shop", "ta081", "--time-limit", "2")
    size = os.path.getsize(path)
    check(size < 400_000, size, "bytes")
    opened(browser, path)
    check(browser.run("JSON.stringify(JSON.parse(document.getElementById('result').textContent))")
          == browser.run(f"JSON.stringify({json.dumps(result)})"), "the JSON inside differs")
    check_facts(browser, result)
    check_drawn(browser, 2000)
    for job in [17, 0, 99]:
        follow(browser, f"J{job}")
        check_job(browser, result, job)
        check(f"Following job J{job}," in browser.run("document.getElementById('status').textContent"), "no word")
    check(browser.run("document.querySelector('.bars').classList.contains('dim')"), "the others are not dimmed")
    buttons = "[...document.querySelectorAll('button')].find((button) => button.textContent === '{}').click()"
    browser.run(buttons.format("Zoom to it"))
    check_job(browser, result, 99)
    browser.run(buttons.format("Next"))
    order = result["solution"]["permutation"]
    check_job(browser, result, order[(order.index(99) + 1) % 100])
    browser.run(buttons.format("Whole"))
    check_drawn(browser, 2000)
    browser.run(buttons.format("Stop following"))
    check(not followed(browser), "still followed")
    check_pointer(browser, result)
    check_keyboard(browser, result)
    names = browser.names()
    check(("heading", "ta081") in names and ("heading", "Schedule") in names, names[:40])
    check(("searchbox", "Find job") in names, [name for name in names if "search" in name[0]])
    for button in ["Zoom in", "Zoom out", "Show the whole chart", "Save as a file"]:
        check(("button", button) in names, button)
    check(any(role == "image" and name.startswith("Curves of objective and bound") for role, name in names), names)
    nameless = [role for role, name in names if role in ("button", "searchbox", "checkbox", "link", "image") and not name]
    check(not nameless, "without names:", nameless)
    check_whole_table(browser, result)
    printed = browser.print()
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    check(printed.startswith(b"%PDF") and 1 <= pages <= 6, pages, "printed pages")
    check(not browser.errors, browser.errors)
    print(f"  100 x 20: {size // 1000} KB, {pages} printed pages")


def check_pointer(browser, result):
    """A bar under the pointer tells its times; a click follows its job."""
    job = result["solution"]["permutation"][50]
    follow(browser, f"J{job}")
    box = json.loads(browser.run("""(() => {
        const bars = [...document.querySelectorAll(".on-top rect[data-start]")];
        const widest = bars.reduce((best, bar) => bar.width.baseVal.value > best.width.baseVal.value ? bar : best);
        widest.scrollIntoView({ block: "center" });
        const box = widest.getBoundingClientRect();
        return JSON.stringify([box.x + box.width / 2, box.y + box.height / 2, Number(widest.dataset.row)]);
    })()"""))
    browser.run("document.getElementById('search').focus(); document.getElementById('search').blur()")
    browser.point(*box[:2])
    start, end = [result["solution"][which][job][box[2]] for which in ("starts", "ends")]
    tip = plain(browser.run("document.querySelector('.tip:not([hidden])').textContent"))
    check(tip == f"J{job} on machine {box[2]}: {start} to {end}, takes {end - start}", tip)
    browser.click(*box[:2])
    check(not followed(browser), "a click on the followed job ends that")
    browser.click(*box[:2])
    check_job(browser, result, job)
    browser.click(*box[:2])


def focused(browser):
    return plain(browser.run("document.activeElement.getAttribute('aria-label') || ''"))


def check_keyboard(browser, result):
    """The focus moves from bar to bar, and Enter follows."""
    solution = result["solution"]
    order = solution["permutation"]

    def told(job, machine):
        start, end = solution["starts"][job][machine], solution["ends"][job][machine]
        return f"J{job} on machine {machine}: {start} to {end}, takes {end - start}"
    # From the search over the buttons into the chart.
    browser.run("document.querySelector('.skip').focus()")
    for _ in range(20):
        browser.press("Tab", TAB)
        if browser.run("document.activeElement.classList.contains('cursor')"):
            break
    check(" on machine " in focused(browser), "the focus is on", focused(browser))
    browser.press("Home", 36)
    for step in range(30):
        row = int(re.search("on machine ([0-9]+)", focused(browser))[1])
        check(focused(browser) == told(order[step], row), focused(browser), step)
        browser.press("ArrowRight", RIGHT)
    job = order[30]
    while " on machine 0:" not in focused(browser):
        browser.press("ArrowUp", UP)
    for machine in range(20):
        check(focused(browser) == told(job, machine), focused(browser), machine)
        browser.press("ArrowDown", DOWN)
    browser.press("+", 187, "+")
    check(focused(browser) == told(job, 19), "the focus is lost by zooming")
    browser.press("Enter", ENTER, "\r")
    browser.press("0", 48, "0")
    check_job(browser, result, job)
    focus = [(node["role"]["value"], node["name"]["value"]) for node in
             browser.call("Accessibility.getFullAXTree")["nodes"]
             if any(property["name"] == "focused" and property["value"]["value"] for property in node.get("properties", []))]
    check(any(plain(name) == told(job, 19) for _, name in focus), "focus of the accessibility tree:", focus)
    browser.press("Escape", ESCAPE)
    check(not followed(browser), "Escape ends following")


def check_whole_table(browser, result):
    browser.run("document.querySelector('details').open = true")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    rows = table(browser, "details")
    solution = result["solution"]
    check(len(rows) >= 100, len(rows), "rows")
    for job, row in zip(solution["permutation"], rows):
        times = [f"{start}–{end}" for start, end in zip(solution["starts"][job], solution["ends"][job])]
        check([plain(cell) for cell in row] == [f"J{job}", *times], row)
    browser.run("document.querySelector('details').open = false")


def names_of_users(browser):
    """Names that look like markup are text everywhere."""
    # In CSV, a quotation mark within quotes is doubled.
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    text = f"job,{quoted},saw\n{quoted},3,2\nplain,4,1\n"
    path, result = report("flow-shop", "-", "--csv", text=text)
    opened(browser, path)
    check(result["solution"]["job_names"][0] == HOSTILE, result["solution"]["job_names"])
    follow(browser, HOSTILE)
    check([bar[:3] for bar in followed(browser)] ==
          [[row, result["solution"]["starts"][0][row], result["solution"]["ends"][0][row]] for row in range(2)], "follow")
    check(browser.run("document.querySelector('.followed h3').textContent") == HOSTILE, "the name in the heading")
    check(table(browser, ".followed")[0][0] == HOSTILE, "the name in the table")
    check(browser.run("document.querySelectorAll('img, b').length") == 0, "markup of a name is on the page")
    check(browser.run("document.title").startswith("stdin"), "a name ran as a script")
    check(not browser.errors, browser.errors)


def setups(browser):
    """Set-ups are bars in front of the work, release and due dates lines."""
    path, result = report("flow-shop", f"{DATA}/paint-line.json")
    opened(browser, path)
    check_facts(browser, result)
    times = [time for job in result["solution"]["setups"] for time in job]
    check_drawn(browser, len(times) + sum(time > 0 for time in times))
    solution = result["solution"]
    dates = [time for time in solution["release_times"] if time > 0] + [date for date in solution["due_dates"] if date is not None]
    shown = [int(date) for date in json.loads(browser.run("""JSON.stringify([...document.querySelectorAll(".marks .date title")].map(
        (date) => date.textContent.match(/at (.*)$/)[1].replaceAll("\u2009", "")))"""))]
    check(sorted(shown) == sorted(date for date in dates if 0 <= date <= max(map(max, solution["ends"]))), shown, dates)
    check("minutes since" in browser.run("document.querySelector('.axis').textContent"), "no unit on the axis")


def other_problems(browser):
    """Every problem has a page without errors, with its numbers."""
    path, result = report("cutting-stock", f"{DATA}/window-frames.csp")
    opened(browser, path)
    patterns = result["solution"]["patterns"]
    items = sum(item["count"] for pattern in patterns for item in pattern["items"])
    check_drawn(browser, items + sum(pattern["waste"] > 0 for pattern in patterns))
    check_facts(browser, result)
    follow(browser, "item 2")
    of_type = [(row, item["count"]) for row, pattern in enumerate(patterns) for item in pattern["items"] if item["type"] == 2]
    found = [row for row, *_ in followed(browser)]
    check([(row, found.count(row)) for row, _ in of_type] == of_type, "the pieces of an item", found)
    path, result = report("parallel-machines", f"{DATA}/assembly-40-jobs.pcmax")
    opened(browser, path)
    check_drawn(browser, 40)
    follow(browser, "J12")
    solution = result["solution"]
    check([bar[:3] for bar in followed(browser)] ==
          [[solution["assignment"][12], solution["starts"][12], solution["ends"][12]]], "J12")
    for kind, file, nodes in [("matrix-chain", "six-matrices.chain", 5), ("search-tree", "five-keys.tree", 5),
                              ("triangulation", "hexagon.weights", 4)]:
        path, result = report("interval-dp", kind, f"{DATA}/{file}")
        opened(browser, path)
        check_facts(browser, result)
        check(browser.run("document.querySelectorAll('.node').length") == nodes, kind)
    path, result = report("interval-dp", "matrix-chain", "random:2000:1")
    opened(browser, path)
    check_drawn(browser, 1999)
    path, result = report("interval-dp", "zuker", f"{DATA}/trna.fasta")
    opened(browser, path)
    check(browser.run("document.querySelectorAll('.arc').length") == len(result["solution"]["pairs"]), "arcs")
    path, result = report("knapsack", f"{DATA}/orders-10-items.knapsack")
    opened(browser, path)
    check_facts(browser, result)
    rows = [[int(plain(cell)) for cell in row] for row in table(browser, "section[aria-labelledby=solution]")]
    check(rows == [[item[name] for name in ("item", "profit", "weight", "count")] for item in result["solution"]["items"]], rows)
    for arguments in [["multidimensional-knapsack", f"{DATA}/trucks-10-pallets.mknap"], ["recurrence", f"{DATA}/coins.recurrence"],
                      ["recurrence", f"{DATA}/coins.recurrence", "--choices"], ["lattice-dp", f"{DATA}/three-moves.lattice"],
                      ["lattice-dp", f"{DATA}/pallets.lattice"], ["parallel-machines", f"{DATA}/no-jobs.pcmax"],
                      ["interval-dp", "matrix-chain", f"{DATA}/three-chains.chains", "--batch"],
                      ["knapsack", f"{DATA}/orders-10-items.knapsack", "--profits", f"{DATA}/five-rows.profits"]]:
        path, result = report(*arguments)
        opened(browser, path)
        check_facts(browser, result)


def layouts(browser):
    """Nothing is wider than a narrow or a wide screen, light or dark."""
    path, _ = report("flow-shop", "ta041", "--method", "neh")
    for width, scheme in [(360, "light"), (360, "dark"), (1600, "light"), (1280, "dark")]:
        browser.size(width, 900, scheme)
        opened(browser, path)
        follow(browser, "J7")
        check(browser.run("document.documentElement.scrollWidth <= innerWidth"), "wider than", width)
    browser.size(1280, 900)


def large(browser):
    """The time to open 500 x 20, which is printed and not judged."""
    path, result = report("flow-shop", "ta111", "--method", "neh")
    times = []
    for _ in range(5):
        browser.open(path)
        times.append(browser.run("""new Promise((done) => requestAnimationFrame(() => setTimeout(
            () => done(performance.now()), 0)))"""))
    check(not browser.errors, browser.errors)
    check_drawn(browser, 10_000)
    follow(browser, "J321")
    check_job(browser, result, 321)
    print(f"  500 x 20: {os.path.getsize(path) // 1000} KB, opened and drawn in {sorted(times)[2]:.0f} ms, "
          "the median of five")


def main():
    browser = Browser(CHROMIUM)
    try:
        browser.size(1280, 900)
        for test in [schedule, names_of_users, setups, other_problems, layouts, large]:
            test(browser)
            check(not browser.errors, test.__name__, browser.errors)
            print(test.__name__.replace("_", " ") + ": passed")
    finally:
        browser.close()


main()
