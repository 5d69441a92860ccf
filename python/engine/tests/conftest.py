"""The program that the engine is compared with."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sprig", metavar="PROGRAM", required=True, help="the sprig program to compare with")


@pytest.fixture(scope="session")
def program(pytestconfig: pytest.Config) -> Path:
    return Path(pytestconfig.getoption("--sprig")).resolve()
