//! The column families and how RocksDB is set up.

use std::path::Path;

use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamilyDescriptor, DB, DBCompressionType, DBRecoveryMode, Env,
    InfoLogger, LogLevel, Options,
};

use crate::StoreError;

/// Sources of facts, number -> [`crate::Source`]. RocksDB insists on a family of this name.
pub(crate) const SOURCES: &str = "default";
/// Rules and land -> nimber, status, sequence number.
pub(crate) const FACTS: &str = "facts";
/// Rules and key of a tree -> status, sequence number, options.
pub(crate) const TREES: &str = "trees";
/// Rules and land -> status, sequence number, key of its tree.
pub(crate) const RCTS: &str = "rcts";
/// Rules and node -> status, sequence number.
pub(crate) const LOSSES: &str = "losses";
/// Rules and land -> values that its nimber does not have. Dropped when the nimber becomes known.
pub(crate) const EXCLUDED: &str = "excluded";
/// Sequence number -> the facts from there on, and their provenance.
pub(crate) const LOG: &str = "log";
/// Job number -> job, and goal -> number of the latest job with that goal.
pub(crate) const JOBS: &str = "jobs";
/// Job number and event number -> event.
pub(crate) const HISTORY: &str = "history";

/// Person -> whether it is banned. A program that does not know this family refuses the database
/// because of its name.
pub(crate) const BANS: &str = "bans";
/// What was sealed with which key, and how many claims have gone. A program that knows no seals
/// refuses the database because of this name.
pub(crate) const SEAL: &str = "seal";

/// An empty family. That it exists says that keys may begin with other games than Sprouts. A
/// program that knows no other game refuses the database because of this name.
pub(crate) const GAMES: &str = "games";

/// Which reign a database leads in, or which coordinator it follows. It exists only in the database
/// of a follower, even after its promotion. A program that knows no followers refuses the database
/// because of this name.
pub(crate) const REIGN: &str = "reign";

/// The families that every database has.
pub(crate) const FAMILIES: [&str; 12] =
    [SOURCES, FACTS, TREES, RCTS, LOSSES, EXCLUDED, LOG, JOBS, HISTORY, BANS, SEAL, GAMES];

/// Bytes that RocksDB may take for memtables and file blocks, unless the caller says otherwise.
pub(crate) const MEMORY: usize = 64 << 20;
/// Memtables and file blocks each get this part of the memory: one in two.
const MEMTABLES: usize = 2;
const BLOCK_CACHE: usize = 2;
/// The part of the memory that one memtable gets: one in eight. The log of writes is preallocated
/// by as much.
const MEMTABLE: usize = 8;
/// The part of the memory that is read ahead in a compaction: one in sixteen, but at most 2 MB, as
/// RocksDB does.
const READ_AHEAD: usize = 16;
const MOST_READ_AHEAD: usize = 2 << 20;
/// Filter bits for each subject. With these, a look-up of an unknown subject reads a block in one
/// case of a hundred.
const FILTER_BITS: f64 = 10.0;
/// The filter of a memtable, as a share of it: some ten bits for each of its subjects. Most
/// subjects that are looked up are new.
const MEMTABLE_FILTER: f64 = 0.02;

/// How to open a RocksDB to write.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    /// The environment of a database in memory only.
    pub(crate) env: Option<&'a Env>,
    /// Bytes for memtables and file blocks.
    pub(crate) memory: usize,
    /// Megabytes of logs that are kept for followers when their content is in tables.
    pub(crate) logs: u64,
    /// Whether it is to have the family of reigns.
    pub(crate) reigns: bool,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self { env: None, memory: MEMORY, logs: 0, reigns: false }
    }
}

/// Opens or creates the RocksDB in `dir`.
pub(crate) fn open(dir: &Path, setup: Setup<'_>) -> Result<DB, rocksdb::Error> {
    let mut options = database(setup.memory);
    options.create_if_missing(true);
    options.create_missing_column_families(true);
    options.set_wal_size_limit_mb(setup.logs);
    if let Some(env) = setup.env {
        options.set_env(env);
    }
    // If it cannot be listed, it is new, or opening it says what is wrong.
    let there = DB::list_cf(&Options::default(), dir).unwrap_or_default();
    let mut names = FAMILIES.to_vec();
    if setup.reigns || setup.env.is_none() && there.iter().any(|name| name == REIGN) {
        names.push(REIGN);
    }
    DB::open_cf_descriptors(&options, dir, families(&names, setup.memory))
}

fn is_ours(name: &str) -> bool {
    name == REIGN || FAMILIES.contains(&name)
}

/// The names of the families of the RocksDB in `dir`, all of them ours.
pub(crate) fn names(dir: &Path) -> Result<Vec<String>, StoreError> {
    let names = DB::list_cf(&Options::default(), dir);
    let names = names.map_err(|e| StoreError::from_rocksdb(dir, &e))?;
    match names.iter().find(|name| !is_ours(name)) {
        Some(family) => Err(StoreError::Strange { dir: dir.into(), family: family.clone() }),
        None => Ok(names),
    }
}

/// Opens the RocksDB in `dir`, which has the families `there`, to read what is there now. Writes
/// nothing into the directory.
pub(crate) fn open_to_read(
    dir: &Path,
    there: &[String],
    memory: usize,
) -> Result<DB, rocksdb::Error> {
    let mut options = database(memory);
    // All tables are opened at once: a process that writes may delete one later, and it stays
    // readable.
    options.set_max_open_files(-1);
    let ours: Vec<_> = FAMILIES
        .into_iter()
        .chain([REIGN])
        .filter(|name| there.iter().any(|n| n == name))
        .collect();
    DB::open_cf_descriptors_read_only(&options, dir, families(&ours, memory), false)
}

fn families(names: &[&'static str], memory: usize) -> Vec<ColumnFamilyDescriptor> {
    let cache = Cache::new_lru_cache(memory / BLOCK_CACHE);
    let looked_up = [FACTS, TREES, RCTS, LOSSES, EXCLUDED];
    let described = |name: &&'static str| {
        ColumnFamilyDescriptor::new(*name, family(&cache, memory, looked_up.contains(name)))
    };
    names.iter().map(described).collect()
}

fn database(memory: usize) -> Options {
    let mut options = Options::default();

    // The default mode ends recovery at the first bad record and drops all later ones without a
    // word. This mode forgives a torn tail, which no commit had acknowledged, and refuses anything
    // else.
    options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
    options.set_track_and_verify_wals_in_manifest(true);
    // The families go to disk together, so that a list of tables that was cut tells of all or of
    // none.
    options.set_atomic_flush(true);
    options.set_paranoid_checks(true);

    options.set_db_write_buffer_size(memory / MEMTABLES);
    options.set_max_total_wal_size(2 * (memory / MEMTABLES) as u64);
    options.set_compaction_readahead_size((memory / READ_AHEAD).min(MOST_READ_AHEAD));
    options.set_max_open_files(256);
    // One thread flushes and compacts: the cores are for the search.
    options.set_max_background_jobs(1);
    options.set_max_file_opening_threads(1);
    options.set_manifest_preallocation_size(64 << 10);

    // RocksDB's messages go into our log. It keeps no statistics and no log file.
    options.set_info_logger(InfoLogger::new_callback_logger(LogLevel::Warn, report));
    options.set_stats_dump_period_sec(0);
    options.set_stats_persist_period_sec(0);
    options.set_skip_stats_update_on_db_open(true);
    options
}

fn report(level: LogLevel, message: &str) {
    let message = message.trim();
    match level {
        LogLevel::Error | LogLevel::Fatal => tracing::error!(target: "rocksdb", "{message}"),
        LogLevel::Warn => tracing::warn!(target: "rocksdb", "{message}"),
        // RocksDB lists all its options on every opening, whatever level is asked for.
        _ => tracing::trace!(target: "rocksdb", "{message}"),
    }
}

fn family(cache: &Cache, memory: usize, looked_up: bool) -> Options {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(cache);
    blocks.set_block_size(16 << 10);
    blocks.set_format_version(6);
    // Tables keep their indexes and filters, a byte for each fact. In the cache the filter of a large
    // table has no room: its shards are smaller, so it would be read anew for every look-up.
    blocks.set_cache_index_and_filter_blocks(false);
    if looked_up {
        blocks.set_ribbon_filter(FILTER_BITS);
    }
    let mut options = Options::default();
    options.set_block_based_table_factory(&blocks);
    options.set_compression_type(DBCompressionType::Lz4);
    options.set_write_buffer_size(memory / MEMTABLE);
    if looked_up {
        options.set_memtable_prefix_bloom_ratio(MEMTABLE_FILTER);
        options.set_memtable_whole_key_filtering(true);
    }
    options
}
