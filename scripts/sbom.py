#!/usr/bin/env python3
"""Writes the bill of materials of an image (CycloneDX 1.6, JSON) on standard output.

It names each crate that is compiled into the program, with its licence and the hash of its source, and each package of
Debian. The same image has the same bill.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import tomllib
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

LICENSES = LicenseFactory()


def crates(features: str) -> tuple[Component, list[tuple[Component, list[Component]]]]:
    """The program, and each crate of it with those that it uses."""
    host = re.search(r"^host: (.*)$", run("rustc", "-vV"), re.M)
    assert host, "rustc says what it builds for"
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host[1]]
    # The features of a member are chosen as in a build: from its own folder.
    if features == "none":
        command.append("--no-default-features")
    metadata = json.loads(run(*command, "--manifest-path", "cli/Cargo.toml"))
    sources = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    locked = tomllib.loads(Path("Cargo.lock").read_text())["package"]
    checksums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    root = next(key for key, package in sources.items() if package["name"] == "sprig")

    def uses(key: str) -> list[str]:
        """What is linked into it; what only builds or tests it is not."""
        return [
            dependency["pkg"]
            for dependency in nodes[key]["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]

    reached, todo = {root}, [root]
    while todo:
        found = set(uses(todo.pop())) - reached
        reached |= found
        todo += found

    def component(key: str) -> Component:
        package = sources[key]
        name, version = package["name"], package["version"]
        purl = PackageURL("cargo", None, name, version)
        checksum = checksums[name, version]
        return Component(
            name=name,
            version=version,
            type=ComponentType.APPLICATION if key == root else ComponentType.LIBRARY,
            purl=purl,
            bom_ref=str(purl),
            licenses=[LICENSES.make_from_string(package["license"].replace("/", " OR "))] if package["license"] else [],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
        )

    made = {key: component(key) for key in sorted(reached)}
    return made[root], [(made[key], [made[used] for used in uses(key)]) for key in made]


def packages(file: str, suite: str) -> list[Component]:
    """The packages of Debian, by the names of their files."""
    components = []
    for line in sorted(Path(file).read_text().split()):
        parts = line.removesuffix(".deb").split("_")
        if not line.endswith(".deb") or len(parts) != 3:
            continue
        name, version, architecture = (unquote(part) for part in parts)
        purl = PackageURL("deb", "debian", name, version, {"arch": architecture, "distro": suite})
        components.append(
            Component(name=name, version=version, type=ComponentType.LIBRARY, purl=purl, bom_ref=str(purl))
        )
    return components


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--name", required=True, help="the image")
    arguments.add_argument("--features", choices=["default", "none"], required=True, help="of the program")
    arguments.add_argument("--packages", required=True, help="file with names of .deb files")
    arguments.add_argument("--suite", required=True, help="of Debian")
    asked = arguments.parse_args()

    program, linked = crates(asked.features)
    debian = packages(asked.packages, asked.suite)
    assert program.version
    image = Component(name=asked.name, version=program.version, type=ComponentType.CONTAINER, bom_ref=asked.name)
    bom = Bom(components=[component for component, _ in linked] + debian)
    bom.metadata.component = image
    bom.register_dependency(image, [program, *debian])
    for component, used in linked:
        bom.register_dependency(component, used)
    # No time and no chance: the number follows from the content.
    content = ",".join(sorted(str(component.purl) for component in bom.components))
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{asked.name} {content}")
    written: dict[str, Any] = json.loads(make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string())
    del written["metadata"]["timestamp"]
    text = json.dumps(written, indent=1, sort_keys=True)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert wrong is None, wrong
    print(text)


if __name__ == "__main__":
    main()
