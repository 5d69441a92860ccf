"""What can be said of the manifests without running anything."""

import copy
import re
from itertools import chain, product

import kubernetes_validate
import pydantic
import pytest
import yaml
from cloudcoil.models.keda.v1alpha1 import ScaledObject

from manifests import (
    EVERYTHING,
    HERE,
    OVERLAYS,
    Manifest,
    Place,
    Template,
    find,
    may_speak,
    quantity,
    render,
    seconds,
    selects,
    template,
    templates,
)

VERSIONS = ["1.28", "1.37"]
"""The oldest and the newest version of Kubernetes."""
PROMETHEUS = HERE.parent / "prometheus"

NODE_GIVES = 15
"""Seconds that a spot node leaves its pods; Google's, which is the least."""


@pytest.mark.parametrize("folder", EVERYTHING)
@pytest.mark.parametrize("version", VERSIONS)
def test_schemas(folder: str, version: str) -> None:
    for manifest in render(folder):
        if manifest["apiVersion"].startswith("keda.sh/"):
            autoscaled = ScaledObject.model_validate(manifest, extra="forbid")
            assert autoscaled.spec.triggers
        else:
            kubernetes_validate.validate(manifest, version, strict=True)


def test_schemas_refuse_a_misprint() -> None:
    spot = render("overlays/spot")
    wrong = copy.deepcopy(find("Deployment", "sprig-worker", spot))
    wrong["spec"]["template"]["spec"]["tolerations"][0]["efect"] = "NoSchedule"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)
    wrong = copy.deepcopy(find("ScaledObject", "sprig-worker", spot))
    wrong["spec"]["triggers"][0]["metdata"] = {}
    with pytest.raises(pydantic.ValidationError):
        ScaledObject.model_validate(wrong, extra="forbid")


@pytest.mark.parametrize("folder", EVERYTHING)
def test_pods_are_restricted(folder: str) -> None:
    """The restricted level of the Pod Security Standards, and a root file system that cannot be written."""
    for made in templates(render(folder)):
        spec = made.spec
        assert spec["automountServiceAccountToken"] is False
        # Variables of services would look like settings of Sprig.
        assert spec["enableServiceLinks"] is False
        assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
        context = spec["securityContext"]
        assert context["runAsNonRoot"] is True
        assert context["runAsUser"] > 0
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        for volume in spec.get("volumes", []):
            assert volume.keys() - {"name"} <= {"persistentVolumeClaim", "projected"}
        for container in made.containers:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize("folder", EVERYTHING)
def test_names_lead_somewhere(folder: str) -> None:
    everything = render("overlays/followed")
    manifests = render(folder)
    made = list(templates(manifests))
    for manifest in manifests:
        spec = manifest.get("spec", {})
        match manifest["kind"]:
            case "Service":
                (pods,) = (t for t in made if spec["selector"].items() <= t.labels.items())
                assert all(port["targetPort"] in pods.ports() for port in spec["ports"])
            case "Deployment" | "StatefulSet":
                assert selects(spec["selector"], spec["template"]["metadata"]["labels"])
            case "PodDisruptionBudget":
                assert [t.name for t in made if selects(spec["selector"], t.labels)] == ["sprig-worker"]
            case "ScaledObject":
                scaled = find("Deployment", spec["scaleTargetRef"]["name"], manifests)
                assert "replicas" not in scaled["spec"], "two would decide how many there are"
    owners = [template(name, everything) for name in ("sprig-coordinator", "sprig-follower")]
    claims = {claim for owner in owners for claim in owner.claims.values()}
    claims |= {m["metadata"]["name"] for m in manifests if m["kind"] == "PersistentVolumeClaim"}
    for pods in made:
        assert set(pods.claims.values()) <= claims
        volumes = {volume["name"] for volume in pods.spec.get("volumes", [])} | pods.claims.keys()
        for container in pods.containers:
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
            probes = (container.get(kind) for kind in ("startupProbe", "livenessProbe", "readinessProbe"))
            assert all(probe["httpGet"]["port"] in pods.ports() for probe in probes if probe)


def leader(manifests: list[Manifest]) -> Template:
    """The one whose pod leads."""
    (leads,) = (t for t in templates(manifests) if t.containers[-1].get("args") == ["coordinator"])
    return leads


@pytest.mark.parametrize("folder", ["base", *OVERLAYS])
def test_a_backup_is_made_of_what_leads(folder: str) -> None:
    """Of its volume, into the one that it shows. What is mounted ReadWriteOnce by two pods wants both on one node."""
    manifests = render(folder)
    leads, backup = leader(manifests), template("sprig-backup", manifests)
    assert backup.claims == {name: leads.claims[name] for name in ("data", "backups")}
    (near,) = backup.spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert near["topologyKey"] == "kubernetes.io/hostname"
    assert [t.name for t in templates(manifests) if selects(near["labelSelector"], t.labels)] == [leads.name]


@pytest.mark.parametrize("folder", EVERYTHING)
def test_files_that_settings_name_are_there(folder: str, secrets: dict[str, dict[str, bytes]]) -> None:
    for pods in templates(render(folder)):
        projected = (volume["projected"]["sources"] for volume in pods.spec["volumes"] if "projected" in volume)
        sources = [source["secret"] for source in chain.from_iterable(projected)]
        whole = {key for source in sources if "items" not in source for key in secrets[source["name"]]}
        there = whole | {item["path"] for source in sources for item in source.get("items", [])}
        named = [setting.get("value", "") for c in pods.containers for setting in c.get("env", [])]
        assert {name.removeprefix("/etc/sprig/") for name in named if name.startswith("/etc/sprig/")} <= there


@pytest.mark.parametrize("folder", EVERYTHING)
def test_secrets_exist(folder: str, secrets: dict[str, dict[str, bytes]]) -> None:
    """Every secret and key that a pod mounts is made by the commands of README.md."""
    for pods in templates(render(folder)):
        projected = (volume["projected"]["sources"] for volume in pods.spec.get("volumes", []) if "projected" in volume)
        for source in chain.from_iterable(projected):
            held = secrets[source["secret"]["name"]]
            assert {item["key"] for item in source["secret"].get("items", [])} <= held.keys()


@pytest.mark.parametrize("folder", OVERLAYS)
def test_workers_have_time_to_end(folder: str) -> None:
    pods = template("sprig-worker", render(folder))
    (worker,) = pods.containers
    settings = {setting["name"]: setting.get("value") for setting in worker["env"]}
    grace = pods.spec["terminationGracePeriodSeconds"]
    assert seconds(settings["SPRIG_NOTICE"]) + 3 <= grace
    if folder.endswith("spot"):
        assert grace <= NODE_GIVES
    asked, most = (quantity(worker["resources"][kind]["memory"]) for kind in ("requests", "limits"))
    assert 1.1 * asked <= most, "what it aims at must be less than what it is killed for"


def _expressions(pods: Template) -> list[list[Manifest]]:
    affinity = pods.spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return [term["matchExpressions"] for term in affinity["nodeSelectorTerms"]]


def test_the_coordinator_stays_off_spot_nodes() -> None:
    """What attracts workers, any of it, keeps the coordinator away, all of it."""
    spot = render("overlays/spot")
    attracted = [term[0] for term in _expressions(template("sprig-worker", spot))]
    (repelled,) = _expressions(template("sprig-coordinator", spot))
    assert repelled == [rule | {"operator": "NotIn"} for rule in attracted]


def test_the_network_lets_through_what_is_needed_and_nothing_else() -> None:
    base = render("base")
    ours, pods = {"kubernetes.io/metadata.name": "sprig"}, {pods.name: pods.labels for pods in templates(base)}
    places = {name: Place(labels, ours) for name, labels in pods.items()} | {
        "stranger": Place({"app": "stranger"}, ours),
        "ingress": Place({"app": "ingress"}, {"kubernetes.io/metadata.name": "ingress"}, ours=False),
        "prometheus": Place({"app": "prometheus"}, {"sprig/reads-metrics": "true"}, ours=False),
        "names": Place({"k8s-app": "kube-dns"}, {"kubernetes.io/metadata.name": "kube-system"}, ours=False),
        "dressed up": Place(pods["sprig-worker"], {"kubernetes.io/metadata.name": "other"}, ours=False),
    }
    allowed = {
        (source, target, port)
        for source, target in product(places, places)
        for port in (53, 443, 7425, 7480, 9425, 9426)
        if {source, target} & pods.keys() and may_speak(places[source], places[target], port, base)
    }
    assert allowed == {
        ("sprig-worker", "sprig-coordinator", 7425),
        ("sprig-explorer", "sprig-coordinator", 7425),
        ("sprig-worker", "names", 53),
        ("sprig-explorer", "names", 53),
        *((source, "sprig-explorer", 7480) for source in places.keys() - pods.keys()),
        # Each page with metrics has one of the ports; the other one leads nowhere.
        *(("prometheus", target, port) for target in ("sprig-coordinator", "sprig-worker") for port in (9425, 9426)),
    }


def test_a_follower_and_its_coordinator_reach_each_other() -> None:
    followed = render("overlays/followed")
    ours, pods = {"kubernetes.io/metadata.name": "sprig"}, {pods.name: pods.labels for pods in templates(followed)}
    places = {name: Place(labels, ours) for name, labels in pods.items()}
    prometheus = Place({"app": "prometheus"}, {"sprig/reads-metrics": "true"}, ours=False)
    stranger = Place({"app": "stranger"}, ours)

    def may(source: Place, target: str, port: int) -> bool:
        return may_speak(source, places[target], port, followed)

    assert may(places["sprig-follower"], "sprig-coordinator", 7425)
    assert may(places["sprig-coordinator"], "sprig-follower", 7425)
    assert may(places["sprig-worker"], "sprig-follower", 7425)
    assert may(prometheus, "sprig-follower", 9427)
    assert not may(stranger, "sprig-follower", 7425)
    assert not may(stranger, "sprig-follower", 9427)


def test_a_follower_can_lead() -> None:
    """With another command alone: the settings of a coordinator are there."""
    base, followed = render("base"), render("overlays/followed")
    (coordinator,) = template("sprig-coordinator", base).containers
    (follower,) = template("sprig-follower", followed).containers
    needed, has = ({s["name"]: s.get("value") for s in c["env"]} for c in (coordinator, follower))
    same = {name: text for name, text in needed.items() if name != "SPRIG_METRICS"}
    assert same.items() <= has.items()
    paths = [item["path"] for item in _items("sprig-coordinator", base)]
    assert set(paths) <= {item["path"] for item in _items("sprig-follower", followed)}


def _settings(container: Manifest) -> dict[str, str]:
    return {setting["name"]: setting["value"] for setting in container["env"] if "value" in setting}


def test_after_a_promotion_the_new_coordinator_has_what_the_old_one_had() -> None:
    followed, promoted = render("overlays/followed"), render("overlays/promoted")
    old, new = leader(followed), leader(promoted)
    assert (old.name, new.name) == ("sprig-coordinator", "sprig-follower")
    (was,), (leads,) = old.containers, new.containers
    assert leads["resources"] == was["resources"]
    assert all(mount in leads["volumeMounts"] for mount in was["volumeMounts"])
    assert (
        new.owner["spec"]["template"]["metadata"]["annotations"]
        == (old.owner["spec"]["template"]["metadata"]["annotations"])
    )
    needed, has = _settings(was), _settings(leads)
    assert needed.keys() <= has.keys()
    assert {name for name in needed if needed[name] != has[name]} == {"SPRIG_METRICS", "SPRIG_PEERS"}
    (made,) = (m for m in promoted if m["kind"] == "PersistentVolumeClaim")
    assert made["spec"] == old.owner["spec"]["volumeClaimTemplates"][1]["spec"]


@pytest.mark.parametrize(
    ("folder", "leads", "follows"),
    [
        ("overlays/followed", "sprig-coordinator", "sprig-follower"),
        ("overlays/promoted", "sprig-follower", "sprig-coordinator"),
    ],
)
def test_everybody_asks_the_one_that_leads(folder: str, leads: str, follows: str) -> None:
    """And may: so say names, ports, tokens and the network."""
    manifests = render(folder)
    pods = {pods.name: pods for pods in templates(manifests)}
    addresses = {name: f"https://{name}:7425" for name in (leads, follows)}
    (coordinator,), (follower,) = pods[leads].containers, pods[follows].containers
    assert (coordinator["args"], follower["args"]) == (["coordinator"], ["follow"])
    assert _settings(follower)["SPRIG_COORDINATOR"] == addresses[leads]
    assert _settings(coordinator)["SPRIG_PEERS"] == addresses[follows]
    assert set(_settings(pods["sprig-worker"].containers[0])["SPRIG_COORDINATOR"].split(",")) == set(addresses.values())
    assert addresses[leads] in pods["sprig-explorer"].containers[0]["args"]
    for name in (leads, follows):
        service = find("Service", name, manifests)["spec"]
        assert service["selector"].items() <= pods[name].labels.items()
        assert service["ports"][0]["port"] == pods[name].ports()["grpc"] == 7425
    ours = {"kubernetes.io/metadata.name": "sprig"}
    places = {name: Place(made.labels, ours) for name, made in pods.items()}
    prometheus = Place({"app": "prometheus"}, {"sprig/reads-metrics": "true"}, ours=False)
    for name in (follows, "sprig-worker", "sprig-explorer"):
        assert may_speak(places[name], places[leads], 7425, manifests)
    assert may_speak(places[leads], places[follows], 7425, manifests)
    for name in (leads, follows):
        assert may_speak(prometheus, places[name], pods[name].ports()["metrics"], manifests)


def test_jobs_for_one_volume_name_it_where_readme_has_the_other_one_take_its_place() -> None:
    """`sed` of README.md has the jobs work at the volumes of the one that leads now, and of the one that follows."""
    swapped = re.findall(r"^sed -i (\S+) (\w+)/job.yaml$", (HERE / "README.md").read_text(), re.M)
    assert {folder for _, folder in swapped} == {"restore", "promote"}
    promoted = render("overlays/promoted")
    leads, follows = leader(promoted), template("sprig-coordinator", promoted)
    for script, folder in swapped:
        _, old, new, _ = script.split("/")
        (job,) = templates(render(folder))
        owner = {"restore": leads, "promote": follows}[folder]
        claims = {name: claim.replace(old, new) for name, claim in job.claims.items()}
        assert claims.items() <= owner.claims.items()
        assert claims != job.claims


def _items(name: str, manifests: list[Manifest]) -> list[Manifest]:
    (volume,) = (v for v in template(name, manifests).spec["volumes"] if v["name"] == "secrets")
    return [item for source in volume["projected"]["sources"] for item in source["secret"].get("items", [])]


def _relabelled(rules: list[Manifest], labels: dict[str, str]) -> dict[str, str] | None:
    """What Prometheus makes of the labels of a target; none if it leaves it alone."""
    labels = dict(labels)
    for rule in rules:
        text = ";".join(labels.get(name, "") for name in rule["source_labels"])
        found = re.fullmatch(rule.get("regex", "(.*)"), text, re.S)
        if rule.get("action", "replace") == "keep":
            if not found:
                return None
        elif found:
            labels[rule["target_label"]] = found.expand(rule.get("replacement", "$1").replace("$", "\\"))
    return {name: text for name, text in labels.items() if not name.startswith("__")}


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("base", {"sprig-coordinator": "sprig-coordinator", "sprig-worker": "sprig-worker"}),
        (
            "overlays/promoted",
            {
                "sprig-follower": "sprig-coordinator",
                "sprig-worker": "sprig-worker",
                "sprig-coordinator": "sprig-follower",
            },
        ),
    ],
)
def test_prometheus_finds_the_pods(folder: str, found: dict[str, str]) -> None:
    """The jobs that it makes of pods are those of the alerts, by what the pods do."""
    config = yaml.safe_load((PROMETHEUS / "kubernetes.yml").read_text())
    (scraped,) = config["scrape_configs"]
    jobs = {}
    for pods in templates(render(folder)):
        labels = {
            f"__meta_kubernetes_pod_label_{re.sub('[^a-z0-9]', '_', key)}": text for key, text in pods.labels.items()
        }
        labels |= {"__meta_kubernetes_pod_phase": "Running", "__meta_kubernetes_pod_name": pods.name}
        for port in [*pods.ports(), ""]:
            made = _relabelled(scraped["relabel_configs"], labels | {"__meta_kubernetes_pod_container_port_name": port})
            jobs |= {made["instance"]: made["job"]} if made else {}
    assert jobs == found


def test_alerts_know_the_jobs_and_the_volumes() -> None:
    alerts = (PROMETHEUS / "rules.yml").read_text()
    jobs = {"sprig-coordinator", "sprig-worker", "sprig-follower"}
    assert set(re.findall(r'\bjob="([^"]+)"', alerts)) <= jobs
    (volumes,) = re.findall(r'persistentvolumeclaim=~"([^"]+)"', alerts)
    for folder in OVERLAYS:
        claims = {claim for pods in templates(render(folder)) for claim in pods.claims.values()}
        assert claims
        assert all(re.fullmatch(volumes, claim) for claim in claims)
