//! The memory and threads that the searches of a process may take.

use std::num::NonZero;
use std::path::Path;

use anyhow::ensure;
use clap::Args;
use sprig_search::Limits;

use crate::allowance::{Allowance, Owner, allowances};

/// Bytes that a machine is taken to have, if the system does not say.
const MODEST: usize = 4 << 30;
/// Bytes that this process is taken to need, if the system does not say.
const PROCESS: usize = 24 << 20;
/// Bytes that a process needs later, besides its searches and its database: code that was not run
/// yet, and messages.
const LATER: usize = 3 << 20;
/// One in this many bytes of memory is for facts on their way, as there are more of them with more
/// memory.
const ON_THE_WAY: usize = 16;
/// While a database writes its tables, it takes this many times the memory that it may keep.
const FLUSHED: usize = 2;
/// A database takes one in this many bytes of memory.
const DATABASE: usize = 16;
/// The least and the most bytes that a database takes.
#[cfg(feature = "coordinator")]
const DATABASES: (usize, usize) = (1 << 20, 64 << 20);

/// Bounds of the searches of this process.
#[derive(Args)]
pub struct Bounds {
    /// Threads of each worker [default: all cores, divided among the workers]
    #[arg(long, value_name = "T", env = "SPRIG_THREADS", value_parser = count)]
    threads: Option<NonZero<u16>>,

    /// Most memory that this process may take, everything included, as in 512M or 4G [default: half of the machine's, in
    /// proportion to the cores used, and at most half of what a control group or `ulimit` allows]
    #[arg(long, value_name = "SIZE", env = "SPRIG_MEMORY", value_parser = parse)]
    memory: Option<usize>,
}

impl Bounds {
    /// Bounds that do not come from the command line.
    #[cfg(feature = "coordinator")]
    pub fn new(threads: u16, memory: Option<usize>) -> Self {
        Self { threads: NonZero::new(threads), memory }
    }

    /// The share of a database in the memory, in bytes.
    #[cfg(feature = "coordinator")]
    pub fn of_database(&self, workers: NonZero<u16>) -> usize {
        (self.memory(workers) / DATABASE).clamp(DATABASES.0, DATABASES.1)
    }

    /// The bounds of one of `workers` workers in this process. They leave room for what the process
    /// has needed so far and a database that will need `database` bytes.
    ///
    /// # Errors
    /// When too little memory is left for a search.
    pub fn of_one(&self, workers: NonZero<u16>, database: usize) -> anyhow::Result<Limits> {
        let threads = self.threads(workers);
        let count = usize::from(workers.get());
        let rest = peak().unwrap_or(PROCESS) + LATER + FLUSHED * database;
        let all = self.memory(workers);
        let memory = all.saturating_sub(rest + all / ON_THE_WAY) / count;
        let needed = rest + count * Limits::least_memory(threads);
        ensure!(
            memory >= Limits::least_memory(threads),
            "{} MB of memory are too little: at least {} MB are needed for {count} x {threads} threads; say so with --memory",
            all >> 20,
            // The database takes its share of the additional memory, too.
            (needed + needed / DATABASE + needed / ON_THE_WAY).div_ceil(1 << 20) + 2,
        );
        Ok(Limits { threads, memory })
    }

    /// The bounds of the only search in this process, beside a database.
    ///
    /// # Errors
    /// Those of [`Bounds::of_one`].
    #[cfg(feature = "coordinator")]
    pub fn of_all(&self) -> anyhow::Result<Limits> {
        let one = NonZero::<u16>::MIN;
        self.of_one(one, self.of_database(one))
    }

    /// The threads of each worker.
    fn threads(&self, workers: NonZero<u16>) -> usize {
        let all = || (cores() / usize::from(workers.get())).max(1);
        self.threads.map_or_else(all, |threads| threads.get().into())
    }

    /// The bytes for the process. Several processes that share the cores of a machine share its
    /// memory in the same way.
    fn memory(&self, workers: NonZero<u16>) -> usize {
        self.memory.unwrap_or_else(|| self.share(workers).0)
    }

    /// The bytes that are taken if no option says it, and the owner of the limit behind them.
    fn share(&self, workers: NonZero<u16>) -> (usize, Owner) {
        let busy = (usize::from(workers.get()) * self.threads(workers)).min(cores());
        let of_all = |bytes: usize| bytes / 2 / cores() * busy;
        let shares = allowances(Path::new("/")).into_iter().map(|Allowance { bytes, owner }| {
            // A limit of this process alone need not be shared with other processes of the machine.
            let share = if owner == Owner::Machine { of_all(bytes) } else { bytes / 2 };
            (share, owner)
        });
        let least = shares.min_by_key(|&(share, _)| share);
        least.unwrap_or_else(|| (of_all(MODEST), Owner::Machine))
    }

    /// The memory that a person set, in bytes, if one did.
    pub fn given(&self) -> Option<usize> {
        self.memory
    }

    /// The tightest bound of the system that the memory that a person set exceeds, if it does.
    pub fn exceeded(&self) -> Option<Allowance> {
        let given = self.memory?;
        let tightest = allowances(Path::new("/")).into_iter().min_by_key(|bound| bound.bytes)?;
        (given > tightest.bytes).then_some(tightest)
    }

    /// A notice of the memory that is taken, if neither a person nor the size of the machine set
    /// it.
    pub fn notice(&self, workers: NonZero<u16>) -> Option<String> {
        let (bytes, owner) = self.memory.is_none().then(|| self.share(workers))?;
        (owner != Owner::Machine).then(|| {
            format!("memory {} MB, half of what {owner}; --memory says otherwise", bytes >> 20)
        })
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// The most memory that this process has had so far, in bytes, if the system says it.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? << 10)
}

/// Reads a number of threads or workers.
///
/// # Errors
/// What is expected.
pub fn count(text: &str) -> Result<NonZero<u16>, String> {
    text.parse().map_err(|_| format!("a whole number from 1 to {}", u16::MAX))
}

/// Reads a number of bytes with an optional binary suffix K, M, G or T.
///
/// # Errors
/// What is expected.
pub fn parse(text: &str) -> Result<usize, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[number.len()..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err("a size is a number with K, M, G or T, as in 512M or 4G".to_owned()),
    };
    number
        .parse::<usize>()
        .ok()
        .and_then(|n| n.checked_mul(1 << shift))
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| {
            "a size is a whole number above 0 with K, M, G or T, as in 512M or 4G".to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_are_binary() {
        assert_eq!(parse("4096"), Ok(4096));
        assert_eq!(parse("512M"), Ok(512 << 20));
        assert_eq!(parse("4g"), Ok(4 << 30));
        assert_eq!(parse("1GiB"), Ok(1 << 30));
        for bad in ["", "G", "0", "-1G", "1.5G", "4X", "99999999999999999999", "99999999999T"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
