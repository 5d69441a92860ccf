"""The same calls, awaited."""

import asyncio
import inspect

from sprig_client import AsyncClient, Client, Position


def test_both_clients_answer_the_same(address: str) -> None:
    async def ask() -> tuple[object, ...]:
        async with AsyncClient(address) as sprig:
            position, line, picture = await asyncio.gather(sprig.position(5), sprig.line(3), sprig.picture(4))
            moves = [move async for move in sprig.moves(5, page=2)]
            batch = [found async for found in sprig.batch([2, "x", 3])]
            return position, line, picture, moves, batch

    with Client(address) as sprig:
        position, line, picture = sprig.position(5), sprig.line(3), sprig.picture(4)
        assert asyncio.run(ask()) == (position, line, picture, list(sprig.moves(5)), list(sprig.batch([2, "x", 3])))


def test_many_can_be_asked_at_once(address: str) -> None:
    async def ask() -> list[Position]:
        async with AsyncClient(address) as sprig:
            return await asyncio.gather(*(sprig.position(2 + number % 7) for number in range(200)))

    assert {found.canonical for found in asyncio.run(ask())} == {f"0*{spots}" for spots in range(2, 9)}


def test_both_clients_have_the_same_calls() -> None:
    for name in (
        "position",
        "moves",
        "counts",
        "line",
        "picture",
        "certificate",
        "stroke",
        "batch",
        "lands",
        "tree",
        "jobs",
        "job",
        "search",
        "workers",
        "statistics",
    ):
        one, other = getattr(Client, name), getattr(AsyncClient, name)
        assert inspect.signature(one) == inspect.signature(other) and one.__doc__ == other.__doc__
        assert next(iter(inspect.signature(one).parameters)) == "self"
    assert Client.events.__doc__ == AsyncClient.events.__doc__
