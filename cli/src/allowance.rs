//! How much memory the system lets this process have, and which limit sets that: the machine's,
//! those of the cgroups (version 1 and 2) that the process is in, or its own resource limits. All
//! of these stand in files, so only text is read.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A bound on the memory of this process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// The bound, in bytes.
    pub bytes: usize,
    /// Whose limit it is.
    pub owner: Owner,
}

/// Where a bound on the memory of a process comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The memory of the machine.
    Machine,
    /// A control group: a container, a job of a batch system, or a unit of systemd. The path is the
    /// file that holds the limit.
    Group(PathBuf),
    /// A resource limit of the process (`ulimit`), by its name.
    Process(&'static str),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine => f.write_str("this machine has"),
            Self::Group(file) => write!(f, "the control group allows ({})", file.display()),
            Self::Process(limit) => write!(f, "the limit of this process allows ({limit})"),
        }
    }
}

/// All bounds that the system names. `root` is where its files lie: `/`, except in tests.
pub fn allowances(root: &Path) -> Vec<Allowance> {
    machine(root).into_iter().chain(groups(root)).chain(process(root)).collect()
}

fn machine(root: &Path) -> Option<Allowance> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Allowance { bytes: kibibytes.checked_mul(1 << 10)?, owner: Owner::Machine })
}

/// The soft limits of the process.
fn process(root: &Path) -> Vec<Allowance> {
    let text = fs::read_to_string(root.join("proc/self/limits")).unwrap_or_default();
    let limits = [("Max address space", "ulimit -v"), ("Max data size", "ulimit -d")];
    let found = limits.into_iter().filter_map(|(name, shown)| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        // `unlimited` is no number, and no bound.
        let bytes = line.split_whitespace().next()?.parse().ok()?;
        Some(Allowance { bytes, owner: Owner::Process(shown) })
    });
    found.collect()
}

/// The limits of all groups that the process is in, those above them included.
fn groups(root: &Path) -> Vec<Allowance> {
    let memberships = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
    let mut found = Vec::new();
    for line in memberships.lines() {
        // A line is `0::/path` in version 2, and `4:memory:/path` in version 1.
        let [_, controllers, path] = line.splitn(3, ':').collect::<Vec<_>>()[..] else { continue };
        let (kind, files): (_, &[&str]) = match controllers {
            "" => ("cgroup2", &["memory.max", "memory.high"]),
            _ if controllers.split(',').any(|c| c == "memory") => {
                ("cgroup", &["memory.limit_in_bytes"])
            }
            _ => continue,
        };
        let Some(folders) = folders(&mounts, kind, path) else { continue };
        for file in folders.iter().flat_map(|folder| files.iter().map(|file| folder.join(file))) {
            let text = root.join(file.strip_prefix("/").unwrap_or(&file));
            let text = fs::read_to_string(text).unwrap_or_default();
            // `max` is no number, and no bound.
            if let Ok(bytes) = text.trim().parse() {
                found.push(Allowance { bytes, owner: Owner::Group(file) });
            }
        }
    }
    found
}

/// The folders of a group and of those above it, up to where the hierarchy is mounted.
fn folders(mounts: &str, kind: &str, path: &str) -> Option<Vec<PathBuf>> {
    let (top, mounted) = mounts.lines().find_map(|line| mount(line, kind))?;
    // In a container the hierarchy may begin at the container's own group. The path may then still
    // be the machine's.
    let below = path.strip_prefix(top.trim_end_matches('/')).unwrap_or("").trim_matches('/');
    let below =
        if Path::new(below).components().any(|c| c.as_os_str() == "..") { "" } else { below };
    let whole = Path::new(mounted).join(below);
    let folders = whole.ancestors().take_while(|folder| folder.starts_with(mounted));
    Some(folders.map(Path::to_owned).collect())
}

/// The group at the top of a hierarchy and the folder where it is mounted, if `line` describes one:
/// `31 23 0:28 TOP WHERE .. - KIND SOURCE OPTIONS`.
fn mount<'a>(line: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    let (place, what) = line.split_once(" - ")?;
    let mut what = what.split(' ');
    let is_memory = what.next()? == kind
        && (kind == "cgroup2" || what.nth(1)?.split(',').any(|option| option == "memory"));
    let mut place = place.split(' ').skip(3);
    let found = (place.next()?, place.next()?);
    is_memory.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "MemTotal:       24682416 kB\nMemFree:  1 kB\n";
    const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    /// The tightest bound of a system with these files.
    fn found(files: &[(&str, &str)]) -> Option<(usize, Owner)> {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("made");
            fs::write(path, text).expect("written");
        }
        let all = allowances(root.path()).into_iter();
        all.map(|Allowance { bytes, owner }| (bytes, owner)).min_by_key(|&(bytes, _)| bytes)
    }

    fn group(file: &str) -> Owner {
        Owner::Group(file.into())
    }

    #[test]
    fn a_machine_without_limits_gives_its_memory() {
        assert_eq!(found(&[]), None);
        let files = [("proc/meminfo", MEMINFO), ("proc/self/cgroup", "0::/\n")];
        assert_eq!(found(&files), Some((24_682_416 << 10, Owner::Machine)));
    }

    #[test]
    fn the_tightest_group_counts_up_to_the_top() {
        let files = [
            ("proc/meminfo", MEMINFO),
            ("proc/self/cgroup", "0::/batch/job/step\n"),
            ("proc/self/mountinfo", V2),
            ("sys/fs/cgroup/batch/memory.max", "1000000000\n"),
            ("sys/fs/cgroup/batch/job/memory.max", "max\n"),
            ("sys/fs/cgroup/batch/job/memory.high", "800000000\n"),
            ("sys/fs/cgroup/batch/job/step/memory.max", "900000000\n"),
            ("sys/fs/cgroup/other/memory.max", "1\n"),
        ];
        let job = group("/sys/fs/cgroup/batch/job/memory.high");
        assert_eq!(found(&files), Some((800_000_000, job)));
    }

    #[test]
    fn version_1_has_a_hierarchy_of_its_own() {
        let files = [
            ("proc/meminfo", MEMINFO),
            ("proc/self/cgroup", "4:cpu,memory:/a/b\n1:cpuset:/c\n0::/\n"),
            ("proc/self/mountinfo", V1),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "60000000\n"),
            ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
        ];
        let above = group("/sys/fs/cgroup/memory/a/memory.limit_in_bytes");
        assert_eq!(found(&files), Some((60_000_000, above)));
    }

    #[test]
    fn a_container_may_see_its_own_group_as_the_top() {
        let mounts = "30 23 0:26 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup ro\n";
        for path in ["0::/docker/1f\n", "0::/\n", "0::/../other\n"] {
            let files = [
                ("proc/self/cgroup", path),
                ("proc/self/mountinfo", mounts),
                ("sys/fs/cgroup/memory.max", "512\n"),
            ];
            let top = group("/sys/fs/cgroup/memory.max");
            assert_eq!(found(&files), Some((512, top)), "{path}");
        }
    }

    #[test]
    fn limits_of_the_process_count() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max data size             300000               unlimited            bytes\n\
                      Max address space         200000               unlimited            bytes\n\
                      Max file locks            1                    unlimited            locks\n";
        let files = [("proc/meminfo", MEMINFO), ("proc/self/limits", limits)];
        assert_eq!(found(&files), Some((200_000, Owner::Process("ulimit -v"))));
    }
}
