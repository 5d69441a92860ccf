#!/usr/bin/env python3
"""Measures event streams of the explorer: how soon everyone hears of a change, and the memory it takes.

    python3 scripts/measure_events.py target/release/sprig [STREAMS [CHANGES]]

Starts a coordinator without workers and an explorer that asks it, and lets many listen to
/v1/events. Then jobs are submitted, one after the other. The delay of an event is the time from the
start of `sprig submit` until a listener has the job; so it is an upper bound, which holds the start
of a process. Prints one line of JSON.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OF_ONE = 100
"""Listeners from one address, of which the explorer takes 128 at once."""


def start(*command: str | Path) -> tuple[subprocess.Popen[str], str]:
    """A server, and the address that it says."""
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for said in process.stderr:
        if found := re.search(r"http://\S+[0-9]", said):
            return process, found[0]
    raise SystemExit(f"{command} names no address")


def memory(process: subprocess.Popen[str], what: str) -> float:
    """Megabytes of a process, now (`VmRSS`) or at most (`VmHWM`)."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(what + r":\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1_000


class Listeners:
    """Those who listen, and when they heard of each job."""

    def __init__(self) -> None:
        self.heard: dict[int, list[float]] = {}
        self.ended = 0

    async def listen(self, port: int, number: int) -> None:
        source = f"127.0.0.{2 + number // OF_ONE}"
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
        writer.write(b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n")
        while line := await reader.readline():
            if found := re.search(rb'^data: .*"id":(\d+)', line):
                self.heard.setdefault(int(found[1]), []).append(time.monotonic())
        self.ended += 1


async def measure(program: str, streams: int, changes: int, folder: Path) -> dict[str, object]:
    coordinator, url = start(program, "coordinator", "--db", folder / "db", "--listen", "127.0.0.1:0")
    explorer, page = start(program, "explore", "--coordinator", url, "--listen", "127.0.0.1:0")
    try:
        port = int(page.rsplit(":", 1)[1])
        listeners = Listeners()
        await asyncio.sleep(2)
        before = memory(explorer, "VmRSS")
        tasks = [asyncio.create_task(listeners.listen(port, number)) for number in range(streams)]
        await asyncio.sleep(5)
        delays: list[float] = []
        for number in range(1, changes + 1):
            begun = time.monotonic()
            submit = [program, "submit", f"0*{30 + number}", "--coordinator", url]
            process = await asyncio.create_subprocess_exec(*submit, stdout=asyncio.subprocess.DEVNULL)
            assert await process.wait() == 0
            while len(listeners.heard.get(number, [])) < streams:
                assert time.monotonic() < begun + 20, f"{len(listeners.heard.get(number, []))} heard of job {number}"
                await asyncio.sleep(0.01)
            delays += [heard - begun for heard in listeners.heard[number][:streams]]
        assert listeners.ended == 0, "all listen to the end"
        now, most = memory(explorer, "VmRSS"), memory(explorer, "VmHWM")
        for task in tasks:
            task.cancel()
    finally:
        for process in (explorer, coordinator):
            process.terminate()
            process.wait(20)
    delays.sort()

    def at(part: float) -> int:
        return round(1_000 * delays[min(int(part * len(delays)), len(delays) - 1)])

    return {
        "what": "event streams",
        "streams": streams,
        "changes": changes,
        "delay_ms": {"p50": at(0.5), "p99": at(0.99), "max": at(1)},
        "megabytes": {"before": round(before, 1), "with_streams": round(now, 1), "most": round(most, 1)},
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
    }


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    streams = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    changes = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    home = tempfile.TemporaryDirectory()
    os.environ |= {"HOME": home.name, "XDG_STATE_HOME": home.name, "XDG_CONFIG_HOME": home.name}
    with home, tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(measure(sys.argv[1], streams, changes, Path(folder)))))


if __name__ == "__main__":
    main()
