//! The wire: protobuf messages, gRPC services and checked conversions.
//!
//! [`wire`] is generated from `proto/`. Everything in it comes from outside and is believed only
//! after a conversion into the types of the logic: [`FromWorker`] and [`ToWorker`] for the session
//! of a worker, [`Job`], [`Knowledge`] and [`ClusterStatus`] for clients. A message that cannot be
//! converted is [`Malformed`], which is `InvalidArgument` to the peer. `docs/cluster.md` tells
//! which end says what, and when.

mod access;
mod client;
mod convert;
mod follower;
mod handshake;
mod job;
pub mod limits;
mod network;
mod reach;
mod session;
mod tls;
pub mod trace;
mod visitors;

/// Generated messages and services.
#[allow(
    missing_docs,
    unused_qualifications,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]
pub mod wire {
    tonic::include_proto!("sprig.v1");
}

pub use access::{
    Access, AddressError, BadToken, Bearer, ClientTls, Line, NoRole, Role, TOKEN_CHARS, Token,
    innermost,
};
pub use client::{Client, ClientError, Jobs, refusal};
pub use convert::{Malformed, is_printable, label, ruleset, stretches};
pub use follower::{
    FollowerHello, FollowerWelcome, FromFollower, OnDisk, Record, ToFollower, Written,
};
pub use handshake::{Build, Mismatch, OLDEST_PROTOCOL, PROTOCOL_VERSION, Versions};
pub use job::{
    Ban, ClusterStatus, FollowerStatus, Job, JobOrder, Knowledge, LandKnowledge, Looker, Move,
    Selection, Sight, Submission, Waiting, Wanted, WorkerStatus,
};
pub use network::{Dial, Network};
pub use reach::spoken_past;
pub use session::{
    Acknowledge, Alarm, Answer, FactBatch, FromWorker, GaveUp, Grant, Hello, LeaseId, Look,
    Obstacle, Proved, Pull, Report, ToWorker, Welcome, WorkerId,
};
pub use tls::TlsProblem;
/// Why a call was refused.
pub use tonic::Code;
pub use visitors::Visitors;
