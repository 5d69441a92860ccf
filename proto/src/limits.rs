//! Bounds on what a peer may send. Both sides keep to them and both sides enforce them.

/// Longest message, in bytes. Nothing that is kept to the other limits comes near it.
pub const MESSAGE_BYTES: usize = 4 << 20;

/// Most facts in one message.
pub const FACTS: usize = 1024;

/// Most bytes of land keys in one message of facts. A batch is closed before it would pass this.
pub const FACT_BYTES: usize = 1 << 20;

/// Longest key of a land, in bytes. The largest land that notation accepts is well below.
pub const KEY_BYTES: usize = 4096;

/// Most lands in one position.
pub const LANDS: usize = 1024;

/// Longest name of a worker or of a build, or reason of a failure, in bytes.
pub const TEXT_BYTES: usize = 1024;

/// Most streams at once on one connection.
pub const STREAMS: u32 = 64;

/// Most bytes of headers of one call.
pub const HEADER_BYTES: u32 = 16 << 10;
