//! The database of proved facts, jobs and their history, on RocksDB.
//!
//! A [`Store`] is a directory that one process at a time has open to write; a [`Reader`] is what
//! any number of processes have open to read, at the same time. Everything is written by
//! [`Store::commit`]: a [`Batch`] is checked against what is known, written atomically, and on disk
//! when the call returns. Facts are eternal: inserting one twice changes nothing, and one that
//! contradicts another is refused together with its whole batch.
//!
//! A [`Fact`] is the nimber of a land, the options of a reduced canonical tree, the tree of a land,
//! or a node that is lost in misère play. Lands come and go as their canonical bytes
//! ([`sprig_engine::CanonicalLand::key`]), nodes as theirs ([`sprig_domain::Node::encode`]). The
//! store does not look inside them: a caller that takes bytes from a stranger checks them first.
//! For a tree, the store checks that the options make the key.
//!
//! A fact is [`Status::Verified`] if it carries a seal that was made with the [`Secret`] with which
//! the database is opened, and claimed otherwise, whatever its bits say.
//!
//! All calls are synchronous: a commit blocks for as long as the disk takes to sync, so call it
//! from a thread of its own. The layout of every byte is drawn in `docs/store-format.md`.

mod adopt;
mod backup;
mod ban;

mod bytes;
mod change;
mod check;
mod commit;
mod contribution;
mod credit;
mod directory;
mod error;
mod fact;
mod facts;
mod goal;
mod history;
mod job;
mod jobs;
mod known;
mod least;
mod log;
mod noted;
mod reader;
mod record;
mod recorder;
mod reign;
mod replica;
mod seal;
mod source;
mod store;
mod tables;
mod tail;
mod tally;
mod terms;
#[cfg(test)]
mod tests;
mod wishes;
mod withdraw;

pub use adopt::Vouched;
pub use backup::{Copied, Copying, Origin, take_copy};
pub use ban::{BanRecord, BanState, Person};
pub use change::Change;
pub use check::Inventory;
pub use contribution::{Batch, Committed, Contribution, Exclusion, Taken};
pub use credit::{Credit, Credited, credited};
pub use directory::FORMAT_VERSION;
pub use error::{Assertion, Claim, Contradiction, StoreError};
pub use fact::{Fact, Kind, Sequence, Status, StoredFact, Subject, Value};
pub use history::{Event, EventKind};
pub use job::{Job, UnixMillis};
pub use least::Least;
pub use log::Counts;
pub use noted::{last_backup, note_backup};
pub use reader::Reader;
pub use reign::{Following, Succession};
pub use replica::{Held, Replica};
pub use seal::{KeyId, Secret};
pub use source::{Provenance, Source};
pub use store::Store;
pub use tail::News;
pub use tally::Worth;
pub use withdraw::NO_JOB;
