"""A coordinator, workers and an explorer, run as their pods are. Each test goes on where the one before has ended."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Command, block, run
from kubelet import Node, Pod, await_that, get_page
from manifests import HERE, find, render, template

OVERLAY = "overlays/single-node"
LONG = "0*60"
"""A position that nobody solves while the tests run."""

NAME = r"\d{4}-\d\d-\d\d-\d{6}"
"""That of a backup."""


@pytest.fixture(scope="module")
def node(sprig: Path, secrets: dict[str, dict[str, bytes]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A machine that knows the names of the services."""
    services = [m["metadata"]["name"] for m in render(OVERLAY) if m["kind"] == "Service"]
    node = Node(sprig, tmp_path_factory.mktemp("node"), secrets, services)
    yield node
    node.clear()


@pytest.fixture(scope="module")
def pods() -> dict[str, Pod]:
    """The pods that run."""
    return {}


@pytest.fixture(scope="module")
def start(node: Node, pods: dict[str, Pod]) -> Callable[[str], Pod]:
    """Starts a pod of this name and waits until it is ready."""

    def start(name: str) -> Pod:
        pods[name] = node.start(template(name, render(OVERLAY)))
        pods[name].await_ready()
        return pods[name]

    return start


def metrics(pod: Pod) -> dict[str, float]:
    """What Prometheus would read, without labels."""
    status, text = get_page(pod.template.ports()["metrics"], "/metrics")
    assert status == 200
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name.split("{")[0]: float(number) for name, number in lines}


def test_the_coordinator_becomes_ready(start: Callable[[str], Pod]) -> None:
    start("sprig-coordinator")


def test_it_may_do_nothing(pods: dict[str, Pod]) -> None:
    """It is not root, has no capabilities and can write to its volume alone. What the test says of the container it
    says of the command in it, too: both are started alike."""
    status = dict(line.split(":\t", 1) for line in pods["sprig-coordinator"].runs("cat", "/proc/1/status").splitlines())
    assert status["Name"] == "sprig"
    assert set(status["Uid"].split()) == {"7467"}
    assert int(status["CapBnd"], 16) == int(status["CapEff"], 16) == 0
    assert status["NoNewPrivs"] == "1"
    folders = "/ /etc/sprig /usr/local/bin /var/lib/sprig /var/lib/sprig-backups"
    writable = f"for folder in {folders}; do ! touch $folder/x 2>/dev/null || echo $folder; done"
    assert pods["sprig-coordinator"].runs("sh", "-c", writable) == "/var/lib/sprig\n"


def test_a_worker_joins(start: Callable[[str], Pod], pods: dict[str, Pod], sprig_says: Command) -> None:
    worker = start("sprig-worker")
    (seen,) = json.loads(sprig_says("workers --json"))["workers"]
    assert seen["name"] == f"{worker.name}@kubernetes"
    assert seen["threads"] == int(worker.environment()["SPRIG_THREADS"])


def test_a_job_is_answered(person: dict[str, str], desk: Path) -> None:
    """By the commands of README.md."""
    assert "loss for the player to move" in run(block("sprig submit"), desk, person)


def test_every_metric_that_is_asked_for_exists(pods: dict[str, Pod]) -> None:
    """Alerts, dashboard and autoscaler ask for what coordinator and worker show.

    No pod follows here; `cli/tests/suite/follow.rs` looks at what a follower shows. Here backups are not allowed
    to write into the folder of the database, so that their metric is missing; `cli/tests/suite/health.rs` looks
    at it.
    """
    shown = metrics(pods["sprig-coordinator"]).keys() | metrics(pods["sprig-worker"]).keys()
    prometheus = HERE.parent / "prometheus"
    texts = [(prometheus / name).read_text() for name in ("rules.yml", "grafana.json")]
    texts.append(json.dumps(find("ScaledObject", "sprig-worker", render("overlays/spot"))))
    for text in texts:
        asked = set(re.findall(r"\bsprig_(?!follower_)[a-z_]+", text))
        assert asked
        assert asked - {"sprig_database_backup_timestamp_seconds"} <= shown


def test_the_explorer_answers(start: Callable[[str], Pod]) -> None:
    explorer = start("sprig-explorer")
    status, text = get_page(explorer.template.ports()["http"], "/v1/positions/14")
    assert (status, json.loads(text)["outcome"]) == (200, "loss")


def test_a_backup_is_made_beside_the_coordinator(node: Node, sprig_says: Command) -> None:
    facts = json.loads(sprig_says("status --json"))["facts"]
    assert facts > 0
    for _ in range(2):
        backup = node.start(template("sprig-backup", render(OVERLAY)))
        assert backup.process.wait(60) == 0, backup.said
        assert f"facts    {facts}\n" in backup.said


def test_a_new_token_lets_in(
    node: Node, pods: dict[str, Pod], person: dict[str, str], desk: Path, sprig_says: Command
) -> None:
    """After SIGHUP, as README.md says; nobody is sent away."""
    run("sprig token read guest --tokens access/tokens --out access/guest.token", desk, person)
    node.secrets["sprig-tokens"]["tokens"] = (desk / "access/tokens").read_bytes()
    with pytest.raises(AssertionError, match="token"):
        sprig_says("status --token-file access/guest.token")
    pods["sprig-coordinator"].write_secrets()
    pods["sprig-coordinator"].runs("sh", "-c", "kill -HUP 1")
    await_that(60, "the file is read", lambda: "were read again" in pods["sprig-coordinator"].said)
    assert len(json.loads(sprig_says("status --json --token-file access/guest.token"))["workers"]) == 1


def test_a_worker_that_must_go_hands_its_work_back(pods: dict[str, Pod], sprig_says: Command) -> None:
    """Within its grace period; the coordinator has its facts, and the autoscaler sees that there is work."""

    def facts() -> float:
        return metrics(pods["sprig-coordinator"])["sprig_coordinator_facts"]

    before = facts()
    job = json.loads(sprig_says(f"submit '{LONG}' --json"))["job"]
    await_that(60, "it proves something", lambda: facts() > before)
    pods["sprig-worker"].end()

    def waiting() -> float:
        return metrics(pods["sprig-coordinator"])["sprig_coordinator_jobs_waiting"]

    await_that(60, "the job waits", lambda: waiting() == 1)
    assert metrics(pods["sprig-coordinator"])["sprig_coordinator_jobs_running"] == 1
    (shown,) = (entry for entry in json.loads(sprig_says("status --json"))["jobs"] if entry["id"] == job)
    assert shown["state"] == "waiting"


def test_both_end_in_time_when_the_coordinator_goes_first(start: Callable[[str], Pod], pods: dict[str, Pod]) -> None:
    """A worker with facts that nobody takes gives up before it is killed."""
    worker = start("sprig-worker")
    await_that(60, "it searches", lambda: metrics(worker)["sprig_worker_searching"] == 1)
    pods["sprig-coordinator"].end()
    await_that(60, "it has what nobody takes", lambda: metrics(worker)["sprig_worker_outbox"] > 0)
    assert not worker.probe("readinessProbe")
    assert worker.probe("livenessProbe")
    worker.end()


def test_a_job_outlives_the_coordinator(start: Callable[[str], Pod], pods: dict[str, Pod]) -> None:
    start("sprig-coordinator")
    worker = start("sprig-worker")
    await_that(60, "it searches", lambda: metrics(worker)["sprig_worker_searching"] == 1)
    worker.end()


def test_a_backup_is_restored(
    node: Node, start: Callable[[str], Pod], pods: dict[str, Pod], sprig_says: Command
) -> None:
    """Not while there is a coordinator; then what was there is put away."""
    restore = template("sprig-restore", render("restore"))
    with pytest.raises(AssertionError, match="end it first"):
        node.start(restore)
    pods["sprig-coordinator"].end()
    restored = node.start(restore)
    assert restored.process.wait(60) == 0, restored.said
    names = {path.name for path in (node.folder / "claims" / "data-sprig-coordinator-0").iterdir()}
    assert {"facts", "lost+found"} < names
    assert sum(name.startswith("facts.before-") for name in names) == 1
    start("sprig-coordinator")
    assert json.loads(sprig_says("query 14 --coordinator https://127.0.0.1:7425 --json"))["outcome"] == "loss"


def test_commands_in_the_container_work(pods: dict[str, Pod]) -> None:
    """What README.md says with `kubectl exec`: there is a backup to fetch and a database to look at and to remove."""
    coordinator = pods["sprig-coordinator"]
    text = (HERE / "README.md").read_text()
    commands = re.findall(r"kubectl exec sprig-coordinator-0 -- ([^>`\n]+)", text)
    (latest,) = (coordinator.runs(*shlex.split(c)) for c in commands if "tail -n 1" in c)
    assert re.fullmatch(NAME + r"\n", latest)
    for command in commands:
        said = coordinator.runs(*shlex.split(re.sub(NAME, latest.strip(), command)))
        assert "SPRIG" in said or not command.startswith("tar")
    assert "facts.before" not in coordinator.runs("ls", "/var/lib/sprig")


def test_the_explorer_answers_until_it_ends(pods: dict[str, Pod]) -> None:
    """It has found its coordinator again, and goes on while it is told to end."""
    explorer = pods["sprig-explorer"]
    http = explorer.template.ports()["http"]

    def answers() -> bool:
        return get_page(http, "/v1/positions/14/moves")[0] == 200

    await_that(60, "it answers again", answers)
    said: list[bool] = []
    explorer.end(meanwhile=lambda: said.append(answers()))
    assert said == [True]
