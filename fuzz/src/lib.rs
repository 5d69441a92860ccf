//! What the fuzz targets and the seeds of their corpora share: the messages by number.

use std::fmt::Debug;

use prost::Message;
use sprig_engine::CanonicalPosition;
use sprig_proto::{Build, ClusterStatus, FactBatch, FromWorker, Job, JobOrder, Knowledge, Malformed, ToWorker, wire};
use sprig_domain::{Goal, JobId, Fact};

/// Kinds of messages that [`check_message`] knows.
pub const KINDS: u8 = 11;

/// Decodes and converts a message of the wire. One that is taken must come back the same from a round trip.
pub fn check_message(kind: u8, bytes: &[u8]) {
    match kind % KINDS {
        0 => check::<wire::FromWorker, FromWorker>(bytes),
        1 => check::<wire::ToWorker, ToWorker>(bytes),
        2 => check::<wire::FactBatch, FactBatch>(bytes),
        3 => check::<wire::Goal, Goal>(bytes),
        4 => check_one_way::<wire::Job, Job>(bytes),
        5 => check_one_way::<wire::ClusterStatus, ClusterStatus>(bytes),
        6 => check::<wire::Knowledge, Knowledge>(bytes),
        7 => check::<wire::Build, Build>(bytes),
        8 => check::<wire::Fact, Fact>(bytes),
        9 => check_one_way::<wire::JobOrder, JobOrder>(bytes),
        _ => {
            if let Ok(position) = wire::Position::decode(bytes) {
                if let Ok(position) = CanonicalPosition::try_from(position) {
                    let again = CanonicalPosition::try_from(wire::Position::from(&position));
                    assert_eq!(again, Ok(position));
                }
            }
            let _ = wire::JobId::decode(bytes).map(JobId::from);
            let _ = wire::FactsRequest::decode(bytes);
        }
    }
}

fn check<W, T>(bytes: &[u8])
where
    W: Message + Default + From<T>,
    T: TryFrom<W, Error = Malformed> + Clone + Debug,
{
    let Some(taken) = converted::<W, T>(bytes) else { return };
    let again = T::try_from(W::from(taken.clone())).expect("what was taken can be said");
    assert_eq!(format!("{again:?}"), format!("{taken:?}"));
}

/// For messages whose numbers may be no number, or that only one side ever says.
fn check_one_way<W: Message + Default, T: TryFrom<W, Error = Malformed>>(bytes: &[u8]) {
    let _ = converted::<W, T>(bytes);
}

fn converted<W: Message + Default, T: TryFrom<W, Error = Malformed>>(bytes: &[u8]) -> Option<T> {
    T::try_from(W::decode(bytes).ok()?).ok()
}
