#!/usr/bin/env python3
"""Solves start positions, certifies and verifies them, and prints the table of docs/results.md.

    scripts/results.py --spots 2-17 --minimize 60s --work /tmp/work

Each is solved into a database of its own below --work, so that the figures are those of this position alone; a database that is there is
used again. A certificate that is there already (certificates/normal/N.cert) is where the search for a smaller one begins; it is
replaced only by a smaller one, and only after `sprig verify` has accepted that.
"""

import argparse
import json
import os
import resource
import subprocess
import sys

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
    parser.add_argument("--out", default=os.path.join(os.path.dirname(__file__), "..", "certificates", "normal"))
    parser.add_argument("--sprig", default="sprig")
    parser.add_argument("--threads", default="1")
    args = parser.parse_args()
    print("| n | outcome | facts | GLOP's | bytes | CPU s to solve | expansions | CPU s to verify |")
    print("|--:|---|--:|--:|--:|--:|--:|--:|")
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
        seconds = "" if cpu is None else f"{cpu:.2f}"
        print(f"| {n} | {solved['outcome']} | {verified['facts']:,} | {GLOP.get(n, '')} | {certified['bytes']:,} "
              f"| {seconds} | {solved['expansions']:,} | {verify_cpu:.2f} |", flush=True)


if __name__ == "__main__":
    main()
