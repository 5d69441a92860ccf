#!/usr/bin/env python3
"""Uses the explorer for a long time, as many visitors do, and looks whether it grows.

    python3 scripts/soak.py target/release/sprig [MINUTES [LISTENERS]]

Starts an explorer on a small database that a second process goes on to write to. Visitors open
pages, ask for positions, moves, lines, pictures, proofs, strokes, batches and nonsense, come with
new connections, and leave in the middle; listeners follow /v1/events. Every half minute the memory,
the threads and the open files of the explorer are noted. Prints one line of JSON: growth is what the
last quarter has more than the second, on average.
"""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VISITORS = 6
PATHS = [
    "/",
    "/work",
    "/about",
    "/p/{}",
    "/p/{}/line",
    "/p/{}/certificate",
    "/play?start={}&moves=0",
    "/v1/positions/{}",
    "/v1/positions/{}?play=misere",
    "/v1/positions/{}/moves?limit=20",
    "/v1/positions/{}/line",
    "/v1/positions/{}/picture.svg",
    "/v1/positions/{}/picture.svg?theme=dark&labels=off",
    "/v1/positions/{}/certificate",
    "/v1/positions/{}/stroke?points=40,40;90,60;120,80",
    "/v1/lands?limit=50",
    "/v1/statistics",
    "/v1/jobs",
    "/nothing/{}",
    "/v1/positions/{}X",
]
POSITIONS = [*(f"0*{n}" for n in range(2, 12)), "0*2.AB~AB", "0*3.AB~0.2.AC~BC.1", "1ab2bc1ca", "0.ABC~ABD~CD", "0*40"]


def start(*command: str | Path) -> tuple[subprocess.Popen[str], str]:
    """A server, and the address that it says."""
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for said in process.stderr:
        if found := re.search(r"http://\S+[0-9]", said):
            return process, found[0]
    raise SystemExit(f"{command} names no address")


def held(process: subprocess.Popen[str]) -> dict[str, float]:
    """What a process holds: megabytes, threads, open files."""
    status = Path(f"/proc/{process.pid}/status").read_text()

    def number(name: str) -> int:
        found = re.search(rf"{name}:\s+(\d+)", status)
        assert found
        return int(found[1])

    files = len(list(Path(f"/proc/{process.pid}/fd").iterdir()))
    return {"megabytes": number("VmRSS") / 1_000, "threads": number("Threads"), "files": files}


class Visitors:
    """Those who ask, and what they were told."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.statuses: dict[str, int] = {}
        self.slowest = 0.0

    async def visit(self, number: int) -> None:
        dice = random.Random(number)
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            for _ in range(dice.randint(1, 20)):
                path = dice.choice(PATHS).format(dice.choice(POSITIONS))
                writer.write(f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
                await writer.drain()
                if dice.random() < 0.02:
                    break
                begun = time.monotonic()
                status = await self.read(reader)
                self.slowest = max(self.slowest, time.monotonic() - begun)
                self.statuses[status] = self.statuses.get(status, 0) + 1
            writer.close()
            await asyncio.sleep(0.01)

    async def read(self, reader: asyncio.StreamReader) -> str:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head)
        await reader.readexactly(int(length[1]) if length else 0)
        return head.split(" ")[1]

    async def listen(self) -> None:
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n")
            try:
                async with asyncio.timeout(60):
                    while await reader.readline():
                        pass
            except TimeoutError:
                pass
            writer.close()


async def soak(program: str, minutes: float, listeners: int, folder: Path) -> dict[str, object]:
    database = folder / "db"
    starts = [f"0*{number}" for number in range(2, 12)]
    solve = [program, "solve", *starts, "--nimber", "--threads", "1", "--db", database, "--progress", "none"]
    subprocess.run(solve, check=True, stdout=subprocess.DEVNULL)
    explorer, address = start(program, "explore", "--db", database, "--listen", "127.0.0.1:0")
    visitors = Visitors(int(address.rsplit(":", 1)[1]))
    tasks = [asyncio.create_task(visitors.visit(number)) for number in range(VISITORS)]
    tasks += [asyncio.create_task(visitors.listen()) for _ in range(listeners)]
    seen: list[dict[str, float]] = []
    try:
        end = time.monotonic() + 60 * minutes
        spots = 12
        while time.monotonic() < end:
            await asyncio.sleep(min(30.0, 60 * minutes / 8))
            seen.append(held(explorer))
            # Something new for the explorer to find, at times.
            if len(seen) % 6 == 0 and spots < 15:
                another = [program, "solve", f"0*{spots}", "--threads", "1", "--db", database, "--progress", "none"]
                spots += 1
                process = await asyncio.create_subprocess_exec(*map(str, another), stdout=subprocess.DEVNULL)
                await process.wait()
            for task in tasks:
                if task.done():
                    task.result()
    finally:
        for task in tasks:
            task.cancel()
        explorer.terminate()
        explorer.wait(20)
    quarter = len(seen) // 4

    def growth(of: str) -> float:
        before, after = seen[quarter : 2 * quarter], seen[-quarter:]
        return round(sum(s[of] for s in after) / len(after) - sum(s[of] for s in before) / len(before), 2)

    return {
        "what": "a soak of the explorer",
        "minutes": minutes,
        "listeners": listeners,
        "answers": sum(visitors.statuses.values()),
        "statuses": dict(sorted(visitors.statuses.items())),
        "slowest_seconds": round(visitors.slowest, 2),
        "megabytes": [round(s["megabytes"], 1) for s in seen],
        "growth": {of: growth(of) for of in ("megabytes", "threads", "files")},
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
    }


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    listeners = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    home = tempfile.TemporaryDirectory()
    os.environ |= {"HOME": home.name, "XDG_STATE_HOME": home.name, "XDG_CONFIG_HOME": home.name}
    with home, tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(soak(sys.argv[1], minutes, listeners, Path(folder)))))


if __name__ == "__main__":
    main()
