//! One step of a misère proof: a lost node, from the others.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use sprig_engine::Position;

use super::super::finder::Finder;
use super::super::land::TooManyMoves;
use super::super::reduce::lands_of;
use super::super::sketch::sketch;
use super::losses::{Losses, OPEN, TREE, put};
use super::options::{Options, Work, each};

/// Why a step is not proved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// Its trees say that the node is won.
    #[error("this is won by its trees alone")]
    Won,
    /// An option is lost.
    #[error("the move to {0} leads to a loss, so this is won")]
    Lost(String),
    /// An option may be lost.
    #[error("the move to {0} is not answered: no move from there leads to a certified loss")]
    Unanswered(String),
    /// The claim about the position does not follow.
    #[error("{0}")]
    Claim(&'static str),
    /// A land has too many options.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// The checker was told to stop before this was found out.
    #[error("the check was stopped here")]
    Stopped,
}

/// Checks lost nodes by other lost nodes. One checker serves all threads.
pub struct Checker<'a> {
    losses: &'a Losses,
    /// What is remembered. It is forgotten when it becomes too much.
    options: Mutex<Arc<Options<'a>>>,
    work: Arc<Work<'a>>,
}

/// A sum: whether there is a 1, the parts that a move has left, and those that it has made.
#[derive(Clone, Copy)]
struct Sum<'s> {
    one: u32,
    left: &'s [u32],
    made: &'s [u32],
}

impl<'a> Checker<'a> {
    /// A checker of steps that rest on `losses`.
    #[must_use]
    pub fn new(losses: &'a Losses) -> Self {
        Self::working(losses, Work::default())
    }

    /// The same checker, which also stops when `stop` is set.
    #[must_use]
    pub fn until(self, stop: &'a AtomicBool) -> Self {
        Self::working(self.losses, Work { stop: Some(stop), ..Work::default() })
    }

    fn working(losses: &'a Losses, work: Work<'a>) -> Self {
        let work = Arc::new(work);
        let options = Mutex::new(Arc::new(Options::new(losses, work.clone())));
        Self { losses, options, work }
    }

    /// How many options of lands have been looked at so far.
    #[must_use]
    pub fn options(&self) -> u64 {
        self.work.options.load(Relaxed)
    }

    /// What is remembered. Numbers of open lands are valid for this alone.
    fn remembered(&self) -> Arc<Options<'a>> {
        let mut options = self.options.lock().expect("nobody panics with it");
        if options.is_much() {
            // The old memory is freed when the last thread has done its present step.
            *options = Arc::new(Options::new(self.losses, self.work.clone()));
        }
        options.clone()
    }

    /// Checks that a node is lost, if all nodes that can follow are lost. Nodes are counted from 0
    /// in the order in which they were added.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    ///
    /// # Panics
    /// When there is no node of this number.
    pub fn check(&self, number: usize) -> Result<(), Flaw> {
        let (&one, parts) = self.losses.nodes[number].split_first().expect("0 or 1 comes first");
        match self.losses.is_plain_loss(one, parts, &[]) {
            Some(true) => return Ok(()),
            Some(false) => return Err(Flaw::Won),
            None => {}
        }
        let options = self.remembered();
        let mut flaw = None;
        let mut visit = |sum: Sum<'_>| {
            flaw = match self.is_loss(sum) {
                Some(false) => None,
                Some(true) => Some(Flaw::Lost(self.describe(&options, sum))),
                None if self.is_answered(&options, sum) => None,
                None => Some(Flaw::Unanswered(self.describe(&options, sum))),
            };
            flaw.is_none() && !self.work.is_stopped()
        };
        let mut goes_on = self.in_trees(one, parts, &mut visit);
        for i in distinct(parts) {
            if goes_on && parts[i] < TREE {
                let list = options.all(parts[i])?;
                let left = &without(parts, i);
                let mut sums = each(&list).map(|(with, made)| Sum { one: one ^ with, left, made });
                goes_on = sums.all(&mut visit);
            }
        }
        if self.work.is_stopped() {
            return Err(Flaw::Stopped);
        }
        flaw.map_or(Ok(()), Err)
    }

    /// Checks that a position is lost, if all nodes are lost.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_loss(&self, position: &Position) -> Result<(), Flaw> {
        let (one, made) = self.whole(&self.remembered(), position)?;
        match self.is_loss(Sum { one, left: &[], made: &made }) {
            Some(true) => Ok(()),
            Some(false) => Err(Flaw::Claim("the position is won by its trees alone")),
            None => Err(Flaw::Claim("the position is not among the certified losses")),
        }
    }

    /// Checks that a position is won, if all nodes are lost.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_win(&self, position: &Position) -> Result<(), Flaw> {
        let options = self.remembered();
        let (one, made) = self.whole(&options, position)?;
        match self.losses.is_plain_loss(one, &made, &[]) {
            Some(true) => Err(Flaw::Claim("the position is lost by its trees alone")),
            Some(false) => Ok(()),
            None if self.is_answered(&options, Sum { one, left: &[], made: &made }) => Ok(()),
            None if self.work.is_stopped() => Err(Flaw::Stopped),
            None => Err(Flaw::Claim("no move leads to a certified loss")),
        }
    }

    fn whole(&self, options: &Options<'_>, position: &Position) -> Result<(u32, Vec<u32>), Flaw> {
        let lands = lands_of(position)?;
        let lands = lands.iter().map(|land| (sketch(land), &land[..]));
        Ok(options.whole(&mut Finder::default(), lands))
    }

    fn is_loss(&self, Sum { one, left, made }: Sum<'_>) -> Option<bool> {
        self.losses.is_loss(one, left, made)
    }

    /// Whether some move from a sum that its trees do not decide leads to a loss.
    fn is_answered(&self, options: &Options<'_>, Sum { one, left, made }: Sum<'_>) -> bool {
        let parts = joined(left, made);
        let has_loss = |i: usize| {
            let left = &without(&parts, i);
            let list = options.familiar(parts[i]);
            let mut sums = each(&list).map(|(with, made)| Sum { one: one ^ with, left, made });
            sums.any(|sum| self.is_loss(sum) == Some(true))
        };
        let mut open = (0..parts.len()).filter(|&i| (OPEN..TREE).contains(&parts[i]));
        match (open.next(), open.next()) {
            // No lost node has open lands: the move must be in the only one.
            (Some(i), None) => has_loss(i),
            (Some(_), Some(_)) => false,
            (None, _) => {
                !self.in_trees(one, &parts, &mut |sum| self.is_loss(sum) != Some(true))
                    || distinct(&parts).any(|i| parts[i] < TREE && has_loss(i))
            }
        }
    }

    /// Visits the options in the 1 and in the trees of a sum, until `visit` returns `false`.
    /// Returns whether it never did.
    fn in_trees(&self, one: u32, parts: &[u32], visit: &mut impl FnMut(Sum<'_>) -> bool) -> bool {
        if one == 1 && !visit(Sum { one: 0, left: parts, made: &[] }) {
            return false;
        }
        let forest = &self.losses.base.forest;
        distinct(parts).filter(|&i| parts[i] >= TREE).all(|i| {
            let left = &without(parts, i);
            forest.options((parts[i] ^ TREE) * 2).all(|tree| {
                let (mut one, mut made) = (one, Vec::new());
                put(&mut one, &mut made, tree);
                visit(Sum { one, left, made: &made })
            })
        })
    }

    fn describe(&self, options: &Options<'_>, sum: Sum<'_>) -> String {
        let parts = joined(sum.left, sum.made);
        self.losses.describe(sum.one, &parts, |part| options.land(part))
    }
}

/// The indices of sorted parts; of equal parts only the first.
fn distinct(parts: &[u32]) -> impl Iterator<Item = usize> + '_ {
    (0..parts.len()).filter(|&i| i == 0 || parts[i] != parts[i - 1])
}

/// All parts but one.
fn without(parts: &[u32], i: usize) -> Vec<u32> {
    [&parts[..i], &parts[i + 1..]].concat()
}

/// All parts, sorted.
fn joined(left: &[u32], made: &[u32]) -> Vec<u32> {
    let mut parts = [left, made].concat();
    parts.sort_unstable();
    parts
}
