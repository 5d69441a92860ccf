//! The machine: its clock, and the limits of a process.

use std::num::NonZero;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Resource, getrlimit};
use sprig_ask::plural;
use sprig_proto::Build;

use super::Finding;
use crate::allowance::Allowance;
use crate::memory::Bounds;

/// This program is younger than this time, 2026-01-01 in seconds since 1970. A clock that shows
/// less is wrong.
const LATER: u64 = 1_767_225_600;
/// Open files that a coordinator of a few hundred workers needs.
const FILES: u64 = 4096;

/// What every process of Sprig needs of the machine.
pub fn machine(bounds: &Bounds) -> Vec<Finding> {
    vec![program(), clock(), open_files(), memory(bounds)]
}

fn program() -> Finding {
    let Build { protocol, canonical, id } = Build::here();
    Finding::good("program", format!("{id}, protocol {protocol}, canonical form {canonical}"))
}

fn clock() -> Finding {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let date = crate::date::utc(seconds * 1000);
    if seconds < LATER {
        let detail = format!("it says {date}, which is long over");
        let remedy = "set it, and keep it right (`timedatectl set-ntp true`): certificates are refused before their time";
        return Finding::bad("clock", detail, remedy);
    }
    Finding::good("clock", format!("it says {date}"))
}

fn open_files() -> Finding {
    let Some(most) = getrlimit(Resource::Nofile).current else {
        return Finding::good("open files", "as many as it likes");
    };
    let detail = format!("{most} at once");
    if most < FILES {
        let remedy = format!(
            "a coordinator with many workers needs more: `ulimit -n {FILES}`, or LimitNOFILE= in the unit"
        );
        return Finding::warning("open files", detail, remedy);
    }
    Finding::good("open files", detail)
}

fn memory(bounds: &Bounds) -> Finding {
    let one = NonZero::<u16>::MIN;
    match bounds.of_one(one, 0) {
        Ok(limits) => {
            let whose = match bounds.given() {
                Some(bytes) => format!("of {} MB that it is given", bytes >> 20),
                None => bounds
                    .notice(one)
                    .unwrap_or_else(|| "its share of what the machine has".to_owned()),
            };
            let (threads, megabytes) = (plural(limits.threads, "thread"), limits.memory >> 20);
            let detail = format!("a worker searches with {threads} and {megabytes} MB ({whose})");
            let Some(Allowance { bytes, owner }) = bounds.exceeded() else {
                return Finding::good("memory", detail);
            };
            // It starts, takes more as it searches, and is killed then.
            Finding::warning(
                "memory",
                format!("{detail}, which is more than what {owner}: {} MB", bytes >> 20),
                "give it less (SPRIG_MEMORY), or it is killed once it has taken that much",
            )
        }
        Err(error) => {
            let detail = format!("too little for a worker: {error:#}");
            Finding::bad("memory", detail, "give it more, or fewer threads (SPRIG_THREADS)")
        }
    }
}
