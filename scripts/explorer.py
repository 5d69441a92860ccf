"""A plugin of pytest for tests of the explorer: a small database, and a real `sprig explore` that reads it."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def explorer(program: Path, environment: dict[str, str], *options: str | Path) -> Iterator[str]:
    """Where an explorer answers that is started with these options."""
    command = [program, "explore", *options, "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found, f"the explorer does not say where it is, but: {said}"
        yield found[0]
        process.terminate()
        assert process.wait(10) == 0, "the explorer did not end well"


@pytest.fixture(scope="session")
def address(sprig: Path, environment: dict[str, str], database: Path) -> Iterator[str]:
    """Where an explorer of this database answers."""
    with explorer(sprig, environment, "--db", database) as found:
        yield found


@pytest.fixture
def black_and_white(sprig: Path, environment: dict[str, str], database: Path) -> Iterator[str]:
    """Where an explorer of black-and-white Sprouts answers."""
    with explorer(sprig, environment, "--db", database, "--variant", "black-and-white") as found:
        yield found
