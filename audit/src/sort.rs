//! Sorts more claims than memory holds.
//!
//! Claims are gathered, sorted and written to temporary files, run by run, and merged when they are
//! read. Claims that say the same become one, so a file that says everything ten times takes no
//! more room than one that says it once.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};

/// What a line says about something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Claims are sorted by this first; what a claim rests on has a lower one.
    pub rank: u16,
    /// What the claim is about.
    pub key: Vec<u8>,
    /// What it says.
    pub value: u8,
    /// Where it stands. If several lines say the same, this is the first of them.
    pub line: u64,
}

impl Claim {
    fn order(&self) -> (u16, &[u8], u8, u64) {
        (self.rank, &self.key, self.value, self.line)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        (self.rank, &self.key, self.value) == (other.rank, &other.key, other.value)
    }
}

/// Memory of a claim besides its key, about.
const OVERHEAD: usize = 64;
/// Runs that are merged at once; each needs an open file and a buffer.
const RUNS: usize = 64;
const BUFFER: usize = 64 << 10;

/// Takes claims in any order and gives them back sorted.
pub struct Sorter {
    /// Bytes of memory that claims may take.
    memory: usize,
    used: usize,
    claims: Vec<Claim>,
    runs: Vec<File>,
}

impl Sorter {
    /// A sorter that holds about `memory` bytes of claims in memory and the rest in temporary
    /// files.
    pub fn new(memory: usize) -> Self {
        Self { memory, used: 0, claims: Vec::new(), runs: Vec::new() }
    }

    /// Takes in a claim.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn push(&mut self, claim: Claim) -> io::Result<()> {
        self.used += OVERHEAD + claim.key.len();
        self.claims.push(claim);
        if self.used > self.memory { self.spill() } else { Ok(()) }
    }

    /// All claims: by rank, then by key, then by value. The same claim comes once.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub fn sorted(mut self) -> io::Result<Sorted> {
        self.settle();
        let rest = std::mem::take(&mut self.claims).into_iter();
        Sorted::of(self.runs, rest)
    }

    /// Sorts what is in memory and keeps one of each.
    fn settle(&mut self) {
        self.claims.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
        self.claims.dedup_by(|later, first| later.says_the_same(first));
        self.used = self.claims.iter().map(|claim| OVERHEAD + claim.key.len()).sum();
    }

    fn spill(&mut self) -> io::Result<()> {
        self.settle();
        // What takes less than half of the memory by now stays in it: a file that repeats itself
        // never leaves memory.
        if self.used < self.memory / 2 {
            return Ok(());
        }
        let run = write_run(self.claims.drain(..).map(Ok))?;
        self.used = 0;
        self.runs.push(run);
        if self.runs.len() == RUNS {
            let merged = Sorted::of(std::mem::take(&mut self.runs), Vec::new().into_iter())?;
            self.runs.push(write_run(merged)?);
        }
        Ok(())
    }
}

fn write_run(claims: impl Iterator<Item = io::Result<Claim>>) -> io::Result<File> {
    let mut out = BufWriter::with_capacity(BUFFER, tempfile::tempfile()?);
    for claim in claims {
        let Claim { rank, key, value, line } = claim?;
        out.write_all(&rank.to_le_bytes())?;
        out.write_all(&[value])?;
        out.write_all(&line.to_le_bytes())?;
        out.write_all(&(key.len() as u32).to_le_bytes())?;
        out.write_all(&key)?;
    }
    let mut run = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    run.rewind()?;
    Ok(run)
}

/// A sorted stream of claims.
struct Run(BufReader<File>);

impl Run {
    fn next(&mut self) -> io::Result<Option<Claim>> {
        let mut head = [0; 15];
        if self.0.fill_buf()?.is_empty() {
            return Ok(None);
        }
        self.0.read_exact(&mut head)?;
        let [r0, r1, value, l0, l1, l2, l3, l4, l5, l6, l7, k0, k1, k2, k3] = head;
        let mut key = vec![0; u32::from_le_bytes([k0, k1, k2, k3]) as usize];
        self.0.read_exact(&mut key)?;
        let line = u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, l7]);
        Ok(Some(Claim { rank: u16::from_le_bytes([r0, r1]), key, value, line }))
    }
}

/// All claims of a [`Sorter`], sorted.
pub struct Sorted {
    runs: Vec<Run>,
    /// The claims that were still in memory: one more run.
    rest: std::vec::IntoIter<Claim>,
    /// The next claim of every run that has one.
    heads: BinaryHeap<Head>,
    last: Option<Claim>,
}

struct Head {
    claim: Claim,
    run: usize,
}

/// The greatest head is the least claim.
impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        other.claim.order().cmp(&self.claim.order()).then(other.run.cmp(&self.run))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

impl Sorted {
    fn of(files: Vec<File>, rest: std::vec::IntoIter<Claim>) -> io::Result<Self> {
        let runs: Vec<_> =
            files.into_iter().map(|file| Run(BufReader::with_capacity(BUFFER, file))).collect();
        let mut sorted = Self { runs, rest, heads: BinaryHeap::new(), last: None };
        (0..=sorted.runs.len()).try_for_each(|run| sorted.advance(run))?;
        Ok(sorted)
    }

    /// Puts the next claim of a run among the heads.
    fn advance(&mut self, run: usize) -> io::Result<()> {
        let claim = match self.runs.get_mut(run) {
            Some(run) => run.next()?,
            None => self.rest.next(),
        };
        self.heads.extend(claim.map(|claim| Head { claim, run }));
        Ok(())
    }

    fn step(&mut self) -> io::Result<Option<Claim>> {
        while let Some(Head { claim, run }) = self.heads.pop() {
            self.advance(run)?;
            if self.last.as_ref().is_none_or(|last| !last.says_the_same(&claim)) {
                self.last = Some(claim.clone());
                return Ok(Some(claim));
            }
        }
        Ok(None)
    }
}

impl Iterator for Sorted {
    type Item = io::Result<Claim>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}
