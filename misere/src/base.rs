//! The RCTs of every land that can arise from a position.

use std::ops::ControlFlow;

use sprig_engine::{CanonicalLand, CanonicalPosition, Effort};

use crate::children::{Name, Positions};
use crate::error::MisereError;
use crate::forest::{Forest, Tree};
use crate::sum::Sums;

/// Lands and their RCTs.
///
/// Inside, lands go by their greedy keys: rarely two numbers stand for one land, which costs time and nothing else.
/// What leaves the base ([`Base::facts`]) has exact keys.
pub struct Base {
    forest: Forest,
    sums: Sums,
    positions: Positions,
    /// By land.
    rcts: Vec<Option<Tree>>,
    /// By sum of lands.
    sum_rcts: Vec<Option<Tree>>,
    known: usize,
}

/// How far [`Base::build`] has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Lands met.
    pub met: usize,
    /// Lands whose RCT is known.
    pub known: usize,
    /// Different RCTs without their factor 1.
    pub trees: usize,
}

/// A land whose children are being found, deepest last.
struct Frame {
    land: u32,
    children: Vec<Name>,
    /// Children before this one have RCTs.
    next: usize,
}

impl Default for Base {
    fn default() -> Self {
        Self {
            forest: Forest::default(),
            sums: Sums::default(),
            positions: Positions::new(Effort::Greedy),
            rcts: Vec::new(),
            sum_rcts: Vec::new(),
            known: 0,
        }
    }
}

impl Base {
    /// Finds the RCTs of all lands that a game from `position` can lead to, and that of the position.
    ///
    /// Calls `watch` every few thousand lands; when that breaks, the call ends, and the next one goes on where it ended.
    ///
    /// # Errors
    /// [`MisereError::TooManyMoves`], [`MisereError::Stopped`].
    pub fn build(
        &mut self,
        position: &CanonicalPosition,
        mut watch: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Tree, MisereError> {
        let root = self.positions.intern(position);
        for land in self.positions.lands_of(&root).to_vec() {
            self.build_land(land, &mut watch)?;
        }
        Ok(self.position_rct(root))
    }

    /// How far the base has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress { met: self.positions.lands.len(), known: self.known, trees: self.forest.len() }
    }

    /// The trees of the base.
    #[must_use]
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The trees of the base, to add to.
    pub fn forest_mut(&mut self) -> &mut Forest {
        &mut self.forest
    }

    /// The RCT of the land with this greedy key ([`Effort::Greedy`]), if it is known.
    #[must_use]
    pub fn rct(&self, greedy_key: &[u8]) -> Option<Tree> {
        let land = self.positions.lands.find(greedy_key)?;
        self.rcts.get(land as usize).copied().flatten()
    }

    /// Every land that has an RCT, with that; in no particular order, a land may come twice.
    pub fn facts(&self) -> impl Iterator<Item = (CanonicalLand, Tree)> + '_ {
        (0..).zip(&self.rcts).filter_map(|(land, &tree)| {
            Some((CanonicalLand::from_reduced(self.positions.lands.get(land)), tree?))
        })
    }

    /// Takes in a land's RCT from a source that is trusted as this program is; [`Base::check`] is for others.
    ///
    /// # Errors
    /// [`MisereError::Contradiction`] when another RCT is known.
    pub fn learn(&mut self, land: &CanonicalLand, tree: Tree) -> Result<(), MisereError> {
        let name = self.positions.intern(&CanonicalPosition::from_lands([land.clone()])).0;
        match self.known_rct(name) {
            Some(known) => self.agree(land, tree, known),
            None => {
                self.set_rct(name, tree);
                Ok(())
            }
        }
    }

    /// Finds the RCT of the land itself, from those of its children, and compares.
    ///
    /// Where children are not known, it finds their RCTs too: offer lands with fewer lives first.
    ///
    /// # Errors
    /// [`MisereError::Contradiction`] when the land has another RCT, [`MisereError::TooManyMoves`].
    pub fn check(&mut self, land: &CanonicalLand, tree: Tree) -> Result<(), MisereError> {
        let position = CanonicalPosition::from_lands([land.clone()]);
        let actual = self.build(&position, |_| ControlFlow::Continue(()))?;
        self.agree(land, tree, actual)
    }

    fn agree(&self, land: &CanonicalLand, claimed: Tree, actual: Tree) -> Result<(), MisereError> {
        if claimed == actual {
            return Ok(());
        }
        let [claimed, actual] = [claimed, actual].map(|tree| self.forest.key(tree));
        Err(MisereError::Contradiction { land: Box::new(land.clone()), claimed, actual })
    }

    fn known_rct(&self, land: u32) -> Option<Tree> {
        self.rcts.get(land as usize).copied().flatten()
    }

    fn set_rct(&mut self, land: u32, tree: Tree) {
        if self.rcts.len() <= land as usize {
            self.rcts.resize(self.positions.lands.len(), None);
        }
        let before = self.rcts[land as usize].replace(tree);
        assert!(before.is_none_or(|before| before == tree), "a land has two RCTs");
        self.known += usize::from(before.is_none());
    }

    /// Depth first, so that at any time the children of few lands are held.
    fn build_land(
        &mut self,
        root: u32,
        watch: &mut impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), MisereError> {
        let mut spare: Vec<Vec<Name>> = Vec::new();
        let mut frames: Vec<Frame> = Vec::new();
        let mut open = self.known_rct(root).is_none().then_some(root);
        loop {
            if let Some(land) = open {
                let mut children = spare.pop().unwrap_or_default();
                self.positions.children(land, &mut children)?;
                frames.push(Frame { land, children, next: 0 });
            }
            let Some(frame) = frames.last_mut() else {
                return Ok(());
            };
            open = self.next_open(frame);
            if open.is_none() {
                let Frame { land, children, .. } = frames.pop().expect("there is a last frame");
                let mut options: Vec<Tree> =
                    children.iter().map(|&child| self.position_rct(child)).collect();
                let tree = self.forest.reduce(&mut options);
                self.set_rct(land, tree);
                spare.push(children);
                if self.known.is_multiple_of(1 << 12) && watch(self.progress()).is_break() {
                    return Err(MisereError::Stopped { lands: self.known });
                }
            }
        }
    }

    /// The next land among the children that has no RCT.
    fn next_open(&self, frame: &mut Frame) -> Option<u32> {
        while let Some(child) = frame.children.get(frame.next) {
            let lands = self.positions.lands_of(child).iter();
            let open = lands.copied().find(|&land| self.known_rct(land).is_none());
            if open.is_some() {
                return open;
            }
            frame.next += 1;
        }
        None
    }

    /// The RCT of a position whose lands have RCTs.
    fn position_rct(&mut self, position: Name) -> Tree {
        let sum = match position.split() {
            Ok(land) => return self.known_rct(land).expect("children come before parents"),
            Err(sum) => sum as usize,
        };
        if let Some(&Some(tree)) = self.sum_rcts.get(sum) {
            return tree;
        }
        let mut total = Tree::ZERO;
        for &land in self.positions.lands_of(&position) {
            let tree = self.rcts[land as usize].expect("children come before parents");
            total = self.sums.add(&mut self.forest, total, tree);
        }
        if self.sum_rcts.len() <= sum {
            self.sum_rcts.resize(self.positions.sums.len(), None);
        }
        self.sum_rcts[sum] = Some(total);
        total
    }
}
