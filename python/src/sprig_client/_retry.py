"""When a call is tried again. All calls read, so that each may be made twice."""

from __future__ import annotations

import random
from dataclasses import dataclass

import httpx

AGAIN = frozenset({429, 502, 503, 504})
# The explorer spends up to 60 seconds on a batch.
TIMEOUT = httpx.Timeout(70, connect=5)
LOST = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout)
"""The connection came to nothing. An explorer that takes longer than the time-out will do so again."""


@dataclass(frozen=True)
class Retry:
    """How often a call is tried in all, and the seconds between: doubled each time, up to a longest."""

    tries: int = 5
    first: float = 0.25
    longest: float = 10.0

    def pause(self, tried: int, response: httpx.Response | None) -> float | None:
        """Seconds until the next try, after this many; None where it is not to be tried again."""
        if tried >= self.tries or (response is not None and response.status_code not in AGAIN):
            return None
        said = response.headers.get("retry-after", "") if response is not None else ""
        if said.isdigit():
            return min(float(said), self.longest)
        # Those who were sent away together do not come back together.
        return min(self.first * 2.0 ** (tried - 1), self.longest) * random.uniform(0.5, 1.0)
