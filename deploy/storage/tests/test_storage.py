"""Backups in object storage, also over connections that break, and what comes back from them."""

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from proxy import Proxy

from conftest import Sprig, Storage


def solve(sprig: Sprig, spots: int, db: Path) -> None:
    sprig("solve", f"0*{spots}", "--db", db, "--threads", 1)


def checked(sprig: Sprig, db: Path) -> dict:
    """What is in a database, after every record was read."""
    found = sprig.json("db", "check", "--db", db)
    return {what: found[what] for what in ("verified", "claimed", "jobs")}


def test_a_backup_costs_what_is_new_and_comes_back(sprig: Sprig, storage: Storage, tmp_path: Path) -> None:
    db, back, place = tmp_path / "db", tmp_path / "back", f"s3://{storage.bucket}/a/b"
    solve(sprig, 12, db)
    first = sprig.json("backup", "--db", db, "--to", place)
    assert first["facts"] > 500 and first["shared"] == 0 and first["checked"], first
    second = sprig.json("backup", "--db", db, "--to", place)
    assert second["facts"] == first["facts"] and second["shared"] > 0, second
    assert second["written"] < first["written"], second
    solve(sprig, 14, db)
    third = sprig.json("backup", "--db", db, "--to", place, "--keep", 2)
    assert third["removed"] == [first["backup"]], third
    there = storage.objects()
    lists = [name for name in there if name.endswith(".json")]
    needed = set()
    for name in lists:
        held = storage.client.get_object(Bucket=storage.bucket, Key=name)["Body"].read()
        needed |= {f"a/b/parts/{part['blake3']}" for part in json.loads(held)["files"]}
    # Two lists, the parts that they need, and nothing else: neither a lock nor what the first one had alone.
    assert len(lists) == 2 and set(there) == needed | set(lists)
    # Nothing is left beside the database.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["db", "seal.key"]
    before = checked(sprig, db)
    shutil.rmtree(db)
    restored = sprig.json("restore", place, "--db", back)
    assert restored["backup"] == third["backup"] and restored["facts"] == third["facts"], restored
    assert restored["verified"] == restored["facts"]
    assert checked(sprig, back) == before
    assert sprig.json("query", "0*14", "--db", back)["outcome"] == "loss"
    # One of them by its name, and nothing is left of the way.
    older = sprig.json("restore", second["backup"], "--db", tmp_path / "older")
    assert older["facts"] == second["facts"], older
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "older", "seal.key"]


def test_databases_that_share_a_place_keep_their_backups(sprig: Sprig, storage: Storage, tmp_path: Path) -> None:
    one, two, back, place = tmp_path / "one", tmp_path / "two", tmp_path / "back", f"s3://{storage.bucket}/both"
    solve(sprig, 6, one)
    solve(sprig, 7, two)
    first = sprig.json("backup", "--db", one, "--to", place)
    second = sprig.json("backup", "--db", two, "--to", place, "--keep", 1)
    assert second["removed"] == [], second
    third = sprig.json("backup", "--db", two, "--to", place, "--keep", 1)
    assert third["removed"] == [second["backup"]], third
    said = sprig("restore", place, "--db", back, code=1)
    assert "backups of 2 databases" in said and first["backup"] in said and third["backup"] in said, said
    assert sprig.json("restore", first["backup"], "--db", back)["facts"] == first["facts"]


@pytest.mark.parametrize("seed", range(4))
def test_cut_and_repeated_requests_cost_time_alone(sprig: Sprig, storage: Storage, tmp_path: Path, seed: int) -> None:
    db, back, place = tmp_path / "db", tmp_path / "back", f"s3://{storage.bucket}/cut"
    solve(sprig, 15, db)
    with Proxy(storage.port, cuts=0.2, forgets=0.1, seed=seed) as proxy:
        through = {"AWS_ENDPOINT_URL": proxy.url}
        made = sprig.json("backup", "--db", db, "--to", place, **through)
        assert sprig.json("restore", place, "--db", back, **through)["facts"] == made["facts"]
        assert proxy.counts["cut"] + proxy.counts["forgotten"] > 0, proxy.counts
    assert checked(sprig, back) == checked(sprig, db)


def test_late_cuts_cost_time_alone(sprig: Sprig, storage: Storage, tmp_path: Path) -> None:
    db, back, place = tmp_path / "db", tmp_path / "back", f"s3://{storage.bucket}"
    solve(sprig, 20, db)
    with Proxy(storage.port, cuts=0.1, forgets=0.1, seed=9, longest=9_000_000) as proxy:
        made = sprig.json("backup", "--db", db, "--to", place, AWS_ENDPOINT_URL=proxy.url)
        assert sprig.json("restore", place, "--db", back, AWS_ENDPOINT_URL=proxy.url)["facts"] == made["facts"]
    assert checked(sprig, back) == checked(sprig, db)


def test_what_was_cut_off_is_no_backup_and_the_next_one_goes_on(sprig: Sprig, storage: Storage, tmp_path: Path) -> None:
    db, place = tmp_path / "db", f"s3://{storage.bucket}/x"
    solve(sprig, 14, db)
    command = [sprig.program, "backup", "--db", str(db), "--to", place]
    # It is killed when the first parts lie there.
    process = subprocess.Popen(command, env=sprig.environment, stdout=subprocess.DEVNULL)
    while process.poll() is None and not any("/parts/" in name for name in storage.objects()):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if any(name.endswith(".json") for name in storage.objects()):
        pytest.skip("it was faster than the kill")
    assert "no backup in" in sprig("restore", place, "--db", tmp_path / "back", code=1)
    # Its lock is there, and says whose it was.
    said = sprig("backup", "--db", db, "--to", place, code=1)
    assert "another backup" in said and f"process {process.pid} of" in said and "remove the object" in said, said
    storage.client.delete_object(Bucket=storage.bucket, Key="x/lock")
    made = sprig.json("backup", "--db", db, "--to", place)
    assert made["shared"] > 0, made
    assert sprig.json("restore", place, "--db", tmp_path / "back")["facts"] == made["facts"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "db", "seal.key"]


def test_a_backup_of_a_running_coordinator_has_what_was_acknowledged(
    sprig: Sprig, storage: Storage, tmp_path: Path
) -> None:
    db, place = tmp_path / "db", f"s3://{storage.bucket}/live"
    listen = ["coordinator", "--db", str(db), "--listen", "127.0.0.1:0"]
    coordinator = subprocess.Popen([sprig.program, *listen], env=sprig.environment, stderr=subprocess.PIPE, text=True)
    first = next(line for line in coordinator.stderr if "coordinator at" in line)
    url = first.split("coordinator at ")[1].split(",")[0]
    worker = [sprig.program, "worker", "--coordinator", url, "--threads", "1"]
    worker = subprocess.Popen(worker, env=sprig.environment, stderr=subprocess.DEVNULL)
    try:
        sprig("submit", "0*22", "--coordinator", url)
        facts = lambda: sprig.json("status", "--coordinator", url)["facts"]  # noqa: E731
        while facts() < 300:
            time.sleep(0.1)
        for _ in range(3):
            before = facts()
            made = sprig.json("backup", "--db", db, "--to", place)
            assert before <= made["facts"] <= facts(), made
    finally:
        for process in (worker, coordinator):
            process.kill()
            process.wait()
    shutil.rmtree(db)
    assert sprig.json("restore", place, "--db", db)["facts"] == made["facts"]


def test_what_cannot_be_is_refused_with_the_remedy(sprig: Sprig, storage: Storage, tmp_path: Path) -> None:
    db, place = tmp_path / "db", f"s3://{storage.bucket}/x"
    solve(sprig, 8, db)

    def refused(words: list[str], *arguments: object, code: int = 1, **environment: str) -> None:
        said = sprig(*arguments, code=code, **environment)
        assert all(word in said for word in words), said
        assert said.count("\n") == 1, said

    backup, restore = ("backup", "--db", db, "--to"), ("restore", place, "--db", tmp_path / "back")
    refused(["no bucket `missing` at", "AWS_ENDPOINT_URL"], *backup, "s3://missing/x")
    refused(["no bucket `missing` at"], "restore", "s3://missing/x", "--db", tmp_path / "back")
    refused(
        ["127.0.0.1:9", "Connection refused", "check AWS_ENDPOINT_URL"],
        *backup,
        place,
        AWS_ENDPOINT_URL="http://127.0.0.1:9",
    )
    refused(["not encrypted", "AWS_ALLOW_HTTP"], *backup, place, code=2, AWS_ENDPOINT_URL="http://10.0.0.1:9000")
    refused(["names no bucket"], *backup, "s3:///x", code=2)
    refused(["no address of storage", "s3://bucket/prefix"], *backup, "gs://bucket/x", code=2)
    refused(["names one backup"], *backup, f"{place}/2026-11-23-160312", code=2)
    refused(["no backup in"], *restore)
    made = sprig.json(*backup, place)
    refused(["is not empty"], "restore", place, "--db", db)
    refused(["no backup"], "restore", f"{place}/2020-01-01-000000", "--db", tmp_path / "back")
    # One part is gone, then one has other bytes, then the list is cut in half.
    key = "x/" + made["backup"].rsplit("/", 1)[1] + ".json"
    held = storage.client.get_object(Bucket=storage.bucket, Key=key)["Body"].read()
    part = max(json.loads(held)["files"], key=lambda file: file["bytes"])
    name = f"x/parts/{part['blake3']}"
    whole = storage.client.get_object(Bucket=storage.bucket, Key=name)["Body"].read()
    storage.client.put_object(Bucket=storage.bucket, Key=name, Body=whole[: len(whole) // 2])
    refused(["no whole backup", "name an earlier one", part["name"]], *restore)
    storage.client.put_object(Bucket=storage.bucket, Key=name, Body=b"?" + whole[1:])
    refused(["other bytes", part["name"], "earlier backup"], *restore)
    storage.client.delete_object(Bucket=storage.bucket, Key=name)
    refused(["no whole backup", "it is not there"], *restore)
    # The next backup mends that: what is missing is sent again.
    assert sprig.json(*backup, place)["written"] >= part["bytes"]
    storage.client.put_object(Bucket=storage.bucket, Key=key, Body=held[: len(held) // 2])
    refused(["damaged", "name an earlier one"], "restore", made["backup"], "--db", tmp_path / "back")
    assert sprig.json(*restore)["facts"] == made["facts"]
    assert sprig.json("query", "0*8", "--db", tmp_path / "back")["outcome"] == "loss"
