"""A client of the explorer that `scripts/explorer.py` starts."""

from collections.abc import Iterator

import pytest

from sprig_client import Client


@pytest.fixture
def sprig_client(address: str) -> Iterator[Client]:
    with Client(address) as client:
        yield client
