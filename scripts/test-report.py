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


def report(*arguments, text=None, name="report"):
    """The path of a report, and the JSON object that the command printed with it."""
    path = os.path.join(FOLDER, name + ".html")
    call = [MAKESPAN, *arguments, "--json", "--report", path]
    output = subprocess.run(call, input=text, capture_output=True, text=True)
    check(output.returncode == 0, call, output.stderr)
    return path, json.loads(output.stdout)


def plain(text):
    """Without the thin spaces between groups of digits."""
    return text.replace("\u2009", "")


def opened(browser, path):
    browser.open(path)
    settle(browser)
    check(not browser.errors, "errors of the page:", browser.errors)
    check_scrolling(browser)


def settle(browser):
    browser.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")


# Boxes that scroll, but that the keyboard does not reach or screen readers have no name for.
UNREACHED = """JSON.stringify([...document.querySelectorAll("main *")].filter((box) => {
    const { overflowX, overflowY } = getComputedStyle(box);
    const scrolls = (side, size, room) => (side === "auto" || side === "scroll") && size > room;
    if (!scrolls(overflowX, box.scrollWidth, box.clientWidth) && !scrolls(overflowY, box.scrollHeight, box.clientHeight)) return false;
    if (box.querySelector("[tabindex='0'], button, input, summary")) return false;
    return box.getAttribute("tabindex") !== "0" || !box.hasAttribute("role") || !box.getAttribute("aria-label");
}).map((box) => box.tagName + " " + box.className))"""


def check_scrolling(browser):
    browser.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    unreached = json.loads(browser.run(UNREACHED))
    browser.run("document.querySelectorAll('details').forEach((details) => { details.open = false; })")
    check(not unreached, "boxes that scroll without the keyboard:", unreached)


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


def widest_followed(browser):
    """The middle and the row of the widest bar of what is followed."""
    return json.loads(browser.run("""(() => {
        const bars = [...document.querySelectorAll(".on-top rect[data-start]")];
        const widest = bars.reduce((best, bar) => bar.width.baseVal.value > best.width.baseVal.value ? bar : best);
        widest.scrollIntoView({ block: "center" });
        const box = widest.getBoundingClientRect();
        return JSON.stringify([box.x + box.width / 2, box.y + box.height / 2, Number(widest.dataset.row)]);
    })()"""))


def check_pointer(browser, result):
    """A bar under the pointer tells its times; a click follows its job."""
    job = result["solution"]["permutation"][50]
    follow(browser, f"J{job}")
    box = widest_followed(browser)
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
    """Nothing is wider than a narrow or a wide screen, light or dark, and all texts have contrast."""
    pages = [report("flow-shop", "ta041", "--method", "neh", name="shop"),
             report("flow-shop", f"{DATA}/paint-line.json", name="dates"),
             report("interval-dp", "zuker", f"{DATA}/trna.fasta", name="folding")]
    for width, scheme in [(360, "light"), (360, "dark"), (1600, "light"), (1280, "dark")]:
        browser.size(width, 900, scheme)
        for path, result in pages:
            opened(browser, path)
            if result["problem"] == "flow-shop":
                follow(browser, "J7" if "job_names" not in result["solution"] else "doors")
            check(browser.run("document.documentElement.scrollWidth <= innerWidth"), "wider than", width)
            faint = json.loads(browser.run(FAINT))
            check(not faint, "texts with little contrast,", scheme, faint)
    browser.size(1280, 900)


# Texts whose contrast with their background is below the 4.5 of WCAG 2.2, AA. The background
# of a name is the colour of its bar, except for set-ups; that of other texts in drawings is the page.
FAINT = """(() => {
    const colour = (text) => text.match(/[0-9.]+/g).map(Number);
    const light = ([red, green, blue]) => [red, green, blue].map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const contrast = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const found = colour(getComputedStyle(at).backgroundColor);
            if (found[3] !== 0) return found;
        }
        return [255, 255, 255];
    };
    const bars = [...document.querySelectorAll(".bars path")].filter((path) => path.style.fill && !path.style.fill.includes("--quiet"))
        .map((path) => colour(getComputedStyle(path).fill));
    const faint = [];
    const judge = (element, ink, ground) => {
        if (contrast(ink, ground) < 4.5) faint.push([element.textContent.slice(0, 40), String(ink), String(ground)]);
    };
    for (const element of document.querySelectorAll("body *")) {
        if (!element.checkVisibility() || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
        const style = getComputedStyle(element);
        if (element.closest(".bars, .on-top") && element.tagName === "text") {
            bars.forEach((bar) => judge(element, colour(style.fill), bar));
        } else if (element.tagName === "text") {
            judge(element, colour(style.fill), behind(element));
        } else if (!element.closest("svg, script, style")) {
            judge(element, colour(style.color), behind(element));
        }
    }
    return JSON.stringify(faint);
})()"""


def later_dates(browser):
    """Due dates after the end have arrows at the right edge and a note; those before the start have words."""
    text = "job,cut,weld,due\nearly,3,2,500\nnone,4,1,\nlate,2,2,-3\nlast,1,1,9\n"
    path, result = report("flow-shop", "-", "--csv", "--objective", "total-tardiness", text=text)
    end = max(map(max, result["solution"]["ends"]))
    check(9 < end < 500, end)
    opened(browser, path)
    arrows = json.loads(browser.run("""JSON.stringify([...document.querySelectorAll(".marks .later")].map((arrow) => [
        arrow.textContent, arrow.getBoundingClientRect().right <= document.querySelector(".rows").getBoundingClientRect().right]))"""))
    check(arrows == [["early is due at 500", True]], arrows)
    note = browser.run("document.querySelector('.note').textContent")
    check(note.startswith("1 job is due after the end of the schedule"), note)
    follow(browser, "late")
    check("due at -3" in browser.run("document.querySelector('.followed').textContent"), "a date before the start")


def curves(browser):
    """Logarithmic time has at least two labels, and as many as have room, whatever the times are."""
    path, result = report("flow-shop", "ta041", "--method", "neh")
    page = open(path, encoding="utf-8").read()
    begin, end = page.index('id="result">') + len('id="result">'), page.index("</script>", page.index('id="result">'))
    inside = json.loads(page[begin:end])
    for first, last in [(0.0021, 0.0094), (0.51, 0.98), (0.002, 0.3), (1e-6, 5000), (0.03, 0.031)]:
        points = [first + (last - first) * step / 4 for step in range(5)]
        inside["trace"] = [{"seconds": point, "objective": 3000 - step, "bound": 2000 + step} for step, point in enumerate(points)]
        with open(path, "w", encoding="utf-8") as file:
            file.write(page[:begin] + json.dumps(inside) + page[end:])
        for width in [1280, 360]:
            browser.size(width, 900)
            opened(browser, path)
            browser.run("(() => { const box = document.getElementById('logarithmic'); if (!box.checked) box.click(); })()")
            boxes = json.loads(browser.run("""JSON.stringify([...document.querySelectorAll(
                "section[aria-labelledby=convergence] svg text[text-anchor=middle]")].map((text) => text.getBoundingClientRect())
                .map(({ left, right, top }) => [left, right, top]))"""))
            labels = sorted(box[:2] for box in boxes if box[2] < max(top for _, _, top in boxes) - 5)
            check(len(labels) >= 2, (first, last), width, "labels:", labels)
            check(all(one[1] < other[0] for one, other in zip(labels, labels[1:])), (first, last), width, "labels meet:", labels)
    browser.size(1280, 900)


def touch(browser):
    """Two fingers zoom, one finger moves and taps."""
    path, result = report("flow-shop", "ta041", "--method", "neh")
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    opened(browser, path)
    browser.run("document.querySelector('.rows').scrollIntoView({ block: 'center' })")
    left, top, width, height = json.loads(browser.run("""(() => {
        const { x, y, width, height } = document.querySelector(".rows").getBoundingClientRect();
        return JSON.stringify([x, y, width, height]);
    })()"""))

    def view():
        texts = plain(browser.run("document.querySelector('.range').textContent")).split(" to ")
        return [int(text) for text in texts]
    end = view()[1]
    x, y = left + width / 2, top + height / 2
    browser.touch("touchStart", (x - 50, y))
    browser.touch("touchStart", (x - 50, y), (x + 50, y))
    for spread in range(60, 201, 20):
        browser.touch("touchMove", (x - spread, y), (x + spread, y))
    browser.touch("touchEnd")
    first, last = view()
    check(abs((last - first) * 4 - end) < end / 50, "two fingers zoom by their distance", first, last, end)
    check(first > end / 4 and last < end * 3 / 4, "the middle stays", first, last, end)
    browser.touch("touchStart", (x, y))
    for moved in range(10, 101, 10):
        browser.touch("touchMove", (x - moved, y))
    browser.touch("touchEnd")
    check(view()[0] > first and abs(view()[1] - view()[0] - last + first) <= 1, "one finger moves", view())
    check(not followed(browser), "a drag is no tap")
    browser.run("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Whole').click()")
    follow(browser, "J5")
    bar = widest_followed(browser)
    browser.run("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Stop following').click()")
    check(not followed(browser), "still followed")
    browser.touch("touchStart", tuple(bar[:2]))
    browser.touch("touchEnd")
    check_job(browser, result, 5)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=False)


def keyboard_only(browser):
    """Without a pointer: every control can be reached, shows the focus, has a name, and keeps the focus."""
    path, result = report("flow-shop", "ta041", "--time-limit", "1")
    opened(browser, path)
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=FOLDER)
    browser.run("""(() => {
        window.addresses = 0;
        const { createObjectURL, revokeObjectURL } = URL;
        URL.createObjectURL = (blob) => { addresses += 1; return createObjectURL.call(URL, blob); };
        URL.revokeObjectURL = (address) => { addresses -= 1; revokeObjectURL.call(URL, address); };
    })()""")
    follow(browser, "J3")
    browser.run("document.querySelector('.skip').focus()")
    stops = []
    for _ in range(60):
        stop = json.loads(browser.run("""(() => {
            const at = document.activeElement;
            const style = getComputedStyle(at);
            const shown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
                || at.classList.contains("cursor") && style.stroke !== "none";
            const box = at.getBoundingClientRect();
            return JSON.stringify({ name: at.getAttribute("aria-label") || at.textContent || (at.labels && at.labels[0].textContent),
                tag: at.tagName, shown, seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 });
        })()"""))
        if stop["tag"] == "BODY":
            break
        check(stop["shown"] and stop["seen"] and stop["name"], "the focus is not shown:", stop)
        stops.append(stop["name"][:40])
        if stop["name"] == "Next":
            browser.press("Enter", ENTER, "\r")
            check(browser.run("document.activeElement.textContent") == "Next", "the focus is lost by Next")
        if stop["name"] == "Save as a file":
            browser.press("Enter", ENTER, "\r")
        if stop["tag"] == "SUMMARY":
            browser.press("Enter", ENTER, "\r")
        browser.press("Tab", TAB)
    for name in ["Skip to the content", "Find job", "Zoom out", "Zoom in", "Show the whole chart", "Next", "Zoom to it",
                 "Table of the schedule", "Logarithmic time", "Statistics", "Options", "Save as a file", "The result as JSON"]:
        check(name in stops, name, "is not among the stops of the keyboard:", stops)
    check(any(" on machine " in stop for stop in stops), "no bar", stops)
    browser.run("new Promise((done) => setTimeout(done, 1500))")
    check(browser.run("addresses") == 0, "the address of the saved file is kept")
    saved = json.load(open(os.path.join(FOLDER, "result.json"), encoding="utf-8"))
    check(saved == result, "the saved file differs")
    browser.run("[...document.querySelectorAll('button')].find((button) => button.textContent === 'Stop following').focus()")
    browser.press("Enter", ENTER, "\r")
    check(" on machine " in focused(browser), "the focus is lost by Stop following")


def paper(browser):
    """On paper the page is light, without controls, and with the note and the numbers."""
    path, _ = report("flow-shop", f"{DATA}/paint-line.json")
    browser.size(1280, 900, "dark")
    opened(browser, path)
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    check(browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "dark paper")
    shown = json.loads(browser.run("""JSON.stringify([...document.querySelectorAll("button, input, .hint, .skip, summary, .tip")]
        .filter((control) => control.checkVisibility()).map((control) => control.outerHTML))"""))
    check(not shown, "controls on paper:", shown)
    browser.call("Emulation.setEmulatedMedia", media="")
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
        for test in [schedule, names_of_users, setups, other_problems, layouts, later_dates, curves, touch, keyboard_only, paper,
                     large]:
            test(browser)
            check(not browser.errors, test.__name__, browser.errors)
            print(test.__name__.replace("_", " ") + ": passed")
    finally:
        browser.close()


main()
