#!/usr/bin/env python3
"""Solves start positions, certifies and verifies them, and keeps what that took in bench/runs, for docs/results.md.

    scripts/results.py --spots 2-17 --minimize 60s --work /tmp/work --machine "AMD EPYC, 2 cores, quiet"

Each is solved into a database of its own below --work, so that the figures are those of this position alone; a database that is there is
used again. A certificate that is there already (certificates/normal/N.cert) is where the search for a smaller one begins; it is
replaced only by a smaller one, and only after `sprig verify` has accepted that.
"""

import argparse
import datetime
import json
import os
import resource
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

# Losing couples of the smallest databases known to Lemoine and Viennot's GLOP.
GLOP = {2: 3, 3: 6, 4: 15, 5: 15, 6: 43, 7: 65, 8: 137, 9: 58, 10: 110, 11: 113, 16: 669, 17: 329, 18: 1997, 19: 1736,
        20: 1831, 21: 5312, 22: 1581, 23: 1058, 24: 5327, 25: 2497}


def sprig(program, *args):
    """What the program answers, and the CPU seconds it took."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    run = subprocess.run([program, *args, "--json"], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{program} {' '.join(args)} failed with exit code {run.returncode}")
    return json.loads(run.stdout), used() - before


def spots(text):
    numbers = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spots", type=spots, default=spots("2-26,28,29,34,35"))
    parser.add_argument("--minimize", default="60s")
    parser.add_argument("--work", required=True)
    parser.add_argument("--out", default=os.path.join(ROOT, "certificates", "normal"))
    parser.add_argument("--sprig", default="sprig")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--machine", required=True, help="what it runs on, in words")
    parser.add_argument("--data", default=os.path.join(ROOT, "bench", "runs", "certificates-normal.json"))
    args = parser.parse_args()
    with open(args.data) as file:
        data = json.load(file)
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True)
    data["date"], data["machine"] = datetime.date.today().isoformat(), args.machine
    data["commit"] = commit.stdout.strip() + "; rows that were not run again are of earlier ones"
    for n in args.spots:
        position, db = f"0*{n}", os.path.join(args.work, str(n))
        kept, new = os.path.join(args.out, f"{n}.cert"), os.path.join(args.work, f"{n}.cert")
        figures = os.path.join(args.work, f"{n}.json")
        if not os.path.exists(figures):
            solved = sprig(args.sprig, "solve", position, "--db", db, "--threads", args.threads)
            with open(figures, "w") as file:
                json.dump(solved, file)
        with open(figures) as file:
            solved, cpu = json.load(file)
        start = ["--from", kept] if os.path.exists(kept) else []
        certified, _ = sprig(args.sprig, "certify", position, "--db", db, "-o", new, "--minimize", args.minimize, *start)
        verified, verify_cpu = sprig(args.sprig, "verify", new)
        if not start or certified["bytes"] <= os.path.getsize(kept):
            os.replace(new, kept)
        row = [n, solved["outcome"], verified["facts"], GLOP.get(n), certified["bytes"],
               None if cpu is None else f"{cpu:.2f}", solved["expansions"], f"{verify_cpu:.2f}"]
        data["rows"] = sorted([old for old in data["rows"] if old[0] != n] + [row])
        write(args.data, data)
        print(*row, flush=True)


def write(path, data):
    """Keeps the data, a row a line."""
    rows = ",\n".join("  " + json.dumps(row) for row in data["rows"])
    heads = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in data.items() if key != "rows"]
    with open(path + ".new", "w") as file:
        file.write("{\n" + ",\n".join(heads) + ",\n \"rows\": [\n" + rows + "\n ]\n}\n")
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
