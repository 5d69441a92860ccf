//! Canonical lands and positions: the identity of facts.

use std::cell::RefCell;
use std::fmt;
use std::ops::ControlFlow;

use crate::budget::{Budget, Unlisted};
use crate::canonize::{Canonizer, Effort};
use crate::encode;
use crate::generate::Generator;
use crate::surfaces;
use crate::ways::{self, TooManyMoves};
use crate::work::Work;
use crate::{Boundary, Land, Position, Region, Spot};

/// Version of the canonical form. It changes whenever some land would get other bytes; databases,
/// certificates and the handshake between coordinator and worker carry it.
pub const CANONICAL_VERSION: u32 = 1;

/// A reduced, connected land in canonical form: two lands are isomorphic exactly when their bytes
/// are equal.
///
/// The bytes follow the grammar in `docs/canonical-form.md`. The order is that of the bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalLand(Box<[u8]>);

/// A sum of canonical lands, sorted. Equal lands are kept as often as they occur: `A + A` is not
/// cancelled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CanonicalPosition(Vec<CanonicalLand>);

/// Scratch memory of a thread: thousands of keys come one after the other.
struct Scratch {
    generator: Generator,
    canonizer: Canonizer,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch {
        generator: Generator::default(),
        canonizer: Canonizer::new(Effort::Exact),
    });
}

impl Scratch {
    /// Whether the land that `key` describes is reduced, connected and canonical.
    fn is_canonical(&mut self, land: &Land, key: &[u8]) -> bool {
        let mut lands = self.generator.reduce(land).iter();
        matches!((lands.next(), lands.next()), (Some(land), None) if self.canonizer.key(land) == key)
    }
}

/// Bytes that are not the key of a canonical land.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KeyError {
    /// The bytes do not follow the grammar, or describe no possible land.
    #[error("the key of {bytes} bytes is not a land: {reason}")]
    Malformed {
        /// Length of the key.
        bytes: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The bytes describe a land, but not in canonical form.
    #[error("the key of land `{land}` is not canonical; its canonical form is `{canonical}`")]
    NotCanonical {
        /// The land that the bytes describe.
        land: Box<Position>,
        /// What it should have been.
        canonical: CanonicalPosition,
    },
}

/// The land that bytes describe.
fn read(key: &[u8]) -> Result<Land, KeyError> {
    encode::decode(key).map_err(|e| KeyError::Malformed { bytes: key.len(), reason: e.to_string() })
}

impl CanonicalLand {
    /// Checks bytes from outside (a message, a file, a disk) and takes them if they are a canonical
    /// land.
    ///
    /// # Errors
    /// [`KeyError`] when they are malformed, reducible, not connected or not canonical.
    pub fn from_key(key: &[u8]) -> Result<Self, KeyError> {
        let land = read(key)?;
        if SCRATCH.with_borrow_mut(|scratch| scratch.is_canonical(&land, key)) {
            return Ok(Self(key.into()));
        }
        let position = Position(vec![land]);
        let canonical = CanonicalPosition::of(&position);
        Err(KeyError::NotCanonical { land: Box::new(position), canonical })
    }

    /// Takes bytes that somebody trusted has checked by [`Self::from_key`]. Only the grammar is
    /// checked again: to see that a land is reduced, connected and canonical is most of the work.
    ///
    /// # Errors
    /// [`KeyError::Malformed`].
    pub fn from_checked_key(key: &[u8]) -> Result<Self, KeyError> {
        read(key).map(|_| Self(key.into()))
    }

    /// The canonical land that reduced, connected bytes from this crate stand for.
    ///
    /// # Panics
    /// When `land` does not follow the grammar.
    pub fn from_reduced(land: &[u8]) -> Self {
        Self(SCRATCH.with_borrow_mut(|scratch| scratch.canonizer.key(land).into()))
    }

    /// The canonical land with this key, just made by an exact [`Canonizer`].
    pub(crate) fn from_exact(key: &[u8]) -> Self {
        Self(key.into())
    }

    /// The canonical bytes.
    pub fn key(&self) -> &[u8] {
        &self.0
    }

    /// The written form of the land.
    ///
    /// A region with 2 or 3 lives is written on one boundary, as GLOP does: its boundaries mean
    /// nothing.
    pub fn to_land(&self) -> Land {
        let mut land = encode::decode(&self.0).expect("a canonical land decodes");
        for Region(boundaries, _) in &mut land.0 {
            let spots: Vec<Spot> = boundaries.iter().flat_map(|b| b.0.iter().copied()).collect();
            if boundaries.len() > 1 && spots.iter().map(|s| s.lives()).sum::<u32>() <= 3 {
                *boundaries = vec![Boundary(spots)];
            }
        }
        land
    }

    /// Lives of all spots of the land. Every move of a game takes one, so no game from here lasts
    /// longer.
    pub fn lives(&self) -> u32 {
        self.to_land().lives()
    }

    /// An upper bound of the children that are generated before equal ones are seen to be. It is
    /// told at once.
    pub fn ways(&self) -> u64 {
        if self.is_spherical() { ways::ways(&self.work()) } else { surfaces::ways(&self.0) }
    }

    /// Whether the children can be listed. That is told at once.
    ///
    /// # Errors
    /// [`TooManyMoves`].
    pub fn check_ways(&self) -> Result<(), TooManyMoves> {
        if self.is_spherical() { ways::check(&self.work()) } else { surfaces::check_land(&self.0) }
    }

    /// Whether it is a land of the sphere: no handles, no cross-caps, and nothing left over from
    /// them.
    pub fn is_spherical(&self) -> bool {
        !surfaces::has(&self.0)
    }

    fn work(&self) -> Work {
        let mut work = Work::default();
        work.load_key(&self.0);
        work
    }

    /// The canonical children, sorted, without duplicates. As many as a [`Budget`] allows by
    /// itself.
    ///
    /// # Errors
    /// [`Unlisted`] when there are more. If that can be told from their number, no child is
    /// generated.
    pub fn children(&self) -> Result<Vec<CanonicalPosition>, Unlisted> {
        let mut budget = Budget::default();
        budget.promise(self.ways())?;
        self.list(&mut Generator::default(), &mut budget)
    }

    fn list(
        &self,
        generator: &mut Generator,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<CanonicalPosition>, Unlisted> {
        let mut children = std::collections::BTreeSet::new();
        let mut canonizer = Canonizer::new(Effort::Exact);
        let flow = generator.children(&self.0, |lands| {
            if let Err(stopped) = budget.go_on() {
                return ControlFlow::Break(stopped);
            }
            let lands = lands.iter().map(|land| Self(canonizer.key(land).into()));
            let child = CanonicalPosition::from_lands(lands);
            let bytes = child.bytes();
            match if children.insert(child) { budget.kept(bytes) } else { Ok(()) } {
                Ok(()) => ControlFlow::Continue(()),
                Err(spent) => ControlFlow::Break(spent),
            }
        })?;
        match flow {
            ControlFlow::Break(spent) => Err(spent),
            ControlFlow::Continue(()) => Ok(children.into_iter().collect()),
        }
    }
}

impl CanonicalPosition {
    /// Reduces a written position, splits it into lands and canonizes each.
    pub fn of(position: &Position) -> Self {
        let mut generator = Generator::default();
        let mut canonizer = Canonizer::new(Effort::Exact);
        let mut lands = Vec::new();
        for land in &position.0 {
            let reduced = generator.reduce(land).iter();
            lands.extend(reduced.map(|land| CanonicalLand(canonizer.key(land).into())));
        }
        Self::from_lands(lands)
    }

    /// The sum of canonical lands.
    pub fn from_lands(lands: impl IntoIterator<Item = CanonicalLand>) -> Self {
        let mut lands: Vec<_> = lands.into_iter().collect();
        lands.sort();
        Self(lands)
    }

    /// The lands, sorted.
    pub fn lands(&self) -> &[CanonicalLand] {
        &self.0
    }

    /// The lands, sorted.
    pub fn into_lands(self) -> Vec<CanonicalLand> {
        self.0
    }

    /// Whether all its lands are of the sphere.
    pub fn is_spherical(&self) -> bool {
        self.0.iter().all(CanonicalLand::is_spherical)
    }

    /// The written form of the position.
    pub fn to_position(&self) -> Position {
        Position(self.0.iter().map(CanonicalLand::to_land).collect())
    }

    /// An upper bound of the children that are generated. It is told at once.
    pub fn ways(&self) -> u64 {
        self.0.iter().map(CanonicalLand::ways).fold(0, u64::saturating_add)
    }

    /// The canonical children: a move in one land, the others unaltered; sorted, without
    /// duplicates. As many as [`Budget`] allows by itself.
    ///
    /// # Errors
    /// [`Unlisted`] when there are more. If that can be told from their number, no child is
    /// generated.
    pub fn children(&self) -> Result<Vec<Self>, Unlisted> {
        self.children_within(&mut Budget::default())
    }

    /// As for [`Self::children`], with another budget.
    ///
    /// # Errors
    /// [`Unlisted`].
    pub fn children_within(&self, budget: &mut Budget<'_>) -> Result<Vec<Self>, Unlisted> {
        self.children_by(&mut Generator::default(), budget)
    }

    /// As for [`Self::children_within`], by the moves of `generator`.
    ///
    /// # Errors
    /// [`Unlisted`].
    pub fn children_by(
        &self,
        generator: &mut Generator,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<Self>, Unlisted> {
        self.0.iter().try_for_each(CanonicalLand::check_ways)?;
        budget.promise(self.ways())?;
        let mut children = std::collections::BTreeSet::new();
        for (i, land) in self.0.iter().enumerate() {
            if i > 0 && self.0[i - 1] == *land {
                continue;
            }
            for child in land.list(generator, budget)? {
                let others =
                    self.0.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, l)| l.clone());
                let child = Self::from_lands(others.chain(child.0));
                let bytes = child.bytes();
                if children.insert(child) {
                    budget.kept(bytes)?;
                }
            }
        }
        Ok(children.into_iter().collect())
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let lands = self.0.iter().map(|land| size_of::<CanonicalLand>() + 16 + land.0.len());
        2 * size_of::<Self>() + lands.sum::<usize>()
    }
}

impl fmt::Display for CanonicalLand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_land().fmt(f)
    }
}

impl fmt::Debug for CanonicalLand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

impl fmt::Display for CanonicalPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_position().fmt(f)
    }
}

impl fmt::Debug for CanonicalPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}
