"""What is said instead of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Problem:
    """Why there is no answer (RFC 9457)."""

    kind: str
    """Its name, as `/about` of the explorer lists them: `no-position`, `too-dear`, .."""
    status: int
    title: str
    detail: str
    """What is wrong here."""
    remedy: str
    """What to do about it."""
    column: int | None = None
    """Where it is in the text of the position, counted from 1."""
    position: str | None = None
    """Which position of a batch it is about."""

    @classmethod
    def read(cls, found: dict[str, Any], position: str | None = None) -> Problem:
        kind = found["type"].rpartition("#")[2]
        title, detail, remedy = found["title"], found["detail"], found["remedy"]
        return cls(kind, found["status"], title, detail, remedy, found.get("column"), position)

    def __str__(self) -> str:
        return f"{self.detail}; {self.remedy}"

    def error(self) -> SprigError:
        """The exception that says so."""
        return ERRORS.get(self.kind, SprigError)(self)


class SprigError(Exception):
    """There is no answer. `problem` says why, and what to do about it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return str(self.problem)

    @property
    def column(self) -> int | None:
        return self.problem.column

    @property
    def remedy(self) -> str:
        return self.problem.remedy


class NoPositionError(SprigError):
    """The text is no position. `column` says where."""


class MisdrawnError(SprigError):
    """A curve is no move."""


class TooDearError(SprigError):
    """The answer takes more than the explorer spends on one."""


class BusyError(SprigError):
    """Too many ask at once, also after some tries."""


class UnreachableError(SprigError):
    """Nobody answers at this address, also after some tries, or it is no address."""


ERRORS: dict[str, type[SprigError]] = {
    "no-position": NoPositionError,
    "misdrawn": MisdrawnError,
    "too-dear": TooDearError,
    "busy": BusyError,
    "unreachable": UnreachableError,
}


def problem_of(response: httpx.Response) -> Problem:
    """The problem that a response is."""
    if response.headers.get("content-type", "").startswith("application/problem+json"):
        return Problem.read(response.json())
    # Something between us and the explorer said this.
    kind = {429: "busy", 502: "unreachable", 503: "busy", 504: "unreachable"}.get(response.status_code, "failed")
    detail = f"{response.url} answers {response.status_code} {response.reason_phrase}"
    remedy = "see whether the explorer runs there (`sprig explore`), and what stands before it"
    return Problem(kind, response.status_code, response.reason_phrase, detail, remedy)


def silence(address: str, error: Exception) -> Problem:
    """The problem that nobody answers."""
    detail, remedy = f"{address} does not answer: {error}", "start `sprig explore`, or mend the address"
    return Problem("unreachable", 502, "The explorer does not answer", detail, remedy)


def no_address(address: str, example: str) -> Problem:
    """The problem that nobody can be asked at such an address."""
    detail, remedy = f"`{address}` is no address of an explorer", f"write http:// or https:// and a host: {example}"
    return Problem("unreachable", 502, "This is no address", detail, remedy)
