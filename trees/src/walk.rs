//! The walk through a game tree that gives every land its RCT.

use std::ops::ControlFlow;

use sprig_search::{Game, TooMany};

use crate::children::Mover;
use crate::forest::Tree;
use crate::helpers::Helpers;
use crate::names::{Name, Names};
use crate::news::News;
use crate::values::Values;

/// Why a walk has ended early.
pub(crate) enum Unfinished {
    /// It was told to stop.
    Stopped,
    /// This land has too many moves to be listed.
    TooMany { land: u32 },
}

/// Walks depth first, so that the children of only few lands are held at any time.
pub(crate) struct Walk<'a, G: Game, W> {
    pub names: &'a Names,
    pub values: &'a mut Values,
    pub mover: &'a mut Mover<G>,
    pub helpers: &'a Helpers,
    /// Called every [`EVERY`] lands, or [`LISTED`] children, with what is new; the walk stops when
    /// it breaks.
    pub watch: W,
    /// Children listed since then.
    pub listed: usize,
}

const EVERY: usize = 1 << 12;
/// Most lands have some 25 children, but a stranger may send lands with thousands of times as many.
const LISTED: usize = 1 << 18;

/// A land on the path of the walk.
struct Frame {
    land: u32,
    children: Vec<Name>,
    /// Children before this one have RCTs.
    next: usize,
}

impl<G: Game, W: FnMut(&News<'_>) -> ControlFlow<()>> Walk<'_, G, W> {
    /// Gives a land, and every land that can arise from it, its RCT.
    pub fn land(&mut self, root: u32) -> Result<(), Unfinished> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut open = self.values.land(root).is_none().then_some(root);
        loop {
            if let Some(land) = open {
                let children = self.children(land)?;
                self.listed += children.len();
                if self.listed >= LISTED {
                    self.look()?;
                }
                // The walk itself goes on with the first of these lands.
                self.helpers
                    .ask(|| children.iter().filter_map(|&child| self.open_land(child)).skip(1));
                frames.push(Frame { land, children, next: 0 });
            }
            let Some(frame) = frames.last_mut() else {
                return Ok(());
            };
            open = self.next_open(frame);
            if open.is_none() {
                let Frame { land, children, .. } = frames.pop().expect("there is a last frame");
                self.close(land, &children)?;
            }
        }
    }

    fn children(&mut self, land: u32) -> Result<Vec<Name>, Unfinished> {
        if let Some(found) = self.helpers.take(land) {
            return found.map_err(|TooMany| Unfinished::TooMany { land });
        }
        let mut children = Vec::new();
        let found = self.mover.children(self.names, land, &mut children);
        found.map_err(|TooMany| Unfinished::TooMany { land })?;
        Ok(children)
    }

    /// The first child from `frame.next` on that has a land without RCT: that land.
    fn next_open(&self, frame: &mut Frame) -> Option<u32> {
        while let Some(&child) = frame.children.get(frame.next) {
            let open = self.open_land(child);
            if open.is_some() {
                return open;
            }
            frame.next += 1;
        }
        None
    }

    fn open_land(&self, position: Name) -> Option<u32> {
        match position.split() {
            Ok(land) => self.values.land(land).is_none().then_some(land),
            Err(_) => {
                let mut lands = Vec::new();
                self.names.lands_of(position, &mut lands);
                lands.into_iter().find(|&land| self.values.land(land).is_none())
            }
        }
    }

    /// Makes the RCT of a land from those of its children.
    fn close(&mut self, land: u32, children: &[Name]) -> Result<(), Unfinished> {
        let options = children.iter().map(|&child| self.values.position(self.names, child));
        let mut options: Vec<Tree> = options.collect();
        let tree = self.values.forest.reduce(&mut options);
        self.values.set_land(land, tree);
        self.values.untold_lands.push(land);
        if self.values.untold_lands.len() >= EVERY { self.look() } else { Ok(()) }
    }

    /// Tells what is new, and asks whether to go on.
    fn look(&mut self) -> Result<(), Unfinished> {
        self.listed = 0;
        let flow = (self.watch)(&News::of(self.names, self.values));
        self.values.mark_told();
        if flow.is_break() {
            return Err(Unfinished::Stopped);
        }
        Ok(())
    }
}
