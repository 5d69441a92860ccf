//! Bounds on what a peer may send. Both sides keep to them and both sides enforce them.

/// Longest message, in bytes. Nothing that is kept to the other limits comes near it.
pub const MESSAGE_BYTES: usize = 4 << 20;

/// Longest message to a follower, in bytes: one record of the log may name 128 nodes.
pub const WRITTEN_BYTES: usize = 16 << 20;

/// Bytes of records in one message to a follower, after which no other is added.
pub const RECORD_BYTES: usize = 1 << 20;

/// Most facts in one message.
pub const FACTS: usize = 1024;

/// The longest that a worker gathers facts before it reports them, in milliseconds.
pub const GATHER_MILLIS: u32 = 2_000;

/// Most stretches of facts in one message to a worker that reads them from a copy.
pub const STRETCHES: usize = 1024;

/// Most facts in the stretches of one message.
pub const IN_STRETCHES: u64 = 1 << 16;

/// Most bytes of land keys in one message of facts. A batch is closed before it would pass this.
pub const FACT_BYTES: usize = 1 << 20;

/// Longest key of a land, in bytes. The largest land that notation accepts is well below.
pub const KEY_BYTES: usize = 4096;

/// Most lands in one position.
pub const LANDS: usize = 1024;

/// Most bytes of land keys in one position. To see whether they are canonical takes a machine up to
/// a second.
pub const POSITION_BYTES: usize = 16 << 10;

/// Most jobs in one message.
pub const JOBS: usize = 500;

/// Most options of a place in one view.
pub const VIEWED: usize = 200;

/// Most places of a line in one view: a line may name the couple of a sum after the sum.
pub const LINE: usize = 128;

/// Bytes of jobs in one message, after which no other is added.
pub const JOB_BYTES: usize = 2 << 20;

/// Messages of strangers that are read at once, where reading one may take long: to see whether lands
/// are canonical does, where they are large and symmetric. As many short ones are read beside long ones.
pub const READERS: usize = 2;

/// A message that has more bytes than this takes its turn among the long ones.
pub const SHORT_BYTES: usize = 2 << 10;

/// A message that has more bytes than this takes a turn, among the short ones at least.
pub const TINY_BYTES: usize = 64;

/// Longest name of a worker or of a build, or reason of a failure, in bytes.
pub const TEXT_BYTES: usize = 1024;

/// Longest owner or label of a job, in bytes.
pub const LABEL_BYTES: usize = 120;

/// Most streams at once on one connection.
pub const STREAMS: u32 = 64;

/// Most bytes of headers of one call.
pub const HEADER_BYTES: u32 = 16 << 10;

/// Most connections at once. Enough for ten thousand workers.
pub const CONNECTIONS: usize = 12_000;

/// Most connections of one address that have not finished TLS. They have ten seconds for it.
pub const BEGINNERS: usize = 256;

/// Calls that one connection may make in a second, over time. A session of a worker is one call.
pub const CALLS_PER_SECOND: u32 = 1_000;

/// Calls that one connection may make at once, when it has made none for a while.
pub const CALLS_AT_ONCE: u32 = 2_000;

/// Messages of a worker that are taken in a second, over time; what comes faster waits in the
/// network.
pub const MESSAGES_PER_SECOND: u32 = 200;

/// Messages of a worker that are taken at once, when it has been quiet for a while.
pub const MESSAGES_AT_ONCE: u32 = 1000;

/// Orders that may wait for the database before workers are made to wait.
pub const ORDERS: usize = 512;

/// Queries that are looked up at once. One may read the children of a large position.
pub const QUERIES: usize = 4;

/// Streams that a peer may have opened and reset before they were looked at.
pub const RESETS: usize = 32;

/// Most options of one tree. No position met so far has a tenth of this.
pub const OPTIONS: usize = 16 << 10;

/// Longest node of a misère search, in bytes.
pub const NODE_BYTES: usize = 64 << 10;
