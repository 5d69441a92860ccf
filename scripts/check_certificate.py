#!/usr/bin/env python3
"""Checks a certificate of Sprig, in one file that can be read in one sitting.

    python3 scripts/check_certificate.py certificates/normal/8.cert

Nothing but Python's standard library is used, and nothing of Sprig. It is written to be read;
`sprig verify` does the same a hundred times as fast, and looks at the checksum, too. A thousand
facts of normal play take a minute. In misère play the trees of the base come first: those of five
spots take a minute, those of six spots, with 13 times as many lands, a good part of an hour; the
facts of the largest proof take many hours. `--processes` uses more cores for the facts, `--sample`
checks some of them only, `--seconds` stops and says how far it came.

THE GAME (J. H. Conway and M. S. Paterson, 1967; the moves in this form follow J. Purinton's
procedure with playing cards, 2006). A move draws a curve from a spot to another or the same one,
and puts a new spot on it. Curves do not meet; no spot takes more than three curve ends. In normal
play who cannot move loses, in misère play who cannot move wins. In black-and-white Sprouts (`game
black-and-white` in the head) the mover may leave the new spot out.

HOW A POSITION IS WRITTEN. A land is a list of regions; a region a list of boundaries; a boundary
the cyclic list of spots one passes with the region on the left hand, as a string. A spot is "0",
"1" or "2" (it has that many curve ends and is passed once), or any other character: a spot with two
curve ends that is passed twice.

OTHER SURFACES (J. Lemoine and S. Viennot, 2008). A region may have handles or cross-caps (`@2`, `@-2`
behind it). These are one more string of the region here, of one character (`surface`). A region with
cross-caps has no left hand; each of its boundaries may be read in either direction.

WHAT IS CHECKED IN NORMAL PLAY. A fact is a land L with a nimber n: the sum of L and a Nim heap of
size n is lost for the player to move. That is so if

  (1) for every i < n some move in L leads to nimber i: then no move in the heap, from n to i, is
      any good; and
  (2) no move in L leads to nimber n: for every move, either the resulting lands are all facts, and
      their nim-sum is not n, or some answer in them leads to lands that are all facts, with nim-sum
      n.

Facts that are used have fewer lives, so there is no circle: if each line passes, all are true. Two
equal lands in a sum have nimber 0 together, whether or not they are facts.

WHAT IS CHECKED IN MISÈRE PLAY. A game is the set of its options, a tree. Two trees that nobody can
tell apart, whatever is added to both, may replace each other. So it is with G and H if H has the
options of G, and others which all have the option G; but if G has no option, H must be a win
(Conway, On Numbers and Games, chapter 12; a proof is in docs/misere.md). What is left when this has
been used wherever it can be is the reduced tree. A fact is a node: a sum of lands and reduced trees
that is lost for the player to move. Lands that the position of the line `base` can become are
replaced by their trees, which are found here anew. A node with lands is lost if every option of it
is a win, because a move leads from there to a fact, or to trees that are lost. A node of trees
alone is played to its end.

Every fact that is used is smaller than the node that uses it, by lives and heights of trees: so
there is no circle here either.
"""

import argparse
import functools
import gzip
import itertools
import multiprocessing
import os
import random
import re
import sys
import time
import zlib
from collections import Counter

LIVES = {"0": 3, "1": 2, "2": 1}
SURFACE = 0xF0000  # The character of the sphere; handles are behind it, cross-caps before it.
MOST = 1000  # Handles or cross-caps.
LETTERS = re.compile(f"[^012.|{chr(SURFACE - MOST)}-{chr(SURFACE + MOST)}]")
NEW = "xyz"  # Letters of spots that a move touches or makes. Those of a land come from LETTER on.
LETTER = 0x100
LARGEST_NIMBER = 63
GAMES = ("sprouts", "black-and-white")
BASE_LIVES = 18  # Of a land of a base, that of six spots. Every spot more takes fifteen times as long.


class Wrong(Exception):
    """The certificate is not right, and why."""


# ---------------------------------------------------------------- reading

def read_position(text):
    """The regions of a position in GLOP notation. Letters of different lands are different."""
    regions, names = [], {}
    for number, land in enumerate([] if text == "!" else text.split("+")):
        for region in land.split("|"):
            walks = []
            region, at, number_of = region.partition("@")
            if at and not (re.fullmatch(r"0|-?[1-9][0-9]{0,3}", number_of) and abs(int(number_of)) <= MOST):
                raise Wrong(f"`@{number_of}` is no surface")
            for walk in region.split("."):
                if re.fullmatch(r"0\*[1-9][0-9]{0,3}", walk):
                    walks += ["0"] * int(walk[2:])
                    continue
                spots = re.findall(r"[mnZ]\(\d+\)|[012a-zA-Z]", walk)
                if not spots or "".join(spots) != walk or "0" in spots and len(spots) > 1:
                    raise Wrong(f"`{walk}` is no boundary")
                # Lower-case letters are local to their boundary, from `o` on to their region; n(26)
                # is an upper-case one.
                for i, spot in enumerate(spots):
                    if spot not in LIVES:
                        scope = (number, len(regions), len(walks))
                        if spot[0].isupper() or spot.startswith("n("):
                            scope = number
                        elif spot[0] >= "o":
                            scope = (number, len(regions))
                        spots[i] = names.setdefault((spot, scope), chr(LETTER + len(names)))
                walks.append("".join(spots))
            regions.append((*walks, *surface(int(number_of or 0))))
    counts = Counter(LETTERS.findall("".join(walk for region in regions for walk in region)))
    if any(count != 2 for count in counts.values()):
        raise Wrong(f"a letter of `{text}` is not there twice")
    return regions


def surface(genus):
    """What a region has beside its boundaries: nothing on the sphere."""
    return (chr(SURFACE + genus),) if genus else ()


def parts(region):
    """The boundaries of a region, and its genus: handles if positive, cross-caps if negative."""
    walks = tuple(walk for walk in region if not walk or not is_surface(walk))
    return walks, sum(ord(walk) - SURFACE for walk in region if walk and is_surface(walk))


def is_surface(walk):
    return abs(ord(walk[0]) - SURFACE) <= MOST


# ---------------------------------------------------------------- moves

def moves(land):
    """Every position that one move leads to, not reduced; some of them several times."""
    for i, region in enumerate(land):
        others = land[:i] + land[i + 1:]
        region, genus = parts(region)
        # Boundaries that look the same need to be tried only once.
        kinds = sorted(set(region))
        for n, a in enumerate(kinds):
            for b in kinds[n:]:
                if a != b or region.count(a) > 1:
                    rest = without_one(without_one(region, a), b)
                    for x in range(len(a)):
                        for y in range(len(b)):
                            # On other surfaces a letter may stand on two boundaries of one region.
                            if a[x] != b[y] or a[x] in LIVES:
                                yield from join(a, x, b, y, rest, others, genus)
            rest = without_one(region, a)
            for x in range(len(a)):
                if LIVES.get(a[x], 1) >= 2:
                    yield from divide(a, x, x, rest, others, genus)
                for y in range(x + 1, len(a)):
                    if a[x] != a[y] or a[x] in LIVES:
                        yield from divide(a, x, y, rest, others, genus)


def without_one(region, walk):
    at = region.index(walk)
    return region[:at] + region[at + 1:]


def reached(spot, letter):
    """How a spot is passed on either side of a curve that has reached it.

    One that had one curve end is passed twice now, and one that had two is dead.
    """
    return letter if spot == "1" else ""


def join(a, x, b, y, rest, others, genus):
    """A curve from place x of boundary a to place y of boundary b, in one region: a and b become one boundary."""
    joined = []
    for walk, place, letter in ((a, x, NEW[0]), (b, y, NEW[1])):
        if walk == "0":
            joined.append("1")
        else:
            side = reached(walk[place], letter)
            joined.append(side + walk[place + 1:] + walk[:place] + side)
    # Through a cross-cap the curve meets the second boundary from its other side.
    for second in {joined[1], joined[1][::-1]} if genus < 0 else (joined[1],):
        walk = joined[0] + NEW[2] + second + NEW[2]  # The new spot, on the curve.
        yield buried(a[x] + b[y], ((walk, *rest, *surface(genus)), *others))


def divide(a, x, y, rest, others, genus):
    """A curve from place x to place y of boundary a. The other boundaries go to either side, if it has two."""
    dead = ""
    if x != y:
        p, q, dead = reached(a[x], NEW[0]), reached(a[y], NEW[1]), a[x] + a[y]
        near, far = p + a[x + 1:y] + q + NEW[2], q + a[y + 1:] + a[:x] + p + NEW[2]
    elif a == "0":
        near = far = NEW[0] + NEW[2]
    else:
        near, far = NEW[2], a[x + 1:] + a[:x] + NEW[2]
    sides = [((near,), (far,))]
    for walk in sorted(set(rest)):
        count = rest.count(walk)
        sides = [(one + (walk,) * k, two + (walk,) * (count - k)) for one, two in sides for k in range(count + 1)]
    for one, two in sides:
        for made in shared(one, two, genus):
            yield buried(dead, (*made, *others))
    for region in undivided(near, far, rest, genus):
        yield buried(dead, (region, *others))


def shared(one, two, genus):
    """Two regions that a curve separates: each pair has one boundary that the curve has made, in front, and others."""
    if genus >= 0:
        for handles in range(genus + 1):
            yield (*one, *surface(handles)), (*two, *surface(genus - handles))
        return
    for caps in range(1, -genus):
        yield (*one, *surface(-caps)), (*two, *surface(genus + caps))
    # A handle beside a cross-cap is as good as two more cross-caps. Where handles are alone,
    # boundaries have directions.
    for handles in range((-genus - 1) // 2 + 1):
        for (first, *others), there in ((one, two), (two, one)):
            for here in directions(others):
                yield (first, *here, *surface(handles)), (*there, *surface(genus + 2 * handles))


def undivided(near, far, rest, genus):
    """The region that a curve leaves whole which runs over a handle or through cross-caps."""
    if genus > 0:
        yield (near, far, *rest, *surface(genus - 1))
    if genus >= 0:
        return
    once = near[:-1][::-1] + NEW[2] + far  # Through one cross-cap, the curve meets the other part from its other side.
    if genus <= -3:
        yield (near, far, *rest, *surface(genus + 2))
    if genus <= -2:
        yield (once, *rest, *surface(genus + 1))
    for others in directions(rest):
        if genus % 2 == 0:
            yield (near, far[::-1], *others, *surface((-genus - 2) // 2))
        else:
            yield (once, *others, *surface((-genus - 1) // 2))


def directions(walks):
    """The boundaries, each in either direction."""
    return itertools.product(*({walk, walk[::-1]} for walk in walks))


def buried(touched, regions):
    """A letter that a curve has reached is a spot with three curve ends: dead, wherever it is passed."""
    for spot in touched:
        if spot not in LIVES:
            regions = [tuple(walk.replace(spot, "") for walk in region) for region in regions]
    return regions


# ---------------------------------------------------------------- reduction

def reduced(regions):
    """The lands that are left when everything is taken away that cannot matter."""
    while True:
        before = regions
        # A letter twice in a row is passed once; boundaries without spots go; regions without moves go.
        regions = [tuple(sorted(merged(walk) for walk in region if walk)) for region in regions]
        regions = [region for region in regions if lives(region) >= 2]
        # Handles and cross-caps that a region cannot use go.
        regions = [limited(region) for region in regions]
        # With two or three lives, it makes no difference which spots are on one boundary.
        regions = [scattered(region) if lives(region) <= 3 else region for region in regions]
        # A letter that is passed once is a "2".
        text = ".".join(".".join(region) for region in regions)
        for letter in set(LETTERS.findall(text)):
            if text.count(letter) == 1:
                regions = [tuple(walk.replace(letter, "2") for walk in region) for region in regions]
        if regions == before:
            return split(regions)


@functools.lru_cache(1 << 16)
def lives(region):
    text = "".join(region)
    return sum(text.count(spot) * count for spot, count in LIVES.items()) + len(set(LETTERS.findall(text)))


@functools.lru_cache(1 << 16)
def limited(region):
    """The region without handles or cross-caps that make no difference (docs/surfaces.md, "What is left out")."""
    walks, genus = parts(region)
    doublings = lives(region) - 4
    if doublings < 0:
        genus = 0
    elif genus > 0:
        genus = min(genus, 1 << doublings)
    elif -genus > (3 << doublings) + 1:
        genus = -(3 << doublings) - (-genus - (3 << doublings)) % 2
    return tuple(sorted((*walks, *surface(genus))))


@functools.lru_cache(1 << 16)
def merged(walk):
    for i in range(len(walk)):
        if len(walk) > 1 and walk[i] not in LIVES and walk[i] == walk[i - 1]:
            return merged(walk[:i - 1] + "2" + walk[i + 1:] if i else "2" + walk[1:-1])
    return walk


@functools.lru_cache(1 << 16)
def scattered(region):
    text = "".join(region)
    letters = set(LETTERS.findall(text))
    return tuple(sorted([s for s in text if s in LIVES] + ["2" if text.count(s) == 2 else s for s in letters]))


def split(regions):
    """Regions that share letters belong to one land."""
    lands = []
    for region in regions:
        letters = set(LETTERS.findall("".join(region)))
        mine = [land for land in lands if land[0] & letters]
        lands = [land for land in lands if not land[0] & letters]
        lands.append((letters.union(*(land[0] for land in mine)),
                      [r for land in mine for r in land[1]] + [region]))
    return [land for _, land in lands]


# ---------------------------------------------------------------- names: the same for lands that differ in wording only

@functools.lru_cache(1 << 18)
def turned(walk):
    """The least of the rotations of a boundary."""
    twice = walk + walk
    return min(twice[i:i + len(walk)] for i in range(len(walk)))


@functools.lru_cache(1 << 20)
def seen(region):
    """The least text of a region: its boundaries in any order, and all in the one or the other direction.

    With cross-caps, each is in the direction in which it is less.
    """
    walks = region.split(".")
    if any(is_surface(walk) and ord(walk) < SURFACE for walk in walks):
        return ".".join(sorted(min(turned(walk), turned(walk[::-1])) for walk in walks))
    return min(".".join(sorted(map(turned, walks))), ".".join(sorted(turned(walk[::-1]) for walk in walks)))


def arranged(regions, names):
    """The least text of regions with their letters renamed."""
    return "|".join(sorted(seen(region.translate(names)) for region in regions))


def name(land):
    """The name of a land."""
    text = "|".join(sorted(".".join(region) for region in land))
    letters = dict.fromkeys(LETTERS.findall(text))
    return named(text.translate({ord(letter): LETTER + i for i, letter in enumerate(letters)}))


@functools.lru_cache(1 << 20)
def named(text):
    """The least text over all orders of the letters that follow their colours; at first all have the same colour."""
    regions = text.split("|")
    around = {ord(letter): [region for region in regions if letter in region] for letter in LETTERS.findall(text)}
    return least(regions, around, *refined(around, dict.fromkeys(around, "A")))


def refined(around, colours):
    """Colours told apart by what each letter sees around it, until that tells no more apart.

    Beside them the first colour that letters share, or None.
    """
    while True:
        views = {letter: (colours[letter], arranged(regions, {**colours, letter: "*"}))
                 for letter, regions in around.items()}
        ranks = {view: chr(LETTER + i) for i, view in enumerate(sorted(set(views.values())))}
        finer = {letter: ranks[view] for letter, view in views.items()}
        if len(ranks) == len(finer):
            return finer, None
        if finer == colours:
            counts = Counter(colours.values())
            return colours, min(colour for colour in counts if counts[colour] > 1)
        colours = finer


def least(regions, around, colours, shared):
    """The least text that some order of the letters gives, among those that follow the colours."""
    if shared is None:
        return arranged(regions, colours)
    firsts, forms = set(), []
    for letter in colours:
        if colours[letter] == shared:
            special = refined(around, {**colours, letter: "!"})
            first = some(regions, around, *special)
            if first not in firsts:  # Else a symmetry of the land takes an earlier letter to this one.
                firsts.add(first)
                forms.append(first if special[1] is None else least(regions, around, *special))
    return min(forms)


def some(regions, around, colours, shared):
    """One arranged text: of letters that share a colour, any one is told apart."""
    while shared is not None:
        letter = next(letter for letter in colours if colours[letter] == shared)
        colours, shared = refined(around, {**colours, letter: "!"})
    return arranged(regions, colours)


def names_of(regions):
    """The lands of a position by their names, sorted."""
    return tuple(sorted(map(name, reduced(regions))))


@functools.lru_cache(1 << 17)
def options(land):
    """The different positions that one move in a land leads to."""
    regions = tuple(tuple(region.split(".")) for region in land.split("|"))
    made = list(moves(regions))
    if GAME == "black-and-white":
        made += [bare(move) for move in made]
    return {names_of(move) for move in made}


def bare(regions):
    """What a move leads to that leaves its new spot out."""
    return [tuple(walk.replace(NEW[2], "") for walk in region) for region in regions]


# ---------------------------------------------------------------- normal play

class Nimbers:
    """Lands with their nimbers."""

    def __init__(self):
        self.facts = {}

    def add(self, text):
        """Takes a line of the certificate as a fact, and returns it."""
        if not (match := re.fullmatch(r"(\S+) (0|[1-9][0-9]?)", text)) or int(match[2]) > LARGEST_NIMBER:
            raise Wrong("this is no land and its nimber")
        lands = names_of(read_position(match[1]))
        if len(lands) != 1:
            raise Wrong("this is not one land")
        if lands[0] in self.facts:
            raise Wrong("this land has a fact before")
        self.facts[lands[0]] = int(match[2])
        return lands[0]

    def value(self, lands):
        """The nim-sum of some lands, or None if not all of them are facts. Equal ones have been dropped."""
        total = 0
        for land in lands:
            if land not in self.facts:
                return None
            total ^= self.facts[land]
        return total

    def answered(self, lands, nimber):
        """Whether some move leads to this nimber."""
        return any(self.value(lands ^ {land} ^ option) == nimber for land in lands for option in unpaired(land))

    def check(self, land):
        """Whether the fact about the land follows from those about smaller lands."""
        nimber, reached = self.facts[land], set()
        for option in unpaired(land):
            value = self.value(option)
            if value == nimber:
                raise Wrong(f"the move to {shown(option)} leads to nimber {nimber}")
            if value is not None:
                reached.add(value)
            elif not self.answered(option, nimber):
                raise Wrong(f"the move to {shown(option)} is not answered")
        if missing := set(range(nimber)) - reached:
            raise Wrong(f"no move leads to nimber {min(missing)}")

    def proves(self, position, claim):
        lands = odd(names_of(position))
        value = self.value(lands)
        if claim == "win":
            return value != 0 if value is not None else self.answered(lands, 0)
        return value is not None and (claim == f"nimber {value}" or claim == "loss" and value == 0)


def odd(lands):
    """The lands that stand an odd number of times in a sum."""
    return frozenset(land for land, count in Counter(lands).items() if count % 2)


@functools.lru_cache(1 << 17)
def unpaired(land):
    """The options of a land, without equal lands in pairs."""
    return {odd(option) for option in options(land)}


# ---------------------------------------------------------------- reduced trees

class Trees:
    """Trees by numbers; 0 is the game that has ended. No two are equal, and none can be reduced."""

    def __init__(self):
        self.options = [frozenset()]
        self.height = [0]
        self.wins = [True]
        self.numbers = {frozenset(): 0}
        self.sums = {}
        self.pairs = {}

    def reduced(self, options):
        """The tree of a game, given the trees of its options."""
        options = frozenset(options)
        if options in self.numbers:
            return self.numbers[options]
        # What is left out is higher than what is kept, so the highest option is left out if any is.
        highest = max(options, key=self.height.__getitem__)
        for tree in sorted(self.options[highest], key=self.height.__getitem__):
            if self.options[tree] < options and all(tree in self.options[o] for o in options - self.options[tree]):
                if tree != 0 or any(not self.wins[o] for o in options):
                    return tree
        number = len(self.options)
        self.numbers[options] = number
        self.options.append(options)
        self.height.append(1 + self.height[highest])
        self.wins.append(any(not self.wins[o] for o in options))
        return number

    def plus_one(self, tree):
        """The tree of a tree and the game {0}."""
        return self.parted(tree)[2]

    def parted(self, tree):
        """The lower of a tree and this plus 1; whether 1 must be added to that; and the tree plus 1."""
        if tree not in self.pairs:
            other = self.reduced([tree, *map(self.plus_one, self.options[tree])])
            low = min(tree, other, key=lambda t: (self.height[t], t))
            self.pairs[tree] = low, int(low != tree), other
            self.pairs[other] = low, int(low != other), tree
        return self.pairs[tree]

    def sum(self, a, b):
        """The tree of a sum of two."""
        (a, one, _), (b, two, _) = self.parted(a), self.parted(b)
        total = self.low_sum(min(a, b), max(a, b))
        return self.plus_one(total) if one != two else total

    def low_sum(self, a, b):
        if a == 0:
            return b
        if (a, b) not in self.sums:
            self.sums[a, b] = self.reduced([self.sum(o, b) for o in self.options[a]] +
                                           [self.sum(a, o) for o in self.options[b]])
        return self.sums[a, b]


# ---------------------------------------------------------------- misère play

class Losses:
    """Lost nodes. A node is (lands, 0 or 1, trees): lands by names, trees by numbers of the lower of a pair, both sorted."""

    def __init__(self, base, any_base=False):
        self.trees, self.base, self.facts = Trees(), {}, set()
        self.losses, self.moved = {}, functools.lru_cache(1 << 16)(self.moved)
        progress = Progress("lands of the base")
        start = names_of(base)
        if not any_base and (most := max(map(lives_of, start), default=0)) > BASE_LIVES:
            raise Wrong(f"the base has a land of {most} lives; more than {BASE_LIVES} take hours, --large-base allows it")
        for land in start:
            self.tree(land, progress)

    def tree(self, land, progress):
        """The tree of a land of the base, found by playing it to its end."""
        if land not in self.base:
            for option in options(land):
                for part in option:
                    self.tree(part, progress)
            self.base[land] = self.trees.reduced({self.tree_of(option) for option in options(land)})
            progress.show(len(self.base))
        return self.base[land]

    def tree_of(self, lands):
        return functools.reduce(self.trees.sum, (self.base[land] for land in lands), 0)

    def node(self, lands, one=0, trees=()):
        """The node of a sum of lands, 0 or 1, and trees. Lands of the base become trees."""
        large, trees = [], list(trees)
        for land in lands:
            if land in self.base:
                trees.append(self.base[land])
            else:
                large.append(land)
        parts = [self.trees.parted(tree) for tree in trees]
        one = sum((part[1] for part in parts), one) % 2
        return tuple(sorted(large)), one, tuple(sorted(part[0] for part in parts if part[0] != 0))

    def size(self, node):
        """What falls with every move."""
        lands, one, trees = node
        return sum(map(lives_of, lands)) + one + sum(self.trees.height[tree] for tree in trees)

    def moved(self, land):
        """The options of a land as nodes."""
        return {self.node(option) for option in options(land)}

    def options(self, node):
        """The options of a node."""
        lands, one, trees = node
        for i, land in enumerate(lands):
            if land not in lands[:i]:
                for others, bit, more in self.moved(land):
                    yield (tuple(sorted((*lands[:i], *lands[i + 1:], *others))), one ^ bit,
                           tuple(sorted((*trees, *more))))
        if one:
            yield lands, 0, trees
        for i, tree in enumerate(trees):
            if tree not in trees[:i]:
                for option in self.trees.options[tree]:
                    yield self.node(lands, one, (*trees[:i], *trees[i + 1:], option))

    def is_lost(self, node):
        """Whether a node without lands is lost: by its tree, or played to its end."""
        _, one, trees = node
        if len(trees) < 2:
            tree = trees[0] if trees else 0
            return not self.trees.wins[self.trees.plus_one(tree) if one else tree]
        if node not in self.losses:
            self.losses[node] = not any(self.is_lost(option) for option in self.options(node))
        return self.losses[node]

    def is_won(self, node, size):
        """Whether a node is won, by facts smaller than this."""
        if not node[0]:
            return not self.is_lost(node)
        return any(option in self.facts and self.size(option) < size or not option[0] and self.is_lost(option)
                   for option in self.options(node))

    def add(self, text):
        """Takes a line of the certificate as a fact, and returns it."""
        lands, *sums = text.split(" ")
        sums = [names_of(read_position(part)) for part in sums]
        if any(land not in self.base for lands in sums for land in lands):
            raise Wrong("not all lands of a further field are in the base")
        node = self.node(names_of(read_position(lands)), 0, map(self.tree_of, sums))
        if node in self.facts:
            raise Wrong("this node is a fact before")
        self.facts.add(node)
        return node

    def check(self, node):
        """Whether the node is lost, by smaller facts."""
        if not node[0]:
            if not self.is_lost(node):
                raise Wrong("these trees are won")
            return
        size = self.size(node)
        for option in self.options(node):
            if not self.is_won(option, size):
                raise Wrong(f"the move to {shown(option[0])}, {option[1]} and {len(option[2])} trees is not answered")

    def proves(self, position, claim):
        node = self.node(names_of(position))
        if claim == "win":
            return self.is_won(node, self.size(node) + 1)
        return node in self.facts or not node[0] and self.is_lost(node)


@functools.lru_cache(1 << 18)
def lives_of(land):
    text = land.replace("|", ".")
    return sum(text.count(spot) * count for spot, count in LIVES.items()) + len(set(LETTERS.findall(text)))


def shown(lands):
    """Lands for an error message; letters are as they come here."""
    return "`" + "+".join(sorted(lands)) + "`" if lands else "`!`"


# ---------------------------------------------------------------- the certificate

class Progress:
    """How far it is, on standard error, every ten seconds."""

    def __init__(self, what):
        self.what, self.begun, self.said = what, time.monotonic(), time.monotonic()

    def show(self, done):
        if time.monotonic() - self.said > 10:
            self.said = time.monotonic()
            print(f"{done} {self.what}, {self.said - self.begun:.0f} s", file=sys.stderr, flush=True)


def lines_of(path):
    """The lines of a certificate, packed or not."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    # A packed file may swell without end; no certificate becomes so large.
    bound = (16 << 20) + 64 * os.path.getsize(path)
    with (gzip.open if packed else open)(path, "rb") as file:
        text = file.read(bound + 1)
    if len(text) > bound:
        raise Wrong("the file says more than any certificate does")
    try:
        return text.decode("ascii").splitlines()
    except UnicodeDecodeError:
        raise Wrong("this is no certificate") from None


def head(lines):
    """What the first lines say, and how many there are."""
    said = {}
    for number, line in enumerate(lines[:7]):
        key, _, value = line.partition(" ")
        if number == 0:
            if line != "sprig certificate 1":
                raise Wrong("line 1: this is no certificate, or one of another version")
            continue
        said[key] = value
        if key == "facts":
            break
    number = len(said) + 1
    keys = ["play", *(["base"] if said.get("play") == "misere" else []), "position", "claim", "facts"]
    if list(said) != keys and list(said) != ["game", *keys] or said.get("game", "sprouts") not in GAMES:
        raise Wrong("the head is not as it should be")
    claims = r"win|loss" if said["play"] == "misere" else r"win|loss|nimber [0-9]+"
    if said["play"] not in ("normal", "misere") or not re.fullmatch(claims, said["claim"]):
        raise Wrong("the play or the claim is none")
    if said["facts"] != str(len(lines) - number - 1) or not lines[-1].startswith("blake3 "):
        raise Wrong("the certificate is not complete")
    return said, number


def checked(work):
    """Checks one fact; for the processes, which know the proof."""
    number, fact = work
    try:
        PROOF.check(fact)
    except Wrong as why:
        return number, str(why)
    return number, None


def check(args):
    """Checks a certificate; says what it proves, or how many facts were looked at."""
    global PROOF, GAME
    begun = time.monotonic()
    lines = lines_of(args.file)
    said, first = head(lines)
    GAME = said.get("game", "sprouts")
    PROOF = Losses(read_position(said["base"]), args.large_base) if said["play"] == "misere" else Nimbers()
    facts, progress = [], Progress("facts read")
    for number, line in enumerate(lines[first:-1], first + 1):
        try:
            facts.append((number, PROOF.add(line)))
        except Wrong as why:
            raise Wrong(f"line {number}, `{line}`: {why}") from None
        progress.show(len(facts))
    if not PROOF.proves(read_position(said["position"]), said["claim"]):
        raise Wrong(f"`{said['claim']}` does not follow for {said['position']}")
    work = facts if args.sample is None else random.sample(facts, min(args.sample, len(facts)))
    done, progress = 0, Progress(f"of {len(work)} facts checked")
    with multiprocessing.get_context("fork").Pool(args.processes) as pool:
        for number, why in pool.imap(checked, work, chunksize=8):
            if why:
                raise Wrong(f"line {number}, `{lines[number - 1]}`: {why}")
            done += 1
            progress.show(done)
            if args.seconds and time.monotonic() - begun > args.seconds:
                break
    if done < len(facts):
        return f"not decided: no mistake in {done} of {len(facts)} facts; the others were not looked at", 2
    return f"proved: {said['position']}, {said['claim']}, {shown_game()}{said['play']} play; {len(facts)} facts", 0


def shown_game():
    return "" if GAME == "sprouts" else f"{GAME}, "


def main():
    parser = argparse.ArgumentParser(description="Checks a certificate of Sprig.")
    parser.add_argument("file")
    parser.add_argument("--processes", type=int, default=1, help="how many check facts")
    parser.add_argument("--sample", type=int, help="check only this many facts, chosen at random")
    parser.add_argument("--seconds", type=float, help="stop after so long, at the next fact")
    parser.add_argument("--large-base", action="store_true", help=f"take bases of more than {BASE_LIVES} lives")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    try:
        answer, code = check(args)
    except (Wrong, OSError, EOFError, zlib.error) as why:
        sys.exit(f"{args.file}: {why}")
    print(answer)
    sys.exit(code)


if __name__ == "__main__":
    main()
