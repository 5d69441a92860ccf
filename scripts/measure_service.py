#!/usr/bin/env python3
"""Measures how many answers the explorer gives in a second, with wrk on the same machine.

    python3 scripts/measure_service.py target/release/sprig [SECONDS [SPOTS]]

Solves small start positions into a database, starts an explorer on it, and lists positions that it
knows: the lands whose nimbers are verified. Then wrk asks for them over four connections:

- from the cache: for the same hundred positions again and again;
- without: for every position once, none of which was asked for before: lands, and sums of two;
- the moves of some positions, and their pictures, from the cache and without.

Prints one line of JSON. The processor's time of the explorer for an answer depends little on what else
the machine does; answers a second depend on it much. wrk is a package of Debian.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

CONNECTIONS = 4
ONCE = """
local paths, at = {}, 0
for line in io.lines("PATHS") do paths[#paths + 1] = line end
function request()
  at = at + 1
  if at > #paths then if REPEAT then at = 1 else wrk.thread:stop() at = #paths end end
  return wrk.format("GET", paths[at])
end
"""


def start(*command: str | Path) -> tuple[subprocess.Popen[str], str]:
    """A server, and the address that it says."""
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for said in process.stderr:
        if found := re.search(r"http://\S+[0-9]", said):
            return process, found[0]
    raise SystemExit(f"{command} names no address")


def lands(address: str, most: int) -> list[str]:
    """Lands whose nimbers are known, as parts of addresses."""
    found: list[str] = []
    following: str | None = "/v1/lands?limit=1000"
    while following and len(found) < most:
        with urllib.request.urlopen(address + following) as response:
            page = json.load(response)
        found += [urllib.parse.quote(land["land"].replace("|", "~"), safe="") for land in page["lands"]]
        following = page["next"]
    return found[:most]


def processor(process: subprocess.Popen[str]) -> float:
    """Seconds of the processor that a process has used."""
    user, system = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


Server = tuple[subprocess.Popen[str], str]


def load(server: Server, paths: list[str], folder: Path, seconds: int, again: bool) -> dict[str, object]:
    """What wrk says of one thread that asks for these paths, in their order."""
    (explorer, address), before = server, processor(server[0])
    listed, script = folder / "paths", folder / "paths.lua"
    listed.write_text("\n".join(paths))
    script.write_text(ONCE.replace("PATHS", str(listed)).replace("REPEAT", str(again).lower()))
    wrk = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--latency"]
    said = subprocess.run([*wrk, "--script", script, address], check=True, capture_output=True, text=True).stdout

    def number(pattern: str) -> float:
        found = re.search(pattern, said)
        return float(found[1]) if found else 0.0

    def milliseconds(percent: str) -> float:
        found = re.search(percent + r"%\s+([0-9.]+)(us|ms|s)", said)
        assert found, said
        return round(float(found[1]) * {"us": 0.001, "ms": 1, "s": 1_000}[found[2]], 3)

    answers = int(number(r"(\d+) requests in"))
    used = processor(explorer) - before
    return {
        "processor_microseconds": round(1_000_000 * used / max(1, answers)),
        "a_second": round(number(r"Requests/sec:\s+([0-9.]+)")),
        "answers": answers,
        "asked_twice": max(0, answers - len(paths)) if not again else None,
        "milliseconds": {"p50": milliseconds("50"), "p99": milliseconds("99")},
        "failed": int(number(r"Non-2xx or 3xx responses: (\d+)") + number(r"timeout (\d+)")),
    }


def measure(program: str, seconds: int, spots: int, folder: Path) -> dict[str, object]:
    database = folder / "db"
    starts = [f"0*{number}" for number in range(2, spots + 1)]
    solve = [program, "solve", *starts, "--nimber", "--threads", "1", "--db", database, "--progress", "none"]
    subprocess.run(solve, check=True, stdout=subprocess.DEVNULL)
    server = explorer, address = start(program, "explore", "--db", database, "--listen", "127.0.0.1:0")
    try:
        known = lands(address, 200_000)
        few = known[:: max(1, len(known) // 100)][:100]
        # What follows from each other shall not be asked for together; sums of two, so that there
        # are enough.
        dice = random.Random(17)
        dice.shuffle(known)
        sums = {"%2B".join(sorted(dice.sample(known, 2))) for _ in range(20_000 * seconds)}
        asked = [*known, *sorted(sums, key=lambda _: dice.random())]
        position = "/v1/positions/{}".format
        moves, picture = "/v1/positions/{}/moves".format, "/v1/positions/{}/picture.svg".format
        found: dict[str, object] = {
            "what": "answers of the explorer",
            "positions": len(asked),
            "without_cache": load(server, list(map(position, asked)), folder, seconds, again=False),
            "from_cache": load(server, list(map(position, few)), folder, seconds, again=True),
            "pictures_without_cache": load(server, list(map(picture, known)), folder, seconds, again=False),
            "pictures_from_cache": load(server, list(map(picture, few)), folder, seconds, again=True),
        }
        large = [f"0*{number}" for number in range(2, spots + 1)]
        found["moves_of_starts"] = load(server, list(map(moves, large)), folder, seconds, again=True)
        status = Path(f"/proc/{explorer.pid}/status").read_text()
        resident = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert resident
        return found | {
            "megabytes": round(int(resident[1]) / 1_000),
            "load": round(os.getloadavg()[0], 1),
            "cores": os.cpu_count(),
        }
    finally:
        explorer.terminate()
        explorer.wait(20)


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    spots = int(sys.argv[3]) if len(sys.argv) > 3 else 17
    home = tempfile.TemporaryDirectory()
    os.environ |= {"HOME": home.name, "XDG_STATE_HOME": home.name, "XDG_CONFIG_HOME": home.name}
    with home, tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(sys.argv[1], seconds, spots, Path(folder))))


if __name__ == "__main__":
    main()
