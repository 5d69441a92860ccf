"""What goes on, heard from real processes that come and go."""

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sprig_client import AsyncClient, Client, Job, News, Retry, Statistics
from sprig_client._events import Listener

QUICK = Retry(tries=40, first=0.05, longest=0.5)


@contextmanager
def process(command: list[str | Path], environment: dict[str, str], says: str) -> Iterator[str]:
    """A process that says where it is."""
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        try:
            yield next(found[1] for line in running.stderr if (found := re.search(says, line)))
        finally:
            running.kill()


def test_a_job_is_told_as_it_goes_on(sprig: Path, environment: dict[str, str], tmp_path: Path) -> None:
    coordinator: list[str | Path] = [sprig, "coordinator", "--db", tmp_path / "db", "--listen", "127.0.0.1:0"]
    with process(coordinator, environment, r"(http://[\d.:]+)") as cluster:
        explorer: list[str | Path] = [sprig, "explore", "--coordinator", cluster, "--listen", "127.0.0.1:0"]
        with process(explorer, environment, r"(http://[\d.:]+)") as address, Client(address, retry=QUICK) as client:
            heard = client.events()
            assert isinstance(next(heard), Statistics)
            told: list[News] = []
            with process([sprig, "worker", "--coordinator", cluster], environment, "(connected)"):
                submit: list[str | Path] = [sprig, "submit", "0*7", "--coordinator", cluster, "--json"]
                answer = subprocess.run(submit, env=environment, check=True, stdout=subprocess.PIPE)
                job = json.loads(answer.stdout)["job"]
                while not (told and isinstance(told[-1], Job) and told[-1].state == "done"):
                    told.append(next(heard))
            last = told[-1]
            assert isinstance(last, Job) and (last.id, last.position, last.outcome) == (job, "0*7", "loss")
            counts = [news.facts for news in told if isinstance(news, Statistics)]
            assert counts == sorted(counts)


def test_it_goes_on_when_the_explorer_comes_back(sprig: Path, environment: dict[str, str], database: Path) -> None:
    command: list[str | Path] = [sprig, "explore", "--db", database, "--listen"]
    with process([*command, "127.0.0.1:0"], environment, r"(http://[\d.:]+)") as address:
        client = Client(address, retry=QUICK)
        heard = client.events()
        before = next(heard)
        assert isinstance(before, Statistics) and before.verified
    with client, process([*command, address.removeprefix("http://")], environment, r"(http://[\d.:]+)"):
        # Another process: it tells anew how everything is. What was on its way may come first.
        assert any(news == before for _, news in zip(range(50), heard, strict=False))


def test_both_clients_hear_the_same(address: str) -> None:
    async def hear() -> News:
        async with AsyncClient(address) as sprig:
            async for news in sprig.events():
                return news
        raise AssertionError

    with Client(address) as sprig:
        assert asyncio.run(hear()) == next(sprig.events())


@pytest.mark.parametrize("ended", ["", "id: 7-3\n", "id: 7-3\nevent: job\ndata: {"])
def test_half_an_event_is_none(ended: str) -> None:
    listener = Listener()
    whole = 'id: 7-2\nevent: unheard-of\ndata: {"x": 1}\n\n: here\n\n'
    texts = [(whole + ended)[at : at + 5] for at in range(0, len(whole + ended), 5)]
    assert not any(listener.hear(line) for text in texts for line in listener.lines(text))
    with Client() as sprig:
        assert listener.request(sprig._http, "http://x").headers["last-event-id"] == "7-2"


def test_a_line_ends_with_a_line_feed_and_nothing_else() -> None:
    assert list(Listener().lines('data: {"x": "a\u2028b\u0085c"}\n')) == ['data: {"x": "a\u2028b\u0085c"}']
