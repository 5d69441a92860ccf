"""What goes on, as it goes on: server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx

from ._answers import Job, Statistics
from ._build import build
from ._retry import LOST, TIMEOUT

News = Job | Statistics
"""How a job is now, or how many facts there are."""

KINDS: dict[str, type[News]] = {"job": Job, "statistics": Statistics}

ENDED = (*LOST, httpx.ReadTimeout)
"""The stream is over. While nothing happens, the explorer says so more often than a call times out."""

ANEW = httpx.RemoteProtocolError("the explorer has ended the stream")


class Listener:
    """Makes news of the lines of a stream, and remembers what was heard last."""

    def __init__(self) -> None:
        self._heard = self._rest = ""
        self._begin()

    def _begin(self) -> None:
        self._id, self._kind, self._data = self._heard, "", ""

    def request(self, http: httpx.Client | httpx.AsyncClient, address: str) -> httpx.Request:
        """Asks for what comes next."""
        self._begin()
        self._rest = ""
        headers = {"accept": "text/event-stream"}
        if self._heard:
            headers["last-event-id"] = self._heard
        # The explorer says every 15 seconds that it is there; what a client of one's own waits for is of no matter.
        return http.build_request("GET", address + "/v1/events", headers=headers, timeout=TIMEOUT)

    def lines(self, text: str) -> Iterator[str]:
        """The lines that the text completes. They end with a line feed: what JSON may hold else does not end any."""
        self._rest += text
        *lines, self._rest = self._rest.split("\n")
        yield from lines

    def hear(self, line: str) -> News | None:
        """Takes in a line; the news that it completes."""
        name, _, text = line.partition(":")
        text = text.removeprefix(" ")
        match name:
            case "id":
                self._id = text
            case "event":
                self._kind = text
            case "data":
                self._data += text
            case "" if not line:
                return self._end()
        return None

    def _end(self) -> News | None:
        kind, data, self._heard = KINDS.get(self._kind), self._data, self._id
        self._begin()
        # Newer explorers may tell more.
        return build(kind, json.loads(data)) if kind and data else None
