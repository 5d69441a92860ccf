"""Runs the containers of a pod as a node would, but on this machine: the same commands, settings and files, as the same
user, without capabilities, on a root file system that cannot be written. Bubblewrap makes the container."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from manifests import Manifest, Template, quantity

IMAGE = Path(__file__).parents[2] / "Containerfile"


def image() -> tuple[list[str], dict[str, str], str]:
    """Entry point, settings and folder that the image gives a container, from the container file."""
    last = IMAGE.read_text().split("\nFROM ")[-1]
    entry = json.loads(re.search(r"^ENTRYPOINT (.*)$", last, re.M)[1])
    settings = dict(re.findall(r"^ENV (\w+)=(\S+)$", last, re.M))
    return entry, settings, re.search(r"^WORKDIR (.*)$", last, re.M)[1]


def await_that(seconds: float, what: str, holds: Callable[[], object]) -> None:
    """Waits until it holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited {seconds} s in vain: {what}"
        time.sleep(0.05)


@dataclass
class Node:
    """A machine that runs pods; its disks hold the claims."""

    sprig: Path
    folder: Path
    secrets: dict[str, dict[str, bytes]]
    hosts: list[str]
    pods: list["Pod"] = field(default_factory=list)

    def claim(self, name: str, group: int) -> Path:
        """The folder of a volume. A new one has what ext4 puts there, is of root, and its group may write to it."""
        disk = self.folder / "claims" / name
        if not disk.exists():
            (disk / "lost+found").mkdir(parents=True, mode=0o700)
            shutil.chown(disk, 0, group)
            disk.chmod(0o2775)
        return disk

    def project(self, folder: Path, sources: list[Manifest], mode: int, group: int) -> None:
        """Writes secrets as a kubelet does: into a new folder, to which a link leads that is replaced at once."""
        folder.mkdir(parents=True, exist_ok=True)
        shutil.chown(folder, 0, group)
        folder.chmod(0o3777)
        version = folder / f"..{time.time_ns()}"
        version.mkdir()
        shutil.chown(version, 0, group)
        version.chmod(0o2755)
        for source in sources:
            held = self.secrets[source["secret"]["name"]]
            items = source["secret"].get("items", [{"key": key, "path": key} for key in held])
            for item in items:
                file = version / item["path"]
                file.write_bytes(held[item["key"]])
                shutil.chown(file, 0, group)
                # The group of the pod may read it, whatever the mode says.
                file.chmod(mode | 0o440)
                link = folder / item["path"]
                if not link.is_symlink():
                    link.symlink_to(f"..data/{item['path']}")
        draft = folder / "..data_tmp"
        draft.symlink_to(version.name)
        draft.replace(folder / "..data")

    def start(self, template: Template) -> "Pod":
        """A pod that has begun."""
        pod = Pod(self, template, f"{template.name}-{len(self.pods)}")
        self.pods.append(pod)
        pod.begin()
        return pod

    def clear(self) -> None:
        """Ends all pods at once."""
        for pod in self.pods:
            pod.kill()


class Pod:
    """A pod with one container, after those that prepare it."""

    def __init__(self, node: Node, template: Template, name: str) -> None:
        self.node, self.template, self.name = node, template, name
        self.context = template.spec["securityContext"]
        self.container = template.containers[-1]
        self.log = node.folder / "logs" / name
        self.log.parent.mkdir(exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None
        self.pid = 0

    @property
    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text() if self.log.exists() else ""

    def begin(self) -> None:
        """Writes its secrets, has its first containers end, and starts the last one."""
        self.write_secrets()
        for container in self.template.containers[:-1]:
            self.container = container
            self._start()
            assert self.process.wait(60) == 0, f"{container['name']} failed: {self.said}"
        self.container = self.template.containers[-1]
        self._start()

    def write_secrets(self) -> None:
        """Writes its secrets, also again when they have changed."""
        for volume in self.template.spec.get("volumes", []):
            if projected := volume.get("projected"):
                group = self.context["fsGroup"]
                self.node.project(self._secrets(volume["name"]), projected["sources"], projected["defaultMode"], group)

    def _secrets(self, volume: str) -> Path:
        return self.node.folder / "pods" / self.name / volume

    def _mounts(self) -> Iterator[str]:
        claims, group = self.template.claims, self.context["fsGroup"]
        for mount in self.container["volumeMounts"]:
            volume = mount["name"]
            at = self.node.claim(claims[volume], group) if volume in claims else self._secrets(volume)
            yield from ["--ro-bind" if mount.get("readOnly") else "--bind", str(at), mount["mountPath"]]

    def environment(self) -> dict[str, str]:
        """The settings of the container."""
        settings = image()[1] | {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOSTNAME": self.name}
        for setting in self.container.get("env", []):
            source = setting.get("valueFrom")
            settings[setting["name"]] = self._looked_up(source) if source else setting["value"]
        return settings

    def _looked_up(self, source: Manifest) -> str:
        if "fieldRef" in source:
            assert source["fieldRef"]["fieldPath"] == "metadata.name"
            return self.name
        kind, resource = source["resourceFieldRef"]["resource"].split(".")
        return str(math.ceil(quantity(self.container["resources"][kind][resource])))

    def _as_user(self, command: list[str]) -> list[str]:
        user, group = self.context["runAsUser"], self.context["runAsGroup"]
        dropped = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        who = [f"--reuid={user}", f"--regid={group}", f"--groups={group},{self.context['fsGroup']}"]
        return ["setpriv", *who, *dropped, *command]

    def _start(self) -> None:
        entry, _, folder = image()
        command = [*self.container.get("command", entry), *self.container.get("args", [])]
        hosts = self.node.folder / "hosts"
        hosts.write_text(f"127.0.0.1 localhost {' '.join(self.node.hosts)}\n")
        root = ["--ro-bind", "/usr", "/usr", "--tmpfs", "/usr/local/bin", "--proc", "/proc", "--dev", "/dev"]
        # Folders that are made on the way to another one would be for root alone.
        root += ["--dir", "/etc", "--dir", folder, "--chdir", folder]
        for link in ("bin", "lib", "lib64"):
            root += ["--symlink", f"usr/{link}", f"/{link}"]
        root += ["--ro-bind", str(self.node.sprig), "/usr/local/bin/sprig", "--ro-bind", str(hosts), "/etc/hosts"]
        sealed = [*self._mounts(), "--remount-ro", "/usr/local/bin", "--remount-ro", "/"]
        reader, writer = os.pipe()
        how = ["--unshare-pid", "--unshare-ipc", "--as-pid-1", "--die-with-parent", "--info-fd", str(writer)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["bwrap", *how, *root, *sealed, *self._as_user(command)],
                env=self.environment(),
                pass_fds=[writer],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        os.close(writer)
        with os.fdopen(reader) as told:
            text = told.read()
        assert text, f"no container was made: {self.said}"
        self.pid = json.loads(text)["child-pid"]

    def runs(self, *command: str) -> str:
        """What a command in the container writes, as `kubectl exec` would show it."""
        inside = ["nsenter", f"--target={self.pid}", "--mount", "--pid", "--ipc", *self._as_user(list(command))]
        done = subprocess.run(
            inside, env=self.environment(), capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def probe(self, kind: str) -> bool:
        """Whether a probe succeeds now."""
        probe = self.container[kind]
        (get, patience) = (probe["httpGet"], probe.get("timeoutSeconds", 1))
        return get_page(self.template.ports()[get["port"]], get["path"], patience)[0] == 200

    def await_ready(self) -> float:
        """Waits as long as the probes would; says how long that was."""
        begun = time.monotonic()
        if start := self.container.get("startupProbe"):
            patience = start["periodSeconds"] * start["failureThreshold"]
            await_that(min(patience, 60), f"{self.name} starts", lambda: self._lives() and self.probe("startupProbe"))
        await_that(60, f"{self.name} is ready", lambda: self._lives() and self.probe("readinessProbe"))
        assert self.probe("livenessProbe")
        return time.monotonic() - begun

    def _lives(self) -> bool:
        assert self.process.poll() is None, f"{self.name} has ended with {self.process.returncode}: {self.said}"
        return True

    def end(self, meanwhile: Callable[[], object] = lambda: None) -> float:
        """Ends it as a kubelet does: first its hook, then SIGTERM, and no more than the grace period for both. Says how
        long that took; it must have ended well. `meanwhile` is called when the hook runs."""
        grace, begun = self.template.spec["terminationGracePeriodSeconds"], time.monotonic()
        hook = self.container.get("lifecycle", {}).get("preStop")
        if hook:
            inside = ["nsenter", f"--target={self.pid}", "--mount", "--pid", *self._as_user(hook["exec"]["command"])]
            with subprocess.Popen(inside, env=self.environment()) as running:
                meanwhile()
                assert running.wait(grace) == 0, f"the hook of {self.name} failed"
        os.kill(self.pid, signal.SIGTERM)
        code = self.process.wait(max(0.1, begun + grace - time.monotonic()))
        assert code == 0, f"{self.name} ended with {code}: {self.said}"
        return time.monotonic() - begun

    def kill(self) -> None:
        """Ends it at once, if it has not ended."""
        if self.process and self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.process.wait(10)


def get_page(port: int, path: str, patience: float = 5) -> tuple[int, str]:
    """Status and text of a page on this machine; 0 when nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=patience) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""
