//! Whether a full list is a drawing on the sphere.

use std::collections::{BTreeMap, BTreeSet};

use crate::{List, ListError};

impl List {
    /// Checks a full list: every spot must have all its curve ends, and every step its way back;
    /// Euler's formula must hold for every connected piece; and the regions must connect the pieces
    /// without a cycle.
    ///
    /// # Errors
    /// [`ListError`] with the first thing that no drawing has.
    pub fn check(&self) -> Result<(), ListError> {
        self.check_spots()?;
        self.check_steps()?;
        let pieces = self.pieces();
        let names: BTreeSet<u32> = pieces.values().copied().collect();
        for &piece in &names {
            let spots = pieces.values().filter(|&&name| name == piece).count();
            let own =
                self.regions().iter().flatten().filter(|stack| pieces[&stack[0].spot] == piece);
            let own: Vec<usize> = own.map(Vec::len).collect();
            // Each curve is walked along twice. A single spot is a walk without steps.
            let curves = own.iter().filter(|&&length| length > 1).sum::<usize>() / 2;
            if spots + own.len() != 2 + curves {
                return Err(ListError::Euler { piece, spots, curves, walks: own.len() });
            }
        }
        self.check_connected(&pieces)?;
        let (regions, count) = (self.regions().len(), names.len());
        let walks = self.regions().iter().flatten().count();
        if walks + 1 != regions + count {
            return Err(ListError::Cycle { walks, regions, pieces: count });
        }
        Ok(())
    }

    fn check_spots(&self) -> Result<(), ListError> {
        let times = self.times();
        for (_, stack, card) in self.cards() {
            let (spot, column) = (card.spot, card.column);
            if card.mark.is_some() {
                return Err(ListError::Marked { column });
            }
            match times[&spot] {
                4.. => return Err(ListError::TooOften { column, spot, times: times[&spot] }),
                2.. if stack.len() == 1 => return Err(ListError::Isolated { column, spot }),
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks that each step along a curve has its way back.
    fn check_steps(&self) -> Result<(), ListError> {
        let mut steps: BTreeMap<(u32, u32), (usize, usize)> = BTreeMap::new();
        for stack in self.regions().iter().flatten().filter(|stack| stack.len() > 1) {
            for (a, b) in stack.iter().zip(stack.iter().cycle().skip(1)) {
                steps.entry((a.spot, b.spot)).or_insert((0, a.column)).0 += 1;
            }
        }
        for (&(from, to), &(there, column)) in &steps {
            let back = steps.get(&(to, from)).map_or(0, |step| step.0);
            if (from != to && there != back) || (from == to && there % 2 == 1) {
                return Err(ListError::Step { column, from, to, there, back });
            }
        }
        Ok(())
    }

    /// The connected piece of each spot, named by its least spot.
    fn pieces(&self) -> BTreeMap<u32, u32> {
        let mut pieces: BTreeMap<u32, u32> =
            self.times().keys().map(|&spot| (spot, spot)).collect();
        for stack in self.regions().iter().flatten() {
            let names: BTreeSet<u32> = stack.iter().map(|card| pieces[&card.spot]).collect();
            let Some(&least) = names.first() else { continue };
            pieces.values_mut().filter(|name| names.contains(name)).for_each(|name| *name = least);
        }
        pieces
    }

    /// Checks that every region can be reached from every other one, over the pieces that bound
    /// both.
    fn check_connected(&self, pieces: &BTreeMap<u32, u32>) -> Result<(), ListError> {
        let mut groups: Vec<BTreeSet<u32>> = Vec::new();
        for stacks in self.regions() {
            let mut here: BTreeSet<u32> =
                stacks.iter().flatten().map(|card| pieces[&card.spot]).collect();
            groups.retain(|group| {
                let touches = !group.is_disjoint(&here);
                if touches {
                    here.extend(group);
                }
                !touches
            });
            groups.push(here);
        }
        match groups.len() {
            1 => Ok(()),
            parts => Err(ListError::Apart { parts }),
        }
    }
}
