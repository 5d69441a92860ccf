//! What a follower and its coordinator say to each other.

use sprig_domain::Reign;

use crate::Build;

/// From a follower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromFollower {
    /// The first message.
    Hello(FollowerHello),
    /// What is on its disk.
    OnDisk(OnDisk),
}

/// To a follower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToFollower {
    /// The reply to `Hello`.
    Welcome(FollowerWelcome),
    /// What was written.
    Written(Written),
}

/// A follower introduces itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowerHello {
    /// Its program.
    pub build: Build,
    /// Its name, for people.
    pub name: String,
    /// The database that it has a copy of; 0 if it has nothing yet.
    pub database: u64,
    /// What it has on disk of that database.
    pub on_disk: OnDisk,
    /// The latest reign that it has heard of.
    pub reign: Option<Reign>,
}

/// A coordinator introduces itself to a follower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowerWelcome {
    /// Its program.
    pub build: Build,
    /// The identity of its database.
    pub database: u64,
    /// The reign in which it leads.
    pub reign: Reign,
    /// Whether the follower gets the whole database, and begins with nothing.
    pub whole: bool,
}

/// How much of a database is on a follower's disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OnDisk {
    /// The number of the last record.
    pub position: u64,
    /// Facts on disk.
    pub facts: u64,
}

/// Records that were written, in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The records.
    pub records: Vec<Record>,
    /// The number of the last one, if a copy may end there; `None` if more belongs to it.
    pub position: Option<u64>,
    /// Facts that the coordinator has by now.
    pub facts: u64,
}

/// A record of a family of the database, or the deletion of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The family.
    pub family: String,
    /// The key.
    pub key: Vec<u8>,
    /// The value; `None` if the record was deleted.
    pub value: Option<Vec<u8>>,
}
