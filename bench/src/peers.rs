//! Published and earlier solvers, and what they took.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A solver to be compared with.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// Where the figures come from, and what they mean.
    pub source: String,
    /// CPU seconds of one thread for the outcome of each start position, from an empty database, by
    /// spots.
    pub seconds: BTreeMap<u32, f64>,
}

/// The solvers of `bench/peers.json`; SPOTS, which all speed is compared to, is the first.
pub fn peers() -> Vec<Peer> {
    serde_json::from_str(include_str!("../peers.json")).expect("peers.json is part of the program")
}
