//! The database of proved facts, jobs and their history, on RocksDB.
