//! What the program is built on, as deny.toml allows it: `cargo deny` says the same of all platforms, and takes minutes
//! to compile (`.ci/run deny`).

use serde_json::Value;
use spdx::{Expression, LicenseReq, ParseMode};

use crate::common::{cargo, root};

/// A package that this platform builds.
struct Package {
    name: String,
    /// An SPDX expression; older ones have `/` for `OR`.
    licence: Option<String>,
    source: Option<String>,
    dependencies: Vec<String>,
}

/// All that is built here, the tests included.
fn packages() -> Vec<Package> {
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a platform");
    let metadata =
        cargo(&["metadata", "--locked", "--format-version", "1", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list").iter();
    packages
        .map(|package| {
            let text = |key: &str| package[key].as_str().map(str::to_owned);
            let dependencies = package["dependencies"].as_array().expect("a list").iter();
            Package {
                name: text("name").expect("a name"),
                licence: text("license"),
                source: text("source"),
                dependencies: dependencies
                    .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
                    .collect(),
            }
        })
        .collect()
}

fn policy() -> toml::Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("it is there");
    text.parse().expect("TOML")
}

#[test]
fn every_package_has_a_licence_that_is_allowed() {
    let policy = policy();
    let allowed = policy["licenses"]["allow"].as_array().expect("a list");
    let is_allowed = |wanted: &LicenseReq| allowed.contains(&wanted.to_string().into());
    let packages = packages();
    assert!(packages.len() > 200, "{}", packages.len());
    for Package { name, licence, .. } in packages {
        let licence = licence.unwrap_or_else(|| panic!("{name} names no licence"));
        let expression = Expression::parse_mode(&licence, ParseMode::LAX)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(expression.evaluate(is_allowed), "{name}: {licence} is not in deny.toml");
    }
}

#[test]
fn what_is_banned_is_not_there() {
    let packages = packages();
    let policy = policy();
    let banned = policy["bans"]["deny"].as_array().expect("a list");
    assert!(!banned.is_empty());
    for ban in banned {
        let name = ban["crate"].as_str().expect("a name");
        // What stands in a manifest and is switched off is not built.
        if !packages.iter().any(|package| package.name == name) {
            continue;
        }
        let wrappers = ban.get("wrappers").and_then(|list| list.as_array());
        let may_use = |user: &str| {
            wrappers.is_some_and(|list| list.iter().any(|name| name.as_str() == Some(user)))
        };
        for user in packages.iter().filter(|user| user.dependencies.iter().any(|d| d == name)) {
            assert!(may_use(&user.name), "{} uses {name}", user.name);
        }
    }
}

#[test]
fn everything_comes_from_the_registry_of_cargo() {
    for Package { name, source, .. } in packages() {
        // None: it lies in this repository.
        let is_known = source.as_ref().is_none_or(|source| source.starts_with("registry+"));
        assert!(is_known, "{name} comes from {source:?}");
    }
}
