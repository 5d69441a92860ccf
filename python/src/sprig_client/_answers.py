"""What the explorer answers. Every field is one of its JSON, where `/v1/openapi.json` describes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Literal

import httpx

Play = Literal["normal", "misere"]
"""Whether the player who cannot move loses, or wins."""
Outcome = Literal["win", "loss"]
"""For the player to move."""


@dataclass(frozen=True)
class Origin:
    """Who found a fact, and when."""

    worker: str
    build: str
    job: int | None
    unix_millis: int

    @property
    def time(self) -> datetime:
        return datetime.fromtimestamp(self.unix_millis / 1000, timezone.utc)


@dataclass(frozen=True)
class Land:
    """One of the independent games that a position consists of."""

    land: str
    nimber: int | None
    excluded: tuple[int, ...]
    """Nimbers that it is known not to have."""
    tree: str | None
    """The key of its reduced canonical tree, in misère play."""
    claimed: str | None
    """What is merely claimed of it, and not checked."""
    origin: Origin | None


@dataclass(frozen=True)
class Claims:
    """What would be known if claims were believed."""

    outcome: Outcome | None
    nimber: int | None


@dataclass(frozen=True)
class Counts:
    """How many moves there are, by what they do for the player who makes them."""

    winning: int
    unknown: int
    losing: int

    @property
    def total(self) -> int:
        return self.winning + self.unknown + self.losing


@dataclass(frozen=True)
class Links:
    """Where more is to be found."""

    page: str
    """The page for people."""
    moves: str
    line: str
    picture: str


@dataclass(frozen=True)
class Asked:
    """What every answer about a position begins with."""

    position: str
    """The position as it was asked for."""
    written: str
    """The position as it was read; the words of moves are about it."""
    canonical: str
    """Equal for two positions exactly where they are the same game."""
    play: Play
    outcome: Outcome | None
    """For the player to move; None where it is not known."""
    nimber: int | None
    """In normal play."""


@dataclass(frozen=True)
class Position(Asked):
    """What is known of a position. A notebook shows it as a picture."""

    lives: int
    lands: tuple[Land, ...]
    claimed: Claims | None
    links: Links

    def __str__(self) -> str:
        outcome = f"{self.outcome} for the player to move" if self.outcome else "it is not known who wins"
        nimber = "" if self.nimber is None else f", nimber {self.nimber}"
        return f"{self.canonical}: {outcome}{nimber}" + (" (misère play)" if self.play == "misere" else "")

    def _repr_svg_(self) -> str | None:
        # Notebooks do not wait for coroutines, and show what a client that is closed has found.
        try:
            return httpx.get(self.links.picture).raise_for_status().text
        except httpx.HTTPError:
            return None


@dataclass(frozen=True)
class SharedCourse:
    """The course of a curve that separates two sides."""

    genus: tuple[int, int]
    """Of the first side and of the second."""
    turned: tuple[int, ...]
    """Boundaries that are read in their other direction from now on."""


@dataclass(frozen=True)
class OpenCourse:
    """The course of a curve whose ends are on one boundary, and that separates nothing."""

    one_sided: bool
    """Whether it runs through an odd number of cross-caps."""
    genus: int
    """What is left."""
    turned: tuple[int, ...]
    """Boundaries that are read in their other direction from now on."""


@dataclass(frozen=True)
class Course:
    """How a curve runs over handles and through cross-caps: one of these.

    A genus counts handles, or below 0 cross-caps.
    """

    shared: SharedCourse | None = None
    open: OpenCourse | None = None


@dataclass(frozen=True)
class Curve:
    """A curve in a written position. Everything is counted from 0 through its text."""

    region: int
    begin: tuple[int, int] = field(metadata={"key": "from"})
    """The boundary, and the place in it."""
    end: tuple[int, int] = field(metadata={"key": "to"})
    along: tuple[int, ...]
    """The boundaries on one side of it."""
    course: Course | Literal["crossed"] | None = None
    """How it runs over handles and through cross-caps; `crossed` if it joins two boundaries through one, None if it
    meets none, and all of them stay on its second side."""
    without_spot: bool = False
    """Whether its new spot is left out, as black-and-white Sprouts allows."""


@dataclass(frozen=True)
class Move:
    """A move, and what is known of the position it leads to."""

    words: str = field(metadata={"key": "move"})
    """The curve, in words of the position as it was written."""
    child: str
    """The canonical form of where it leads."""
    drawn: str | None
    """What it makes of the written position, where that is another one with the same game tree."""
    outcome: Outcome | None
    """For the opponent, who moves next: a move to a loss wins."""
    nimber: int | None
    tree: str | None
    length: int | None
    """Moves that are left after it when the winner hurries and the loser resists."""
    status: Literal["verified", "claimed"] | None
    source: Literal["database", "cluster", "here"] | None
    witness: Curve

    def __str__(self) -> str:
        return f"{self.words} → {self.child}"


@dataclass(frozen=True)
class Step:
    """A move of a best line."""

    written: str
    """The position before it."""
    words: str = field(metadata={"key": "move"})
    child: str
    outcome: Outcome | None
    nimber: int | None
    length: int | None

    def __str__(self) -> str:
        return f"{self.words} → {self.child}"


@dataclass(frozen=True)
class Line(Asked):
    """The best move, the best answer and so on."""

    ended: bool
    """Whether it leads to the end of the game."""
    steps: tuple[Step, ...] = field(metadata={"key": "line"})


@dataclass(frozen=True)
class Stroke:
    """Which move a curve is that is drawn into a picture."""

    canonical: str
    child: str
    words: str = field(metadata={"key": "move"})


@dataclass(frozen=True)
class LandNimber:
    """A land whose nimber is verified."""

    land: str
    nimber: int
    origin: Origin | None

    def __str__(self) -> str:
        return f"{self.land}: nimber {self.nimber}"


@dataclass(frozen=True)
class Tree:
    """A reduced canonical tree."""

    tree: str
    """Its key."""
    plus_one: bool
    """It is another tree plus 1; the options are those of that other tree."""
    options: tuple[str, ...]
    """Keys, sorted."""
    rct: str | None
    """The tree as nested sets, with Nim-heaps as numbers, if that is short and all of it is known."""
    origin: Origin | None


@dataclass(frozen=True)
class Job:
    """What somebody has asked of a cluster."""

    id: int
    position: str
    question: str
    """`outcome`, `outcome with heap N`, `nimber` or `misere outcome`."""
    priority: int
    """Jobs of higher priority go first."""
    state: str
    """`running`, `waiting`, `paused`, `done`, `cancelled` or `failed`, that with its reason."""
    outcome: Outcome | None
    nimber: int | None
    expansions: int
    facts: int
    """Of ended jobs this is not kept."""
    proof: int
    disproof: int
    workers: int
    """Workers that work for it now."""
    seconds: float
    """Working time."""
    waiting: str | None
    """Why nobody works for it, if it is running and nobody does."""
    reason: str | None = None
    """The same in a word, as in `worker`, `behind` or `budget`; none from explorers of earlier versions."""
    owner: str | None = None
    """Who has submitted it."""
    label: str | None = None
    """What its owner calls it, together with others."""
    in_turn: bool = False
    """Whether it belongs to a campaign, and waits for the smaller jobs with its label."""
    core_seconds: float = 0.0
    """Core time that it has taken."""
    budget: float | None = None
    """Core time that it may take, in seconds; None: as much as it needs."""
    deadline: int | None = None
    """When it stops, in milliseconds of Unix time; None: when it is answered."""

    def __str__(self) -> str:
        return f"job {self.id}: {self.question} of {self.position}, {self.state}"


@dataclass(frozen=True)
class Event:
    """Something that happened to a job."""

    unix_millis: int
    event: str
    detail: str

    @property
    def time(self) -> datetime:
        return datetime.fromtimestamp(self.unix_millis / 1000, timezone.utc)


@dataclass(frozen=True)
class JobWithHistory(Job):
    """A job, and what happened to it."""

    history: tuple[Event, ...] | None = None
    """In order; None where a coordinator is asked."""


@dataclass(frozen=True)
class Branch:
    """A place of the tree of a search, and what the search guesses of it."""

    place: str
    """A position, `POSITION + *HEAP`, or a node of misère play."""
    position: str | None
    heap: int | None
    proof: int
    """Work left to prove that the player to move wins, as it seems."""
    disproof: int
    """Work left to prove that the player to move loses, as it seems."""
    walks: int
    """Threads of the search that are at work there."""


@dataclass(frozen=True)
class View:
    """What a search sees of a place."""

    at: Branch
    line: tuple[Branch, ...]
    """Where the search goes from there."""
    options: tuple[Branch, ...]
    """The first open options in the order of the search."""
    open: int
    """How many options are open."""


@dataclass(frozen=True)
class Looker:
    """A worker of a job, and what it sees."""

    id: str
    name: str
    at: str
    """What it works at."""
    wish: int | None
    """The wish that has sent it there."""
    expansions: int
    age: int
    """How long ago it said so, in milliseconds."""
    view: View | None
    """None if it has not come there, knows the answer, or did not answer in time."""


@dataclass(frozen=True)
class Wish:
    """Where somebody wants the searches of a job to go."""

    number: int
    kind: str
    """`pin`, `boost` or `ban`."""
    position: str
    heap: int
    by: str | None
    made: int
    """When, in milliseconds of Unix time."""
    until: int | None
    """When it ends, in milliseconds of Unix time; None: when its place is decided."""
    expansions: int
    end: str | None
    """How it ended; None while it holds."""


@dataclass(frozen=True)
class Sight:
    """A job with its wishes, and what each of its workers sees."""

    job: Job
    wishes: tuple[Wish, ...]
    workers: tuple[Looker, ...]


@dataclass(frozen=True)
class Worker:
    """Who works at the moment."""

    id: str
    name: str
    build: str
    threads: int
    job: int | None
    """The job it works for."""
    expansions: int
    """Since it started."""
    facts: int


@dataclass(frozen=True)
class Ban:
    """Somebody who is not listened to any more."""

    name: str
    proved: bool
    """Whether the name was proved, by a token or certificate."""
    unix_millis: int = field(metadata={"key": "time"})
    reason: str
    claim: str | None
    """The claim that was found out, if it was one."""


@dataclass(frozen=True)
class Workers:
    """Who is connected. None where a database is read: nobody is connected to one."""

    workers: tuple[Worker, ...] | None
    bans: tuple[Ban, ...] | None


@dataclass(frozen=True)
class ByKind:
    """Facts of each kind."""

    nimbers: int
    """Nimbers of lands, in normal play."""
    trees: int
    """Reduced canonical trees."""
    rcts: int
    """Trees of lands, in misère play."""
    losses: int
    """Sums that are lost in misère play."""


@dataclass(frozen=True)
class Statistics:
    """How many facts there are."""

    source: Literal["database", "cluster"]
    facts: int
    """In all, also those that are merely claimed."""
    verified: ByKind | None
    """None where a coordinator is asked."""
    claimed: ByKind | None
    workers: int | None
    """Who is connected; None where a database is read."""
    drained: bool | None
    """Nothing is granted until somebody says so."""
    suspended: bool | None
    """Nobody works, as every claim is being looked at."""
