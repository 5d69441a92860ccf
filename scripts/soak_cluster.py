#!/usr/bin/env python3
"""Lets a cluster live as on spot machines: SIGTERM with a notice, SIGKILL, one full disk, and 512 MB for each process.

    scripts/soak_cluster.py [SPRIG] [--minutes 30] [--kills 30] [--seed 1] [--workers 3] [--out FILE]

A coordinator and some workers run, each in a control group of its own that allows 512 MB and is told nothing else of memory;
the database lies on a small file system. While jobs with published answers run, processes are ended at random: most workers
by SIGTERM, after which they have 30 seconds; others, and the coordinator, by SIGKILL. In the middle the disk is filled up, and
emptied again. Whatever ends is started again, as its supervisor would.

It fails when an answer is wrong, when the coordinator knows fewer facts after a restart than it had said it has on disk, when a
worker takes longer than its notice or ends in another way than it should, when a control group had to kill, or when the database
has a fault in the end. Wants root, for the control groups (version 1 or 2) and the file system.
"""

import argparse
import csv
import datetime
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 512 << 20
NOTICE = 30
# What a process may take beyond its notice: it is one of many on a busy machine.
GRACE = 5
DISK = "256M"


class Violation(Exception):
    """What must not be."""


class Group:
    """A control group with a bound on memory."""

    def __init__(self, name):
        v1 = Path("/sys/fs/cgroup/memory")
        self.is_old = v1.is_dir()
        self.dir = (v1 if self.is_old else Path("/sys/fs/cgroup")) / f"sprig-soak-{os.getpid()}-{name}"
        self.dir.mkdir()
        self.write("memory.limit_in_bytes" if self.is_old else "memory.max", LIMIT)
        if not self.is_old:
            # Without swap: what does not fit is killed.
            self.write("memory.swap.max", 0, must=False)

    def write(self, name, value, must=True):
        try:
            (self.dir / name).write_text(str(value))
        except OSError:
            if must:
                raise

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def kills(self):
        text = (self.dir / ("memory.oom_control" if self.is_old else "memory.events")).read_text()
        return sum(int(n) for key, n in (line.split() for line in text.splitlines()) if key == "oom_kill")

    def peak(self):
        name = "memory.max_usage_in_bytes" if self.is_old else "memory.peak"
        try:
            return int((self.dir / name).read_text())
        except OSError:
            return 0

    def remove(self):
        for _ in range(50):
            try:
                return self.dir.rmdir()
            except OSError:
                time.sleep(0.1)


class Process:
    """A process that is started again when it has ended."""

    def __init__(self, name, command, log):
        self.name, self.command, self.group = name, command, Group(name)
        self.log = open(log, "ab", buffering=0)
        self.starts = 0
        self.start()

    def start(self):
        self.starts += 1
        self.child = subprocess.Popen(
            self.command, stdout=self.log, stderr=self.log, preexec_fn=self.group.enter
        )
        self.asked = None

    def signal(self, number):
        self.child.send_signal(number)
        if number == signal.SIGTERM:
            self.asked = time.monotonic()
        return self.child

    def end(self):
        if self.child.poll() is None:
            self.child.terminate()
            self.child.wait(NOTICE + GRACE)
        self.log.close()


class Soak:
    """One run."""

    def __init__(self, args, folder, mount):
        self.args, self.folder, self.mount = args, folder, mount
        self.dice = random.Random(args.seed)
        self.count = dict.fromkeys(
            ["sigterm", "sigkill", "coordinator_kills", "disk_full", "answers", "submissions_again"], 0
        )
        self.longest_end = self.longest_back = 0.0
        self.said = 0
        self.over = threading.Event()
        self.failure = None
        self.answers = published(self.dice)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"

    def sprig(self, *arguments, timeout=60):
        return subprocess.run(
            [self.args.sprig, *arguments], capture_output=True, text=True, timeout=timeout, check=False
        )

    def facts(self):
        """The facts that the coordinator says it has on disk; none if it does not answer."""
        try:
            said = self.sprig("status", "--json", "--coordinator", self.url, timeout=20)
            return json.loads(said.stdout)["facts"] if said.returncode == 0 else None
        except (subprocess.TimeoutExpired, ValueError, KeyError):
            return None

    def run(self):
        db = self.mount / "facts"
        listen = self.url.removeprefix("http://")
        self.coordinator = Process(
            "coordinator",
            [self.args.sprig, "coordinator", "--db", str(db), "--listen", listen],
            self.folder / "coordinator.log",
        )
        worker = [self.args.sprig, "worker", "--coordinator", self.url, "--threads", "1", "--notice", f"{NOTICE}s"]
        self.workers = [
            Process(f"worker-{n}", [*worker, "--name", f"worker-{n}"], self.folder / f"worker-{n}.log")
            for n in range(self.args.workers)
        ]
        client = threading.Thread(target=self.ask, daemon=True)
        client.start()
        begun = time.monotonic()
        length = self.args.minutes * 60
        troubles = self.plan(length)
        try:
            while time.monotonic() < begun + length or troubles:
                if self.failure:
                    raise Violation(self.failure)
                if troubles and begun + troubles[0][0] <= time.monotonic():
                    self.trouble(troubles.pop(0)[1])
                self.look()
                time.sleep(0.2)
            self.over.set()
            client.join(120)
            if self.failure:
                raise Violation(self.failure)
            for one in self.workers + [self.coordinator]:
                one.end()
            checked = self.sprig("db", "check", "--db", str(db), timeout=600)
            if checked.returncode != 0:
                raise Violation(f"the database has a fault: {checked.stderr}")
        finally:
            self.over.set()
            for one in self.workers + [self.coordinator]:
                one.child.kill()
                one.child.wait()
        groups = {one.name: one.group for one in self.workers + [self.coordinator]}
        killed = {name: group.kills() for name, group in groups.items()}
        if any(killed.values()):
            raise Violation(f"control groups have killed: {killed}")
        peaks = {name: group.peak() >> 20 for name, group in groups.items()}
        starts = {one.name: one.starts for one in self.workers + [self.coordinator]}
        return peaks, starts

    def plan(self, length):
        """When what happens: kills, notices and a full disk, none in the first and last ten seconds."""
        when = lambda: self.dice.uniform(10, max(11, length - 40))  # noqa: E731
        troubles = [(when(), "kill") for _ in range(self.args.kills)]
        troubles += [(when(), "notice") for _ in range(self.args.kills)]
        return sorted([*troubles, (length / 2, "disk")])

    def trouble(self, what):
        if what == "disk":
            return self.fill()
        if what == "kill" and self.dice.random() < 0.3:
            self.count["coordinator_kills"] += 1
            self.count["sigkill"] += 1
            self.note()
            self.coordinator.signal(signal.SIGKILL).wait()
            return self.back()
        running = [one for one in self.workers if one.child.poll() is None and one.asked is None]
        if not running:
            return None
        one = self.dice.choice(running)
        self.count["sigkill" if what == "kill" else "sigterm"] += 1
        one.signal(signal.SIGKILL if what == "kill" else signal.SIGTERM)
        return None

    def look(self):
        """Starts again what has ended, and looks whether it has ended as it should."""
        for one in self.workers:
            code = one.child.poll()
            took = time.monotonic() - one.asked if one.asked else 0
            if took > NOTICE + GRACE:
                raise Violation(f"{one.name} goes on {took:.0f} s after SIGTERM, and has a notice of {NOTICE} s")
            if code is None:
                continue
            self.longest_end = max(self.longest_end, took)
            if code not in ((0,) if one.asked else (-signal.SIGKILL,)):
                raise Violation(f"{one.name} has ended with code {code}, asked: {one.asked is not None}")
            one.start()
        if self.coordinator.child.poll() is not None:
            raise Violation(f"the coordinator has ended with code {self.coordinator.child.returncode}")

    def note(self):
        self.said = max(self.said, self.facts() or 0)

    def back(self):
        """Starts the coordinator again, and waits until it answers."""
        begun = time.monotonic()
        self.coordinator.start()
        while (found := self.facts()) is None:
            if self.coordinator.child.poll() is not None or time.monotonic() > begun + 120:
                raise Violation(f"the coordinator does not come back ({self.coordinator.child.poll()})")
            time.sleep(0.1)
        self.longest_back = max(self.longest_back, time.monotonic() - begun)
        if found < self.said:
            raise Violation(f"it had said that {self.said} facts are on disk, and has {found}")

    def fill(self):
        """Fills the disk until the coordinator notices, and makes room again."""
        self.count["disk_full"] += 1
        self.note()
        filler = self.mount / "filler"
        until = time.monotonic() + 240
        with open(filler, "wb", buffering=0) as file:
            while self.coordinator.child.poll() is None:
                if time.monotonic() > until:
                    raise Violation("nothing was written for four minutes, so that a full disk is not noticed")
                try:
                    file.write(bytes(1 << 16))
                except OSError:
                    time.sleep(0.1)
        code = self.coordinator.child.returncode
        text = (self.folder / "coordinator.log").read_text(errors="replace")
        if code <= 0 or "disk" not in text.lower() and "space" not in text.lower():
            raise Violation(f"a full disk ended the coordinator with code {code}: {text[-500:]}")
        filler.unlink()
        self.back()

    def ask(self):
        """Submits jobs one after the other, again whenever the coordinator was away, and compares the answers."""
        for position, misere, outcome in self.answers:
            if self.over.is_set():
                return
            wanted = ["submit", position, "--wait", "--json", "--coordinator", self.url]
            while not self.over.is_set():
                found = self.answer([*wanted, *(["--misere"] if misere else [])])
                if found == outcome:
                    self.count["answers"] += 1
                    break
                if found is not None:
                    self.failure = f"{position} is a {outcome}, and was answered as {found}"
                    return
                if not self.over.is_set():
                    self.count["submissions_again"] += 1
                    time.sleep(0.5)

    def answer(self, arguments):
        """The outcome that a job comes to; none if it has not got there."""
        client = subprocess.Popen(
            [self.args.sprig, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        while client.poll() is None:
            if self.over.wait(0.1):
                client.kill()
        said = client.stdout.read()
        try:
            return json.loads(said.splitlines()[-1]).get("outcome")
        except (IndexError, ValueError):
            return None


def published(dice):
    """Start positions in both plays with their published outcomes, the small ones first."""
    rows = []
    for name, misere, most in [("outcomes.tsv", False, 47), ("misere.tsv", True, 15)]:
        with open(ROOT / "testdata" / name, encoding="utf-8") as file:
            for row in csv.reader(file, delimiter="\t"):
                spots = row[0].removeprefix("0*") if row else ""
                outcome = {"W": "win", "L": "loss"}.get(row[1], row[1]) if row[1:] else ""
                if spots.isdigit() and 5 <= int(spots) <= most and outcome in ("win", "loss"):
                    rows.append((f"0*{spots}", misere, outcome))
    easy = [row for row in rows if int(row[0][2:]) < 20]
    hard = [row for row in rows if int(row[0][2:]) >= 20]
    dice.shuffle(easy)
    return easy + hard


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("sprig", nargs="?", default=str(ROOT / "target/release/sprig"))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--kills", type=int, default=30, help="SIGKILLs, and as many SIGTERMs")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where to write what came of it, as JSON")
    args = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("control groups and a file system of its own want root")
    args.sprig = str(Path(args.sprig).resolve())
    # What was mounted and started is put away, whoever ends this.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    begun, load = time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder, mount = Path(name), Path(name) / "disk"
        image = folder / "image"
        mount.mkdir()
        subprocess.run(["truncate", "-s", DISK, image], check=True)
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, mount], check=True)
        soak = None
        try:
            soak = Soak(args, folder, mount)
            peaks, starts = soak.run()
        except Violation as violation:
            for log in sorted(folder.glob("*.log")):
                print(f"== {log.name}\n{log.read_text(errors='replace')[-1500:]}", file=sys.stderr)
            print(f"seed {args.seed}: {violation}", file=sys.stderr)
            return 1
        finally:
            subprocess.run(["umount", mount], check=False)
            for one in [*getattr(soak, "workers", []), *([soak.coordinator] if hasattr(soak, "coordinator") else [])]:
                one.group.remove()
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    found = {
        "date": str(datetime.date.today()),
        "command": f"scripts/soak_cluster.py --minutes {args.minutes:g} --kills {args.kills} --seed {args.seed} --workers {args.workers}",
        "commit": commit.stdout.strip(),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "seconds": round(time.monotonic() - begun),
        **soak.count,
        "longest_end_seconds": round(soak.longest_end, 1),
        "longest_back_seconds": round(soak.longest_back, 1),
        "facts_said_to_be_on_disk": soak.said,
        "limit_mb": LIMIT >> 20,
        "peak_mb": peaks,
        "starts": starts,
        "killed_for_memory": 0,
        "violations": 0,
    }
    text = json.dumps(found, indent=1) + "\n"
    print(text, end="")
    if args.out:
        args.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
