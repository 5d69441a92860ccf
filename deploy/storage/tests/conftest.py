"""A server that speaks S3, and the program that sends backups there."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import boto3
import pytest

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-central-1"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sprig", required=True, help="the program")


@dataclass
class Sprig:
    """The program, with the settings of somebody who has keys for the storage."""

    program: str
    environment: dict[str, str]

    def __call__(self, *arguments: object, code: int = 0, **environment: str) -> str:
        """What it writes; its complaint where it is to fail with another code."""
        command = [self.program, *map(str, arguments)]
        settings = self.environment | environment
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == code, f"{command}: {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout if code == 0 else done.stderr

    def json(self, *arguments: object, **environment: str) -> dict:
        return json.loads(self(*arguments, "--json", **environment))


@dataclass
class Storage:
    """A server with one bucket."""

    port: int
    bucket: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def client(self):  # noqa: ANN201
        names = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "eu-central-1"}
        return boto3.client("s3", endpoint_url=self.url, **names)

    def objects(self) -> dict[str, int]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket)
        return {found["Key"]: found["Size"] for page in pages for found in page.get("Contents", [])}


@pytest.fixture(scope="session")
def server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.1)
    yield port
    process.terminate()
    process.wait()


@pytest.fixture
def storage(server: int, request: pytest.FixtureRequest) -> Storage:
    name = re.sub("[^a-z0-9]+", "-", request.node.name.lower())[-60:].strip("-")
    storage = Storage(server, name)
    place = {"LocationConstraint": "eu-central-1"}
    storage.client.create_bucket(Bucket=name, CreateBucketConfiguration=place)
    return storage


@pytest.fixture
def sprig(request: pytest.FixtureRequest, server: int, tmp_path: Path) -> Sprig:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "SPRIG_"))}
    environment |= KEYS | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{server}"}
    environment |= {"SPRIG_SEAL_KEY": str(tmp_path / "seal.key"), "SPRIG_PROGRESS": "none"}
    return Sprig(request.config.getoption("--sprig"), environment)
