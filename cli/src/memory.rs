//! How much memory and how many threads a search may take.

use std::num::NonZero;

use clap::Args;
use sprig_search::Limits;

/// Memory for a search where the system does not say how much there is, in bytes.
const MODEST: usize = 2 << 30;

/// Bounds of a search.
#[derive(Args)]
pub struct Bounds {
    /// Threads of each worker [default: all cores, divided among the workers]
    #[arg(long, value_name = "T")]
    threads: Option<NonZero<u16>>,

    /// Memory for search tables, of all workers together, as in 512M or 4G [default: half of the machine's, in proportion to the cores used]
    #[arg(long, value_name = "SIZE", value_parser = parse)]
    memory: Option<usize>,
}

impl Bounds {
    /// The bounds of one of `workers` workers in this process.
    pub fn of_one(&self, workers: NonZero<u16>) -> Limits {
        let workers = usize::from(workers.get());
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = self.threads.map_or((cores / workers).max(1), |threads| threads.get().into());
        // Several processes that share the cores of a machine share its memory in the same way.
        let share = || half_of_the_machine() / cores * (workers * threads).min(cores);
        Limits { threads, memory: self.memory.unwrap_or_else(share) / workers }
    }
}

/// Half of the memory that the machine has, in bytes.
fn half_of_the_machine() -> usize {
    let kibibytes = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<usize>().ok());
    kibibytes.map_or(MODEST, |kibibytes| kibibytes << 9)
}

/// Reads a number of bytes with an optional binary suffix K, M, G or T.
///
/// # Errors
/// What is expected, when the text is something else.
fn parse(text: &str) -> Result<usize, String> {
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
