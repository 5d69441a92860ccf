"""A follower takes the place of its coordinator, and a new one follows. Each test goes on where the one before has
ended."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Command
from kubelet import Node, Pod, await_that, get_page
from manifests import render, template

BEFORE, AFTER = "overlays/followed", "overlays/promoted"


@pytest.fixture(scope="module")
def node(sprig: Path, secrets: dict[str, dict[str, bytes]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A machine that knows the names of the services. All lead to it, so whoever leads is found by each name."""
    services = [m["metadata"]["name"] for m in render(BEFORE) if m["kind"] == "Service"]
    node = Node(sprig, tmp_path_factory.mktemp("node"), secrets, services)
    yield node
    node.clear()


@pytest.fixture(scope="module")
def pods(node: Node) -> dict[str, Pod]:
    """The pods that run; first those of the overlay before the promotion."""
    pods = {}
    for name in ("sprig-coordinator", "sprig-follower", "sprig-worker"):
        pods[name] = node.start(template(name, render(BEFORE)))
        pods[name].await_ready()
    return pods


def answer(sprig_says: Command, position: int) -> str:
    """What is known."""
    return json.loads(sprig_says(f"query {position} --coordinator https://127.0.0.1:7425 --json"))["outcome"]


def test_the_follower_has_what_is_proved(pods: dict[str, Pod], sprig_says: Command) -> None:
    assert sprig_says("submit 14 --wait").startswith("outcome     loss")
    await_that(60, "it has everything", lambda: " 0\n" in following(pods["sprig-follower"]))


def following(pod: Pod) -> str:
    """The line of its metrics that says how many facts it lacks."""
    text = get_page(pod.template.ports()["metrics"], "/metrics")[1]
    return next((line + "\n" for line in text.splitlines() if line.startswith("sprig_follower_behind ")), "")


def test_it_leads_when_it_was_promoted(node: Node, pods: dict[str, Pod], sprig_says: Command) -> None:
    pods["sprig-coordinator"].kill()
    pods["sprig-follower"].end()
    promoted = node.start(template("sprig-promote", render("promote")))
    assert promoted.process.wait(60) == 0, promoted.said
    pods["leader"] = node.start(template("sprig-follower", render(AFTER)))
    pods["leader"].await_ready()
    await_that(60, "the worker finds it", lambda: pods["sprig-worker"].probe("readinessProbe"))
    assert answer(sprig_says, 14) == "loss"
    assert sprig_says("submit 11 --wait").startswith("outcome     win")


def test_the_explorer_asks_it(node: Node) -> None:
    explorer = node.start(template("sprig-explorer", render(AFTER)))
    explorer.await_ready()
    status, text = get_page(explorer.template.ports()["http"], "/v1/positions/11")
    assert (status, json.loads(text)["outcome"]) == (200, "win")


def test_it_is_backed_up(node: Node, pods: dict[str, Pod], sprig_says: Command) -> None:
    facts = json.loads(sprig_says("status --json"))["facts"]
    backup = node.start(template("sprig-backup", render(AFTER)))
    assert backup.process.wait(60) == 0, backup.said
    assert f"facts    {facts}\n" in backup.said
    (made,) = set(pods["leader"].runs("ls", "/var/lib/sprig-backups").split()) - {"lost+found"}
    assert made in backup.said


def test_the_old_one_hands_in_what_it_has_and_leads_no_more(node: Node) -> None:
    """Where it is started as before."""
    old = node.start(template("sprig-coordinator", render(BEFORE)))
    assert old.process.wait(60) == 1
    assert "handed in to https://sprig-follower:7425" in old.said
    assert "leads no more" in old.said


def test_it_follows_with_an_empty_volume(node: Node) -> None:
    """And not with its old database."""
    made = template("sprig-coordinator", render(AFTER))
    assert node.start(made).process.wait(60) == 1
    shutil.rmtree(node.folder / "claims" / made.claims["data"])
    follower = node.start(made)
    follower.await_ready()
    await_that(60, "it has everything", lambda: " 0\n" in following(follower))
