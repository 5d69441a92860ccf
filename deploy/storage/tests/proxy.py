"""A proxy between a program and its storage, that cuts connections and repeats requests."""

import contextlib
import random
import socket
import threading
from dataclasses import dataclass, field
from typing import Self


@dataclass
class Proxy:
    """Passes bytes on to a port of this machine, until the dice say that a connection is cut.

    `cuts` is the share of connections that are cut, at a random byte of the request or of the response; `forgets` the
    share whose request is passed on whole and whose response never comes: the program must send it again, and the
    storage hears it twice.
    """

    port: int
    cuts: float
    forgets: float
    seed: int
    longest: int = 60_000
    """Bytes after which a connection is cut at the latest."""
    counts: dict[str, int] = field(default_factory=lambda: {"connections": 0, "cut": 0, "forgotten": 0})

    def __enter__(self) -> Self:
        self._dice = random.Random(self.seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            roll = self._dice.random()
            self.counts["connections"] += 1
            fate, after = "whole", 0
            if roll < self.cuts:
                fate, after = "cut", self._dice.randrange(self.longest)
                self.counts["cut"] += 1
            elif roll < self.cuts + self.forgets:
                fate = "forgotten"
                self.counts["forgotten"] += 1
            threading.Thread(target=self._serve, args=(client, fate, after), daemon=True).start()

    def _serve(self, client: socket.socket, fate: str, after: int) -> None:
        server = socket.create_connection(("127.0.0.1", self.port))
        left = [after]

        def pump(source: socket.socket, sink: socket.socket, *, is_response: bool) -> None:
            with contextlib.suppress(OSError):
                while chunk := source.recv(16384):
                    if fate == "forgotten" and is_response:
                        break
                    if fate == "cut":
                        chunk = chunk[: left[0]]
                        left[0] -= len(chunk)
                    sink.sendall(chunk)
                    if fate == "cut" and left[0] <= 0:
                        break
            for end in (client, server):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

        back = threading.Thread(target=pump, args=(server, client), kwargs={"is_response": True}, daemon=True)
        back.start()
        pump(client, server, is_response=False)
        back.join()
        client.close()
        server.close()
