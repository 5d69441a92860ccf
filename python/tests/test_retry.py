"""What happens when the explorer, or what stands before it, does not answer: real processes, real sockets."""

import http.server
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sprig_client import AsyncClient, BusyError, Client, Retry, SprigError, UnreachableError

QUICK = Retry(tries=8, first=0.1, longest=1)


class Gate(http.server.BaseHTTPRequestHandler):
    """A proxy that sends everybody away for a while, as those before public servers do."""

    explorer = ""
    status = 429
    again: str | None = "0"
    turned_away = 0
    left = 0

    def do_GET(self) -> None:
        if Gate.left > 0:
            Gate.left -= 1
            Gate.turned_away += 1
            self.send_response(Gate.status)
            if Gate.again is not None:
                self.send_header("retry-after", Gate.again)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        with urllib.request.urlopen(Gate.explorer + self.path) as answer:
            body = answer.read()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def gate(explorer: str, left: int, status: int = 429, again: str | None = "0") -> Iterator[str]:
    Gate.explorer, Gate.left, Gate.turned_away, Gate.status, Gate.again = explorer, left, 0, status, again
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("again", ["0", None])
def test_who_is_sent_away_comes_again(address: str, status: int, again: str | None) -> None:
    with gate(address, left=3, status=status, again=again) as gated, Client(gated, retry=QUICK) as sprig:
        assert sprig.position(5).outcome == "win"
        assert Gate.turned_away == 3


def test_what_is_said_is_waited_for(address: str) -> None:
    with gate(address, left=1, again="1") as gated, Client(gated, retry=QUICK) as sprig:
        begun = time.monotonic()
        sprig.position(5)
        assert time.monotonic() - begun >= 1


def test_tries_have_an_end(address: str) -> None:
    with gate(address, left=10**9) as gated, Client(gated, retry=QUICK) as sprig:
        with pytest.raises(BusyError, match="429"):
            sprig.position(5)
        assert Gate.turned_away == QUICK.tries
    with gate(address, left=10**9, status=500) as gated, Client(gated, retry=QUICK) as sprig:
        with pytest.raises(SprigError, match="500"):
            sprig.position(5)
        assert Gate.turned_away == 1, "what is broken stays broken"


def test_nobody_there_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}", retry=Retry(tries=2, first=0.01)) as sprig:
        with pytest.raises(UnreachableError, match="does not answer.*sprig explore") as raised:
            sprig.position(5)
        assert raised.value.__cause__ is not None


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("wrong", ["127.0.0.1:7601", "localhost:7601", "ftp://x", "https://", "http://[::1"])
def test_what_is_no_address_is_said_at_once(
    kind: type[Client | AsyncClient], wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnreachableError, match="write http:// or https://") as raised:
        kind(wrong)
    assert f"`{wrong}`" in str(raised.value)
    monkeypatch.setenv("SPRIG_EXPLORER", wrong)
    with pytest.raises(UnreachableError, match="no address"):
        kind()


def test_an_explorer_that_is_started_again_is_found_again(
    sprig: Path, environment: dict[str, str], database: Path
) -> None:
    def explorer(listen: str) -> tuple[subprocess.Popen[str], str]:
        command = [str(sprig), "explore", "--db", str(database), "--listen", listen]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        assert process.stderr
        found = re.search(r"http://(\S+)", process.stderr.readline())
        assert found
        return process, found[1]

    first, listen = explorer("127.0.0.1:0")
    with Client(f"http://{listen}", retry=Retry(tries=12, first=0.1, longest=1)) as client:
        assert client.position(5).outcome == "win"
        # The connection that is kept is broken, and for a while there is nobody.
        first.kill()
        first.communicate()
        later: list[subprocess.Popen[str]] = []
        timer = threading.Timer(0.5, lambda: later.append(explorer(listen)[0]))
        timer.start()
        assert client.position(6).outcome == "loss"
        timer.join()
        later[0].terminate()
        later[0].communicate()


def test_who_has_too_many_connections_waits_for_one(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    # The explorer takes 128 connections from an address, and hangs up on the next.
    crowd = [socket.create_connection((host, int(port))) for _ in range(200)]
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        urllib.request.urlopen(f"{address}/healthz", timeout=2)

    def go_away() -> None:
        for each in crowd:
            each.close()

    threading.Timer(0.5, go_away).start()
    with Client(address, retry=QUICK) as sprig:
        assert sprig.position(5).outcome == "win"
