"""A plugin of pytest for tests of the explorer: a small database, and a real `sprig explore` that reads it."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

SOLVED = range(2, 9)
"""The start positions whose winner is proved."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sprig", metavar="PROGRAM", required=True, help="the sprig program to test")


@pytest.fixture(scope="session")
def sprig(pytestconfig: pytest.Config) -> Path:
    """The program under test."""
    program = Path(pytestconfig.getoption("--sprig")).resolve()
    if not os.access(program, os.X_OK):
        pytest.exit(f"{program} is no program; build it with `cargo build --release -p sprig`", returncode=2)
    return program


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings that leave those of the user alone."""
    ours = {name: text for name, text in os.environ.items() if not name.startswith("SPRIG_")}
    home = str(tmp_path_factory.mktemp("home"))
    return ours | {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}


@pytest.fixture(scope="session")
def database(sprig: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that knows who wins small start positions."""
    folder = tmp_path_factory.mktemp("facts") / "db"
    positions = [f"0*{spots}" for spots in SOLVED]
    # One thread finds the same in every run.
    solve = [sprig, "solve", *positions, "--nimber", "--threads", "1", "--db", folder, "--progress", "none"]
    subprocess.run(solve, env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def address(sprig: Path, environment: dict[str, str], database: Path) -> Iterator[str]:
    """Where an explorer of this database answers."""
    command = [sprig, "explore", "--db", database, "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as explorer:
        assert explorer.stderr is not None
        said = explorer.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found, f"the explorer does not say where it is, but: {said}"
        yield found[0]
        explorer.terminate()
        assert explorer.wait(10) == 0, "the explorer did not end well"
