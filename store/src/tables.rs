//! The column families and how RocksDB is set up.

use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamilyDescriptor, DB, DBCompressionType, DBRecoveryMode, Env,
    InfoLogger, LogLevel, Options,
};

/// Sources of facts, number -> [`crate::Source`]. RocksDB insists on a family of this name.
pub(crate) const SOURCES: &str = "default";
/// Rules and land -> nimber, status, sequence number.
pub(crate) const FACTS: &str = "facts";
/// Rules and land -> values that its nimber does not have. Dropped when the nimber becomes known.
pub(crate) const EXCLUDED: &str = "excluded";
/// Sequence number -> the facts from there on, and their provenance.
pub(crate) const LOG: &str = "log";
/// Job number -> job, and goal -> number of the latest job with that goal.
pub(crate) const JOBS: &str = "jobs";
/// Job number and event number -> event.
pub(crate) const HISTORY: &str = "history";

/// Bytes of file blocks kept in memory.
const BLOCK_CACHE: usize = 32 << 20;
/// Bytes of all memtables together.
const MEMTABLES: usize = 32 << 20;
/// Bytes of one memtable; also what the log of writes is preallocated by.
const MEMTABLE: usize = 8 << 20;
/// Filter bits a land; a look-up of an unknown land then reads a block in one case of a hundred.
const FILTER_BITS: f64 = 10.0;

/// Opens or creates the RocksDB in `dir`; in memory only, when `env` says so.
pub(crate) fn open(dir: &std::path::Path, env: Option<&Env>) -> Result<DB, rocksdb::Error> {
    let cache = Cache::new_lru_cache(BLOCK_CACHE);
    let looked_up = [FACTS, EXCLUDED];
    let families = [SOURCES, FACTS, EXCLUDED, LOG, JOBS, HISTORY]
        .map(|name| ColumnFamilyDescriptor::new(name, family(&cache, looked_up.contains(&name))));
    let mut options = database();
    if let Some(env) = env {
        options.set_env(env);
    }
    DB::open_cf_descriptors(&options, dir, families)
}

fn database() -> Options {
    let mut options = Options::default();
    options.create_if_missing(true);
    options.create_missing_column_families(true);

    // The default mode ends recovery at the first bad record and drops all later ones without a word. This one
    // forgives a torn tail, which no commit had acknowledged, and refuses anything else.
    options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
    options.set_track_and_verify_wals_in_manifest(true);
    options.set_paranoid_checks(true);

    options.set_db_write_buffer_size(MEMTABLES);
    options.set_max_total_wal_size(2 * MEMTABLES as u64);
    options.set_max_open_files(256);
    // One thread flushes and compacts: the cores are for the search.
    options.set_max_background_jobs(1);
    options.set_max_file_opening_threads(1);
    options.set_manifest_preallocation_size(64 << 10);

    // What RocksDB has to say goes where everything else goes; no statistics, no log file.
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

fn family(cache: &Cache, looked_up: bool) -> Options {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(cache);
    blocks.set_block_size(16 << 10);
    blocks.set_format_version(6);
    blocks.set_cache_index_and_filter_blocks(true);
    if looked_up {
        blocks.set_ribbon_filter(FILTER_BITS);
    }
    let mut options = Options::default();
    options.set_block_based_table_factory(&blocks);
    options.set_compression_type(DBCompressionType::Lz4);
    options.set_write_buffer_size(MEMTABLE);
    options
}
