"""The commands of README.md, and what they make."""

import base64
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from manifests import HERE, Manifest

MADE = "made.yaml"
"""Where `kubectl` writes down what it would make."""

Command = Callable[[str], str]


def block(text: str) -> str:
    """The commands of README.md among which this text stands."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (HERE / "README.md").read_text(), re.M | re.S)
    (found,) = (commands for commands in blocks if text in commands)
    return found


def run(commands: str, folder: Path, environment: dict[str, str]) -> str:
    """What commands of a person write, in a folder of theirs."""
    shell = ["bash", "-euo", "pipefail", "-c", commands]
    done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{commands}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def person(sprig: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings of somebody who has `sprig`, and a `kubectl` that notes what it would make: there is no cluster."""
    programs = tmp_path_factory.mktemp("programs")
    (programs / "sprig").symlink_to(sprig)
    kubectl = programs / "kubectl"
    real = subprocess.run(["which", "kubectl"], check=True, capture_output=True, text=True).stdout.strip()
    kubectl.write_text(f'#!/bin/sh\necho --- >> {MADE}\n{real} "$@" --dry-run=client --output=yaml >> {MADE}\n')
    kubectl.chmod(0o755)
    return environment | {"PATH": f"{programs}:{os.environ['PATH']}", "KUBECONFIG": "/dev/null"}


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a person keeps the secrets."""
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="session")
def secrets(person: dict[str, str], desk: Path) -> dict[str, dict[str, bytes]]:
    """The secrets that the commands of README.md make."""
    run(block("sprig-seal"), desk, person)
    made = [secret for secret in yaml.safe_load_all((desk / MADE).read_text()) if secret]
    assert all(secret["kind"] == "Secret" for secret in made)

    def held(secret: Manifest) -> dict[str, bytes]:
        return {key: base64.b64decode(text) for key, text in secret["data"].items()}

    return {secret["metadata"]["name"]: held(secret) for secret in made}


@pytest.fixture
def sprig_says(person: dict[str, str], desk: Path) -> Command:
    """What `sprig` writes for the person who has made the secrets, as README.md has them ask."""
    settings = next(line for line in block("sprig submit").splitlines() if line.startswith("export "))
    return lambda command: run(f"{settings}; sprig {command}", desk, person)
