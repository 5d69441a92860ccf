#!/usr/bin/env python3
"""Measures in a real browser how soon a move has its curve, and how long a certificate takes.

    PYTHONPATH=scripts target/tools/browser/bin/python gateway/browser/measure.py target/release/sprig [GAMES]

Random games of 2 to 8 spots are drawn to their end: at every position the browser's engine is asked
for the curves of some moves, the one that is played among them, and reads each curve back as a hand
would have drawn it. A curve that is missing or read as another move ends the run. Then the page of
proofs is given `certificates/misere/12.cert`, whose base is 0*6, and the button is pressed; the same
again, and stopped.

Prints one line of JSON, with the table that docs/explorer.md shows. `scripts/test-browser` installs
what it needs.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from test_proofs import CERTIFICATES, ENDED, PROOF, serve, waits
from test_sketch import ASK

from conftest import CHROMIUM, FLAGS

SPOTS = range(2, 9)
MOVES = 4
"""Moves of a position that are drawn."""
CHECK = 600_000
"""Milliseconds that a check may take."""


def routes(page: Page, games: int) -> dict[str, list[float]]:
    """Milliseconds of each curve, of each reading, and of each list of moves with its picture."""
    taken: dict[str, list[float]] = {"draw": [], "route": [], "read": []}
    dice = random.Random(17)

    def ask(what: str, *questions: str) -> list[str]:
        answers = page.evaluate(ASK, list(questions))
        taken[what] += [answer["milliseconds"] for answer in answers]
        return [answer["answer"] for answer in answers]

    for game in range(games):
        position = f"0*{SPOTS[game % len(SPOTS)]}"
        while True:
            listed = ask("draw", f"moves\n{position}")[0].splitlines()[1:]
            if not listed:
                break
            children = [move.split("\t")[0] for move in listed]
            some = dice.sample(children, min(MOVES, len(children)))
            found = ask("route", *(f"route\n{position}\n{child}" for child in some))
            missing = [child for child, said in zip(some, found, strict=True) if not said.startswith("ok\n")]
            if missing:
                raise SystemExit(f"no curve leads from {position} to {missing}")
            curves = [said.split("\n")[1] for said in found]
            read = ask("read", *(f"stroke\n{position}\n{points}" for points in curves))
            if [said.split("\n")[:2] for said in read] != [["ok", child] for child in some]:
                raise SystemExit(f"curves of {position} are read as other moves: {some}, {read}")
            position = some[0]
    return taken


def check(page: Page, address: str) -> list[float]:
    """Milliseconds of a check on the base 0*6 from the click to its verdict; from Stop to an end."""
    serve(page, (CERTIFICATES / "misere/12.cert").read_bytes())
    page.route("**" + PROOF, waits)
    page.goto(address + PROOF)
    begin, verdict = page.get_by_role("button", name="Check it in this browser"), page.locator("#verdict")
    clicked = time.perf_counter()
    begin.click()
    page.get_by_text("lands so far").wait_for()
    verdict.filter(has_text=ENDED).wait_for(timeout=CHECK)
    took = time.perf_counter() - clicked
    if not verdict.inner_text().startswith("Proved"):
        raise SystemExit(verdict.inner_text())
    begin.click()
    page.get_by_text("lands so far").wait_for()
    stopped = time.perf_counter()
    page.get_by_role("button", name="Stop").click()
    verdict.filter(has_text="Stopped").wait_for()
    return [1_000 * took, 1_000 * (time.perf_counter() - stopped)]


def row(what: str, taken: list[float]) -> list[Any]:
    """A line of the table."""
    ranked = sorted(taken)
    ranks = [ranked[min(len(ranked) - 1, len(ranked) * percent // 100)] for percent in (50, 95, 100)]
    return [what, len(ranked), *(round(milliseconds, 1 if milliseconds < 10 else None) for milliseconds in ranks)]


def load() -> float:
    return round(os.getloadavg()[0], 1)


def measure(program: str, games: int, folder: Path) -> dict[str, Any]:
    database, loads = folder / "db", [load()]
    solve = [program, "solve", "0*8", "--nimber", "--threads", "1", "--db", database, "--progress", "none"]
    subprocess.run(solve, check=True, stdout=subprocess.DEVNULL)
    explore = [program, "explore", "--db", str(database), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(explore, stderr=subprocess.PIPE, text=True) as explorer, sync_playwright() as playwright:
        assert explorer.stderr is not None
        address = next(word for word in explorer.stderr.readline().split() if word.startswith("http://"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto(f"{address}/play?start=0*3")
        taken = routes(page, games)
        loads.append(load())
        whole, stop = check(page, address)
        loads.append(load())
        version = browser.version
        browser.close()
        explorer.terminate()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores of {processor()}, Chromium {version}",
        "load": loads,
        "commit": subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True).strip(),
        "command": f"gateway/browser/measure.py target/release/sprig {games}",
        "notes": f"Milliseconds; {games} games of {SPOTS[0]} to {SPOTS[-1]} spots; no move without a curve",
        "columns": ["in the browser", "count", "median", "95 % within", "worst"],
        "rows": [
            row("a position is drawn, and its moves are found", taken["draw"]),
            row("a move gets its curve", taken["route"]),
            row("a curve is read", taken["read"]),
            row("`misere/12.cert` on the base `0*6` is checked, from the click", [whole]),
            row("its check is stopped", [stop]),
        ],
    }


def processor() -> str:
    names = (line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    return next(names, "?: an unknown processor").partition(": ")[2]


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    home = tempfile.TemporaryDirectory()
    os.environ |= {"HOME": home.name, "XDG_STATE_HOME": home.name, "XDG_CONFIG_HOME": home.name}
    with home, tempfile.TemporaryDirectory() as folder:
        games = int(sys.argv[2]) if len(sys.argv) > 2 else 200
        print(json.dumps(measure(sys.argv[1], games, Path(folder)), ensure_ascii=False))


if __name__ == "__main__":
    main()
