"""The two clients. What they can ask is described in `_calls`, once."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, closing
from inspect import Parameter, signature
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx

from . import _calls
from ._calls import Call, Page
from ._events import ANEW, ENDED, Listener, News
from ._problems import no_address, problem_of, silence
from ._retry import LOST, TIMEOUT, Retry

P = ParamSpec("P")
T = TypeVar("T")

HOME = "http://127.0.0.1:7480"
"""Where `sprig explore` answers unless it is told otherwise."""


def _address(said: str | None) -> str:
    """The address that is meant, without the slash at its end."""
    address = said or os.environ.get("SPRIG_EXPLORER") or HOME
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise no_address(address, HOME).error()
    return address.rstrip("/")


class _Base:
    def __init__(self, address: str | None, retry: Retry | None) -> None:
        self.address = _address(address)
        self.retry = retry or Retry()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address!r})"

    def _pause(self, tried: int, ended: httpx.Response | Exception) -> float:
        """Seconds until the next try, after this many; raises what the last one came to."""
        response = ended if isinstance(ended, httpx.Response) else None
        pause = self.retry.pause(tried, response)
        if pause is not None:
            return pause
        if isinstance(ended, httpx.Response):
            raise problem_of(ended).error()
        raise silence(self.address, ended).error() from ended


def _lend(describe: Callable[..., Any], method: Any) -> None:
    """Lends a method the name, the words and the parameters of what it asks."""
    method.__name__, method.__doc__ = describe.__name__, describe.__doc__
    asked = signature(describe)
    own = Parameter("self", Parameter.POSITIONAL_ONLY)
    parameters = [own, *asked.parameters.values()]
    method.__signature__ = asked.replace(parameters=parameters, return_annotation=asked.empty)


def _sync(describe: Callable[P, Call[T]]) -> Callable[Concatenate[Client, P], T]:
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._send(describe(*args, **kwargs))

    _lend(describe, call)
    return call


def _sync_pages(describe: Callable[P, Call[Page[T]]]) -> Callable[Concatenate[Client, P], Iterator[T]]:
    def pages(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        following: Call[Page[T]] | None = describe(*args, **kwargs)
        while following:
            page = self._send(following)
            yield from page.items
            following = page.following

    _lend(describe, pages)
    return pages


def _async(describe: Callable[P, Call[T]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    async def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._send(describe(*args, **kwargs))

    _lend(describe, call)
    return call


def _async_pages(describe: Callable[P, Call[Page[T]]]) -> Callable[Concatenate[AsyncClient, P], AsyncIterator[T]]:
    async def pages(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        following: Call[Page[T]] | None = describe(*args, **kwargs)
        while following:
            page = await self._send(following)
            for item in page.items:
                yield item
            following = page.following

    _lend(describe, pages)
    return pages


class Client(_Base):
    """Asks an explorer: the one at `address`, or that of the variable SPRIG_EXPLORER, or the one on this machine.

    What cannot be answered raises a `SprigError`. `http` is for whoever needs proxies, certificates or headers.
    """

    def __init__(
        self, address: str | None = None, *, retry: Retry | None = None, http: httpx.Client | None = None
    ) -> None:
        super().__init__(address, retry)
        self._http = http or httpx.Client(timeout=TIMEOUT)

    position = _sync(_calls.position)
    moves = _sync_pages(_calls.moves)
    counts = _sync(_calls.counts)
    line = _sync(_calls.line)
    picture = _sync(_calls.picture)
    certificate = _sync(_calls.certificate)
    stroke = _sync(_calls.stroke)
    batch = _sync_pages(_calls.batch)
    lands = _sync_pages(_calls.lands)
    tree = _sync(_calls.tree)
    jobs = _sync_pages(_calls.jobs)
    job = _sync(_calls.job)
    search = _sync(_calls.search)
    workers = _sync(_calls.workers)
    statistics = _sync(_calls.statistics)

    def _send(self, call: Call[T]) -> T:
        tried = 0
        while True:
            tried += 1
            try:
                ended: httpx.Response | Exception = self._http.send(call.request(self._http, self.address))
            except LOST as lost:
                ended = lost
            if isinstance(ended, httpx.Response) and ended.is_success:
                return call.read(ended, self.address)
            time.sleep(self._pause(tried, ended))

    def events(self) -> Iterator[News]:
        """What goes on, without an end: how everything is, then every job and the number of facts whenever they change.

        Goes on where it was when the connection is lost.
        """
        listener, tried = Listener(), 0
        while True:
            ended: httpx.Response | Exception = ANEW
            try:
                response = self._http.send(listener.request(self._http, self.address), stream=True)
                with closing(response):
                    if not response.is_success:
                        response.read()
                        ended = response
                    else:
                        for text in response.iter_text():
                            # That nothing happens is news enough of the explorer.
                            tried = 0
                            for line in listener.lines(text):
                                if news := listener.hear(line):
                                    yield news
            except ENDED as lost:
                ended = lost
            tried += 1
            time.sleep(self._pause(tried, ended))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(_Base):
    """The same as `Client`, for asyncio: answers are awaited, and iterators are asynchronous."""

    def __init__(
        self, address: str | None = None, *, retry: Retry | None = None, http: httpx.AsyncClient | None = None
    ) -> None:
        super().__init__(address, retry)
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT)

    position = _async(_calls.position)
    moves = _async_pages(_calls.moves)
    counts = _async(_calls.counts)
    line = _async(_calls.line)
    picture = _async(_calls.picture)
    certificate = _async(_calls.certificate)
    stroke = _async(_calls.stroke)
    batch = _async_pages(_calls.batch)
    lands = _async_pages(_calls.lands)
    tree = _async(_calls.tree)
    jobs = _async_pages(_calls.jobs)
    job = _async(_calls.job)
    search = _async(_calls.search)
    workers = _async(_calls.workers)
    statistics = _async(_calls.statistics)

    async def _send(self, call: Call[T]) -> T:
        tried = 0
        while True:
            tried += 1
            try:
                ended: httpx.Response | Exception = await self._http.send(call.request(self._http, self.address))
            except LOST as lost:
                ended = lost
            if isinstance(ended, httpx.Response) and ended.is_success:
                return call.read(ended, self.address)
            await asyncio.sleep(self._pause(tried, ended))

    async def events(self) -> AsyncIterator[News]:
        """What goes on, without an end: how everything is, then every job and the number of facts whenever they change.

        Goes on where it was when the connection is lost.
        """
        listener, tried = Listener(), 0
        while True:
            ended: httpx.Response | Exception = ANEW
            try:
                response = await self._http.send(listener.request(self._http, self.address), stream=True)
                async with aclosing(response):
                    if not response.is_success:
                        await response.aread()
                        ended = response
                    else:
                        async for text in response.aiter_text():
                            tried = 0
                            for line in listener.lines(text):
                                if news := listener.hear(line):
                                    yield news
            except ENDED as lost:
                ended = lost
            tried += 1
            await asyncio.sleep(self._pause(tried, ended))

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
