"""What can be asked: the one description of the calls, for both clients."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import index
from typing import Any, Generic, Literal, SupportsIndex, TypeVar
from urllib.parse import quote

import httpx

from ._answers import (
    Counts,
    Job,
    JobWithHistory,
    LandNimber,
    Line,
    Move,
    Play,
    Position,
    Sight,
    Statistics,
    Step,
    Stroke,
    Tree,
    Workers,
)
from ._build import build
from ._problems import Problem

T = TypeVar("T")

At = str | SupportsIndex | Position | Move | Step
"""A position: a text in notation, a number of spots, what is known of one, or a move that leads to one."""
Points = Iterable[tuple[float, float]]

AT_ONCE, LETTERS = 100, 50_000
"""Positions of a batch in one request, and their letters: fewer than the explorer takes, so that answers come soon."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and how its answer is read. It is given the address of the explorer, for links."""

    path: str
    read: Callable[[httpx.Response, str], T]
    params: dict[str, str | int] = field(default_factory=dict)
    content: str | None = None

    def request(self, http: httpx.Client | httpx.AsyncClient, address: str) -> httpx.Request:
        method = "GET" if self.content is None else "POST"
        return http.build_request(method, address + self.path, params=self.params or None, content=self.content)


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some of many answers, and the call for the next."""

    items: list[T]
    following: Call[Page[T]] | None


def position(position: At, *, play: Play = "normal") -> Call[Position]:
    """What is known of a position."""
    return Call(_path(position), lambda response, address: _position(response.json(), address), {"play": play})


def moves(position: At, *, play: Play = "normal", page: int = 100) -> Call[Page[Move]]:
    """Every move with its value, the best first. They are fetched this many at a time, as they are needed."""
    return Call(_path(position) + "/moves", _moves, {"play": play, "limit": page})


def counts(position: At, *, play: Play = "normal") -> Call[Counts]:
    """How many moves win, of how many nothing is known, and how many lose."""
    params: dict[str, str | int] = {"play": play, "limit": 1}
    return Call(_path(position) + "/moves", lambda response, _: build(Counts, response.json()["counts"]), params)


def line(position: At, *, play: Play = "normal") -> Call[Line]:
    """The best move, the best answer and so on."""
    return Call(_path(position) + "/line", lambda response, _: build(Line, response.json()), {"play": play})


def picture(position: At, *, theme: Literal["light", "dark", "print"] = "light", labels: bool = True) -> Call[str]:
    """The picture of its canonical form, as SVG."""
    look: dict[str, str | int] = {"theme": theme, "labels": "on" if labels else "off"}
    return Call(_path(position) + "/picture.svg", lambda response, _: response.text, look)


def certificate(position: At, *, play: Play = "normal") -> Call[bytes]:
    """The proof of who wins, as a file that `sprig verify` checks: text packed by gzip."""
    return Call(_path(position) + "/certificate", lambda response, _: response.content, {"play": play})


def stroke(position: At, points: Points) -> Call[Stroke]:
    """Which move a curve is that is drawn along these points, in units of the picture's viewBox."""
    text = ";".join(f"{x:.2f},{y:.2f}" for x, y in points)
    return Call(_path(position) + "/stroke", lambda response, _: build(Stroke, response.json()), {"points": text})


def batch(positions: Iterable[At], *, play: Play = "normal") -> Call[Page[Position | Problem]]:
    """What is known of many positions, in their order; a `Problem` stands for what is none."""
    return _batch(iter(positions), play)


def _batch(positions: Iterator[At], play: Play) -> Call[Page[Position | Problem]]:
    texts: list[str] = []
    for each in positions:
        texts.append(_text(each))
        if len(texts) == AT_ONCE or sum(map(len, texts)) > LETTERS:
            break

    def read(response: httpx.Response, address: str) -> Page[Position | Problem]:
        found = [_in_batch(json.loads(line), address) for line in response.text.split("\n") if line]
        return Page(found, _batch(positions, play) if texts else None)

    return Call("/v1/positions:batch", read, {"play": play}, "".join(text + "\n" for text in texts))


def _in_batch(found: dict[str, Any], address: str) -> Position | Problem:
    if "problem" in found:
        return Problem.read(found["problem"], found["position"])
    return _position(found, address)


def lands(*, prefix: str = "", nimber: int | None = None, page: int = 100) -> Call[Page[LandNimber]]:
    """Lands whose nimbers are verified, in the order of their keys: all, of a nimber, or whose texts begin so."""
    wanted: dict[str, str | int] = {"prefix": prefix, "limit": page}
    return Call("/v1/lands", _lands, wanted if nimber is None else wanted | {"nimber": nimber})


def tree(key: str) -> Call[Tree]:
    """A reduced canonical tree, by its key of 32 hexadecimal digits."""
    return Call("/v1/trees/" + quote(key, safe=""), lambda response, _: build(Tree, response.json()))


def jobs(*, owner: str = "", label: str = "", page: int = 50) -> Call[Page[Job]]:
    """What was submitted, the latest first: all, of an owner, or with a label."""
    said = {"owner": owner, "label": label}
    wanted: dict[str, str | int] = {name: value for name, value in said.items() if value}
    return Call("/v1/jobs", _jobs, wanted | {"limit": page})


def job(number: int) -> Call[JobWithHistory]:
    """A job, and what happened to it."""
    return Call(f"/v1/jobs/{number}", lambda response, _: build(JobWithHistory, response.json()))


def search(number: int, at: At | None = None, *, heap: int = 0, limit: int = 20) -> Call[Sight]:
    """What the searches of a job see of a position beside a heap, or of what each works at.

    Only where the explorer asks a coordinator.
    """
    place: dict[str, str | int] = {} if at is None else {"at": _text(at), "heap": heap}
    return Call(
        f"/v1/jobs/{number}/search", lambda response, _: build(Sight, response.json()), place | {"limit": limit}
    )


def workers() -> Call[Workers]:
    """Who works at the moment, and who is banned."""
    return Call("/v1/workers", lambda response, _: build(Workers, response.json()))


def statistics() -> Call[Statistics]:
    """How many facts there are."""
    return Call("/v1/statistics", lambda response, _: build(Statistics, response.json()))


def _lands(response: httpx.Response, _: str) -> Page[LandNimber]:
    found = response.json()
    following: Call[Page[LandNimber]] | None = Call(found["next"], _lands) if found["next"] else None
    return Page([build(LandNimber, each) for each in found["lands"]], following)


def _jobs(response: httpx.Response, _: str) -> Page[Job]:
    found = response.json()
    following: Call[Page[Job]] | None = Call(found["next"], _jobs) if found["next"] else None
    return Page([build(Job, each) for each in found["jobs"]], following)


def _position(found: dict[str, Any], address: str) -> Position:
    links = {name: address + path for name, path in found["links"].items()}
    return build(Position, found | {"links": links})


def _moves(response: httpx.Response, _: str) -> Page[Move]:
    found = response.json()
    following: Call[Page[Move]] | None = Call(found["next"], _moves) if found["next"] else None
    return Page([build(Move, each) for each in found["moves"]], following)


def _text(position: At) -> str:
    match position:
        case str():
            if not position.strip() or "\n" in position:
                wrong = f"a position is one line of text, and not {position!r}; the empty position is written '!'"
                raise ValueError(wrong)
            return position
        case Position():
            return position.written
        case Move() | Step():
            return position.child
        # Numbers of other libraries are numbers of spots, too.
        case SupportsIndex() if not isinstance(position, bool):
            return f"0*{index(position)}"
    kind = type(position).__name__
    raise TypeError(f"a position is a text, a number of spots, a Position, a Move or a Step, and no {kind}")


def _path(position: At) -> str:
    text = _text(position)
    # Two dots alone would lead out of the folder.
    return "/v1/positions/" + (quote(text, safe="*+!~") if text.strip(".") else quote(text).replace(".", "%2E"))
