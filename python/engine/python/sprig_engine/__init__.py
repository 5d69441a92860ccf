"""Sprouts in Python: canonical forms, moves, pictures, and the check of certificates.

A position is a text in Sprig's notation, a number of spots, or a `Position`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Literal, SupportsIndex

from . import _engine
from ._engine import MisdrawnError, NoPositionError, RefusedError, SprigError, TooDearError

__all__ = [
    "Land",
    "MisdrawnError",
    "Move",
    "NoPositionError",
    "Position",
    "Proof",
    "RefusedError",
    "SprigError",
    "TooDearError",
    "canon",
    "children",
    "draw",
    "moves",
    "read_stroke",
    "route",
    "verify",
]

Theme = Literal["light", "dark", "print"]
Point = tuple[float, float]


@dataclass(frozen=True)
class Land:
    """A part of a position that nothing joins to the rest."""

    text: str
    lives: int


@dataclass(frozen=True, order=True)
class Move:
    """A move: where it leads, in canonical form, and which curve it is, in words."""

    child: str
    words: str

    def __str__(self) -> str:
        return f"{self.words} → {self.child}"


@dataclass(frozen=True)
class Proof:
    """What a certificate proves, and what its check looked at."""

    claim: str
    position: str
    play: Literal["normal", "misere"]
    facts: int
    lives: int
    options: int
    base: str | None

    def __str__(self) -> str:
        return f"{self.position} is a {self.claim} in {self.play} play, by {self.facts} facts"


class Position:
    """A position in canonical form. Equal positions are isomorphic; a notebook shows the picture.

    Raises `NoPositionError` for a text that is no position; its `column` says where.
    """

    __slots__ = ("__dict__", "text")

    def __init__(self, position: PositionLike) -> None:
        self.text = canon(position)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Position({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __add__(self, other: Position) -> Position:
        """Both positions side by side: a move is made in one of them."""
        if not isinstance(other, Position):
            return NotImplemented
        parts = [text for text in (self.text, other.text) if text != "!"]
        return Position("+".join(parts) or "!")

    @cached_property
    def lands(self) -> tuple[Land, ...]:
        return tuple(Land(*land) for land in _engine.lands(self.text))

    @property
    def lives(self) -> int:
        """How many curve ends its spots can still take, all lands together."""
        return sum(land.lives for land in self.lands)

    @property
    def is_over(self) -> bool:
        """Whether no move is left."""
        return not self.lands

    @cached_property
    def children(self) -> tuple[Position, ...]:
        return tuple(Position(child) for child in children(self))

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(moves(self))

    def svg(self, *, theme: Theme = "light", labels: bool = True, child: PositionLike | None = None) -> str:
        return draw(self, theme=theme, labels=labels, child=child)

    def _repr_svg_(self) -> str:
        return self.svg()


PositionLike = Position | Move | str | SupportsIndex


def _text(position: PositionLike) -> str:
    match position:
        case str():
            return position
        case Position():
            return position.text
        case Move():
            return position.child
        # Numbers of other libraries are numbers of spots, too.
        case SupportsIndex() if not isinstance(position, bool):
            return f"0*{index(position)}"
    raise TypeError(f"a position is a text, a number of spots, a Position or a Move, and no {type(position).__name__}")


def canon(position: PositionLike) -> str:
    """The canonical form: equal for two positions exactly when they are isomorphic after reduction."""
    return _engine.canon(_text(position))


def children(position: PositionLike) -> list[str]:
    """The canonical forms of all positions that a move leads to, sorted, each once."""
    return _engine.children(_text(position))


def moves(position: PositionLike) -> list[Move]:
    """For each canonical child one move that leads to it, in words of the position as it is written."""
    return [Move(*move) for move in _engine.moves(_text(position))]


def draw(
    position: PositionLike, *, theme: Theme = "light", labels: bool = True, child: PositionLike | None = None
) -> str:
    """The picture of the canonical form, as SVG; with the curve of the move to a child, if one is given.

    Raises `TooDearError` where a position does not lie in the plane, or no curve is found; another `SprigError` where
    no move leads to the child.
    """
    return _engine.draw(_text(position), theme, labels, None if child is None else _text(child))


def route(position: PositionLike, child: PositionLike) -> list[Point] | None:
    """The points of a curve for the move to a child, in units of the picture's `viewBox`."""
    return _engine.route(_text(position), _text(child))


def read_stroke(position: PositionLike, points: Iterable[Sequence[float]]) -> Move:
    """Which move a curve is that is drawn into the picture of a position, in words of its canonical form.

    Raises `MisdrawnError`, which says why it is none.
    """
    return Move(*_engine.stroke(_text(position), [(float(x), float(y)) for x, y in points]))


def verify(
    certificate: bytes | str | os.PathLike[str],
    *,
    progress: Callable[[int, int], object] | None = None,
    large_base: bool = False,
) -> Proof:
    """Checks a certificate, in memory or in a file, by the oracle: slow rules that share nothing with the engine.

    `progress` is called with the facts that are checked and their number, some fifty times a second.
    A base of misère play that may take hours is refused unless `large_base` is given.
    Raises `RefusedError`, which says which line proves nothing.
    """
    if not isinstance(certificate, bytes):
        with open(certificate, "rb") as file:
            certificate = file.read()
    claim, position, play, facts, lives, options, base = _engine.verify(certificate, progress, large_base)
    return Proof(claim, position, play, facts, lives, options, base)
