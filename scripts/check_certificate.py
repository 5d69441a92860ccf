#!/usr/bin/env python3
"""Checks a certificate of Sprig (text form), in one file that can be read in one sitting.

    sprig certify '0*8' --db facts --text -o 8.txt && python3 scripts/check_certificate.py 8.txt

Nothing but Python's standard library is used, and nothing of Sprig. It is written to be read, not to be fast: a hundred facts
take seconds, a thousand minutes. (`sprig verify` does the same in a thousandth of the time, and checks the checksum too.)

Certificates of misère play are refused: they need trees and their theory. `sprig verify` checks them.

WHAT IS CHECKED (normal play: who cannot move loses). A certificate lists lands with nimbers. A land L with nimber n
means that the sum of L and a Nim heap of size n is lost for the player to move. That is so if

  (1) for every i < n some move in L leads to nimber i: then no move in the heap, from n to i, is any good; and
  (2) no move in L leads to nimber n: for every move, either the resulting lands are all listed, and their nim-sum is not n,
      or some answer in them leads to lands that are all listed, with nim-sum n.

Lands that are listed have fewer lives after every move, so there is no circle: if each line passes, all lines are true. Two equal
lands in a sum have nimber 0 together, whether or not they are listed.

HOW A POSITION IS WRITTEN. A land is a list of regions; a region a list of boundaries; a boundary the cyclic list of spots one passes with
the region on the left hand. A spot is "0", "1" or "2" (it has that many curve ends and is passed once), or an integer: a spot with two
curve ends that is passed twice, in two regions or twice on one boundary. No spot takes more than three curve ends.
"""

import itertools
import re
import sys
from collections import Counter

LIVES = {"0": 3, "1": 2, "2": 1}


# ---------------------------------------------------------------- reading

def read_position(text):
    """The lands of a position in GLOP notation, as one list of regions: letters of different lands are different integers."""
    regions, fresh = [], itertools.count()
    for land in [] if text == "!" else text.split("+"):
        upper = {}
        for region in land.split("|"):
            boundaries = []
            for boundary in region.split("."):
                if boundary.startswith("0*"):
                    boundaries += [["0"]] * int(boundary[2:])
                    continue
                tokens = re.findall(r"[012]|[a-zA-Z](?:\(\d+\))?", boundary)
                assert tokens and "".join(tokens) == boundary, f"cannot read `{boundary}`"
                lower = {}  # Lower-case letters are local to their boundary.
                for token in set(tokens) - set(LIVES):
                    names = lower if token[0].islower() else upper
                    if token not in names:
                        names[token] = next(fresh)
                boundaries.append([{**upper, **lower}.get(token, token) for token in tokens])
            regions.append(boundaries)
    counts = Counter(spot for region in regions for walk in region for spot in walk)
    assert all(counts[s] == 2 for s in counts if s not in LIVES), f"a letter of `{text}` is not there twice"
    return regions


# ---------------------------------------------------------------- moves

def moves(regions):
    """Every position that one move leads to, not reduced; some of them several times."""
    fresh = 1 + max((s for r in regions for w in r for s in w if isinstance(s, int)), default=-1)
    for i, region in enumerate(regions):
        others = regions[:i] + regions[i + 1:]
        # Boundaries that look the same need to be tried only once.
        kinds = Counter(tuple(walk) for walk in region)
        for a, b in itertools.combinations_with_replacement(list(kinds), 2):
            rest = kinds - Counter([a, b])
            if a == b and kinds[a] < 2:
                continue
            for x, y in itertools.product(range(len(a)), range(len(b))):
                yield join(a, x, b, y, rest, others, fresh)
        for a in kinds:
            rest = kinds - Counter([a])
            for x, y in itertools.combinations_with_replacement(range(len(a)), 2):
                if x == y and LIVES.get(a[x], 1) >= 2 or x != y and (a[x] != a[y] or a[x] in LIVES):
                    yield from divide(a, x, y, rest, others, fresh)


def passed(spot, fresh):
    """How a spot is passed on either side of a curve that has reached it, and the letter that dies, if one does."""
    if spot == "1":
        return [fresh], None
    return [], spot


def turned(walk, x):
    """What follows place x on a boundary, once round."""
    return list(walk[x + 1:] + walk[:x])


def join(a, x, b, y, rest, others, fresh):
    """A curve from place x of boundary a to place y of boundary b, in one region: a and b become one boundary."""
    joined, dead = [], []
    for walk, place, letter in [(a, x, fresh), (b, y, fresh + 1)]:
        if walk[place] == "0":
            joined += ["1"]
        else:
            spot, dies = passed(walk[place], letter)
            joined += spot + turned(walk, place) + spot
            dead.append(dies)
        joined.append(fresh + 2)  # The new spot, on the curve.
    return without(dead, others + [[joined] + [list(walk) for walk in rest.elements()]])


def divide(a, x, y, rest, others, fresh):
    """A curve from place x to place y of boundary a divides the region. The other boundaries go to either side."""
    dead = []
    if x != y:
        (p, dies), (q, dies_too) = passed(a[x], fresh), passed(a[y], fresh + 1)
        dead = [dies, dies_too]
        near, far = p + list(a[x + 1:y]) + q, q + list(a[y + 1:] + a[:x]) + p
    elif a[x] == "0":
        near, far = [fresh], [fresh]
    else:
        near, far = [], turned(a, x)
    kinds = list(rest)
    for taken in itertools.product(*(range(rest[kind] + 1) for kind in kinds)):
        one, other = [near + [fresh + 2]], [far + [fresh + 2]]
        for kind, count in zip(kinds, taken):
            one += [list(kind)] * count
            other += [list(kind)] * (rest[kind] - count)
        yield without(dead, others + [one, other])


def without(dead, regions):
    """A spot with three curve ends is dead, wherever it is passed."""
    dead = [spot for spot in dead if isinstance(spot, int)]
    return [[[s for s in walk if s not in dead] for walk in region] for region in regions]


# ---------------------------------------------------------------- reduction

def lives(region):
    spots = [spot for walk in region for spot in walk]
    return sum(LIVES.get(s, 0) for s in spots) + len({s for s in spots if s not in LIVES})


def reduced(regions):
    """The lands that are left when everything is taken away that cannot matter."""
    while True:
        before = regions
        # A letter twice in a row is passed once; boundaries without spots go; regions without moves go.
        regions = [[merged(walk) for walk in region if walk] for region in regions]
        regions = [region for region in regions if lives(region) >= 2]
        # With two or three lives, it makes no difference which spots are on one boundary.
        regions = [scattered(region) if lives(region) <= 3 else region for region in regions]
        # A letter that is passed once is a "2".
        counts = Counter(s for region in regions for walk in region for s in walk)
        regions = [[["2" if counts[s] == 1 and s not in LIVES else s for s in walk] for walk in region]
                   for region in regions]
        if regions == before:
            return split(regions)


def merged(walk):
    walk = list(walk)
    for i in range(len(walk)):
        if len(walk) > 1 and walk[i] not in LIVES and walk[i] == walk[i - 1]:
            walk[i] = "2"
            del walk[i - 1]
            return merged(walk)
    return walk


def scattered(region):
    spots = [spot for walk in region for spot in walk]
    once = [spot for spot in spots if spot in LIVES]
    letters = Counter(spot for spot in spots if spot not in LIVES)
    return [[s] for s in once] + [["2"] if letters[s] == 2 else [s] for s in letters]


def split(regions):
    """Regions that share letters belong to one land."""
    lands = []
    for region in regions:
        letters = {s for walk in region for s in walk if s not in LIVES}
        mine = [land for land in lands if land[0] & letters]
        lands = [land for land in lands if not land[0] & letters]
        lands.append((letters.union(*(land[0] for land in mine)),
                      [r for land in mine for r in land[1]] + [region]))
    return [land for _, land in lands]


# ---------------------------------------------------------------- names: the same for lands that differ in wording only

def arranged(land, names):
    """The land with its letters renamed: of all rotations of boundaries, directions of regions and orders, the least."""
    def way(region):
        walks = [[names.get(s, s) for s in walk] for walk in region]
        return tuple(sorted(min(tuple(w[i:] + w[:i]) for i in range(len(w))) for w in walks))
    return tuple(sorted(min(way(r), way([walk[::-1] for walk in r])) for r in land))


def name(land):
    """The least arranged land over all orders of its letters that follow the colours."""
    letters = sorted({s for r in land for walk in r for s in walk if s not in LIVES})
    return least(land, letters, {letter: "A" for letter in letters})


def refined(land, letters, colours):
    """Colours told apart by what each letter sees, until that tells no more apart; and the first colour that letters share."""
    while True:
        def view(letter):
            around = [r for r in land if any(letter in walk for walk in r)]
            return colours[letter], arranged(around, {**colours, letter: "*"})
        views = {letter: view(letter) for letter in letters}
        ranks = {v: f"A{i:03}" for i, v in enumerate(sorted(set(views.values())))}
        finer = {letter: ranks[views[letter]] for letter in letters}
        if finer == colours:
            counts = Counter(colours.values())
            return colours, min((c for c in counts if counts[c] > 1), default=None)
        colours = finer


def least(land, letters, colours):
    colours, shared = refined(land, letters, colours)
    if shared is None:
        return arranged(land, colours)
    firsts, forms = [], []
    for letter in letters:
        if colours[letter] == shared:
            special = {**colours, letter: shared + "!"}
            first = some(land, letters, special)
            if first not in firsts:  # Else a symmetry of the land takes an earlier letter to this one.
                firsts.append(first)
                forms.append(least(land, letters, special))
    return min(forms)


def some(land, letters, colours):
    """One arranged land: of letters that share a colour, any one is told apart."""
    while True:
        colours, shared = refined(land, letters, colours)
        if shared is None:
            return arranged(land, colours)
        letter = next(letter for letter in letters if colours[letter] == shared)
        colours = {**colours, letter: shared + "!"}


def looks(land):
    """Something quickly seen that isomorphic lands have in common."""
    def spot(walk, s):
        return s if s in LIVES else "a" if walk.count(s) == 2 else "A"
    return tuple(sorted(tuple(sorted("".join(sorted(spot(w, s) for s in w)) for w in r)) for r in land))


# ---------------------------------------------------------------- the proof

class Proof:
    """The listed facts, and the check of each."""

    def __init__(self, facts):
        self.by_looks = {}
        for line, land, nimber in facts:
            lands = reduced(read_position(land))
            assert len(lands) == 1, f"line {line}: `{land}` is not one land"
            listed = self.by_looks.setdefault(looks(lands[0]), {})
            assert name(lands[0]) not in listed, f"line {line}: `{land}` is listed twice"
            listed[name(lands[0])] = nimber

    def nimber(self, land):
        """The listed nimber of a reduced land, or None."""
        listed = self.by_looks.get(looks(land))
        return listed.get(name(land)) if listed else None

    def value(self, regions):
        """The nim-sum of the listed lands of a position, and the other lands, of which equal pairs are dropped."""
        total, listed, others = 0, [], {}
        for land in reduced(regions):
            nimber = self.nimber(land)
            if nimber is not None:
                total ^= nimber
                listed.append(land)
            elif others.pop(form := name(land), None) is None:
                others[form] = land
        return total, listed, others

    def answered(self, listed, others, n):
        """Whether some move leads to nimber n, in a position of some listed and other lands."""
        def all_of(lands):
            return [region for land in separate(lands) for region in land]
        for land in [*others.values(), *listed]:  # Mostly it is the one land that is not listed.
            rest = [x for x in [*others.values(), *listed] if x is not land]
            for move in moves(land):
                total, _, left = self.value(all_of([move, *rest]))
                if not left and total == n:
                    return True
        return False

    def check(self, text, n):
        """Why the land does not have nimber n, or None if it does."""
        reached, seen = set(), set()
        for move in moves(reduced(read_position(text))[0]):
            total, listed, others = self.value(move)
            if not others:
                if total == n:
                    return f"a move to {reduced(move)} leads to nimber {n}"
                reached.add(total)
            elif (key := (total, tuple(sorted(others)))) not in seen:
                seen.add(key)
                if not self.answered(listed, others, n):
                    return f"the move to {reduced(move)} is not answered"
        missing = set(range(n)) - reached
        return f"no move leads to nimber {min(missing)}" if missing else None

    def proves(self, text, claim):
        total, listed, others = self.value(read_position(text))
        if claim == "win":
            return total != 0 if not others else self.answered(listed, others, 0)
        return not others and total == (0 if claim == "loss" else int(claim.removeprefix("nimber ")))


def separate(lands):
    """The same lands with letters of their own each."""
    fresh = itertools.count()
    for land in lands:
        letters = {s: next(fresh) for s in {s for r in land for walk in r for s in walk} if s not in LIVES}
        yield [[[letters.get(s, s) for s in walk] for walk in region] for region in land]


def main():
    lines = open(sys.argv[1]).read().splitlines()
    assert lines[0] == "sprig certificate 1", "this is no certificate in text form"
    head = dict(line.split(" ", 1) for line in lines[1:5])
    assert head["play"] == "normal", "only normal play is checked here"
    facts = [(i, *line.split(" ")) for i, line in enumerate(lines[5:-1], 6)]
    facts = [(i, land, int(nimber)) for i, land, nimber in facts]
    assert len(facts) == int(head["facts"]) and lines[-1].startswith("blake3 "), "the certificate is not complete"
    proof = Proof(facts)
    for line, land, nimber in facts:
        flaw = proof.check(land, nimber)
        if flaw:
            sys.exit(f"line {line}: `{land}` {nimber}: {flaw}")
    if not proof.proves(head["position"], head["claim"]):
        sys.exit(f"`{head['claim']}` does not follow for {head['position']}")
    print(f"proved: {head['position']}, {head['claim']}; {len(facts)} facts")


if __name__ == "__main__":
    main()
