"""The manifests as `kubectl kustomize` renders them, and what Kubernetes would make of them."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parents[1]
"""deploy/kubernetes."""
OVERLAYS = ["overlays/single-node", "overlays/spot", "overlays/followed", "overlays/promoted"]
EVERYTHING = ["base", *OVERLAYS, "restore", "promote"]

Manifest = dict[str, Any]
Labels = dict[str, str]

SECONDS = {"s": 1, "m": 60, "h": 3600}
SUFFIXES = {"m": 1e-3, "": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


@cache
def render(folder: str) -> list[Manifest]:
    """Everything that `kubectl apply -k FOLDER` would send."""
    command = ["kubectl", "kustomize", folder]
    done = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True)
    return list(yaml.safe_load_all(done.stdout))


def find(kind: str, name: str, manifests: list[Manifest]) -> Manifest:
    """The one of this kind and name."""
    (found,) = (m for m in manifests if (m["kind"], m["metadata"]["name"]) == (kind, name))
    return found


def quantity(text: str | int) -> float:
    """A number of cores or bytes as Kubernetes writes it."""
    number, suffix = re.fullmatch(r"([\d.]+)([A-Za-z]*)", str(text)).groups()
    return float(number) * SUFFIXES[suffix]


def seconds(text: str) -> int:
    """A time as Sprig writes it."""
    return int(text[:-1]) * SECONDS[text[-1]]


@dataclass(frozen=True)
class Template:
    """What the pods of one manifest are made from."""

    owner: Manifest
    labels: Labels
    spec: Manifest

    @property
    def name(self) -> str:
        return self.owner["metadata"]["name"]

    @property
    def containers(self) -> list[Manifest]:
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]

    @property
    def claims(self) -> dict[str, str]:
        """Which claim each volume is."""
        made = self.owner["spec"].get("volumeClaimTemplates", [])
        names = [template["metadata"]["name"] for template in made]
        named = {name: f"{name}-{self.name}-0" for name in names}
        volumes = self.spec.get("volumes", [])
        used = {v["name"]: v["persistentVolumeClaim"]["claimName"] for v in volumes if "persistentVolumeClaim" in v}
        return named | used

    def ports(self) -> dict[str, int]:
        """The ports that have names."""
        ports = (port for container in self.containers for port in container.get("ports", []))
        return {port["name"]: port["containerPort"] for port in ports}


def templates(manifests: list[Manifest]) -> Iterator[Template]:
    """Those of everything that makes pods."""
    for owner in manifests:
        spec = owner.get("spec", {})
        spec = spec["jobTemplate"]["spec"] if owner["kind"] == "CronJob" else spec
        if owner["kind"] in {"CronJob", "Deployment", "Job", "StatefulSet"}:
            made = spec["template"]
            yield Template(owner, made["metadata"]["labels"], made["spec"])


def template(name: str, manifests: list[Manifest]) -> Template:
    """That of this name."""
    (found,) = (t for t in templates(manifests) if t.name == name)
    return found


def selects(selector: Manifest, labels: Labels) -> bool:
    """Whether a selector of labels means these."""
    for rule in selector.get("matchExpressions", []):
        assert rule["operator"] == "In", rule
        if labels.get(rule["key"]) not in rule["values"]:
            return False
    return selector.get("matchLabels", {}).items() <= labels.items()


@dataclass(frozen=True)
class Place:
    """Where somebody speaks from or to: the labels of a pod and of its namespace."""

    pod: Labels
    namespace: Labels
    ours: bool = True


def may_speak(source: Place, target: Place, port: int, manifests: list[Manifest]) -> bool:
    """Whether the network policies let a connection through, at both ends."""
    policies = [m["spec"] for m in manifests if m["kind"] == "NetworkPolicy"]

    def passes(which: str, peers: str, here: Place, there: Place) -> bool:
        about = [p for p in policies if here.ours and selects(p["podSelector"], here.pod) and which in p["policyTypes"]]
        rules = [rule for policy in about for rule in policy.get(which.lower(), [])]
        return not about or any(_lets(rule, peers, there, port) for rule in rules)

    return passes("Egress", "to", source, target) and passes("Ingress", "from", target, source)


def _lets(rule: Manifest, peers: str, there: Place, port: int) -> bool:
    if port not in (given["port"] for given in rule["ports"]):
        return False

    def is_meant(peer: Manifest) -> bool:
        there_by_name = peer.get("namespaceSelector")
        namespace = there.ours if there_by_name is None else selects(there_by_name, there.namespace)
        return namespace and selects(peer.get("podSelector", {}), there.pod)

    return peers not in rule or any(is_meant(peer) for peer in rule[peers])
