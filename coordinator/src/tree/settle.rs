//! What is found out enters the tree and travels up.

use std::collections::BTreeSet;

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_proto::{LandKnowledge, Outcome};
use sprig_search::{Fact, Verdict};

use super::numbers::Sum;
use super::{Couple, Dispute, LandId, Numbers, Options, Tree, bit};

impl Tree {
    /// A worker begins on a couple.
    ///
    /// # Errors
    /// [`Dispute`].
    pub fn lease(&mut self, couple: Couple) -> Result<(), Dispute> {
        self.open(couple).leased = true;
        self.update_parents(couple.land)
    }

    /// The worker is no longer on it.
    ///
    /// # Errors
    /// [`Dispute`].
    pub fn release(&mut self, couple: Couple) -> Result<(), Dispute> {
        if let Some(open) = self.node_mut(couple.land).open.get_mut(&couple.heap) {
            open.leased = false;
        }
        self.update_parents(couple.land)
    }

    /// Whether a couple is open and nobody works on it.
    pub fn is_free(&self, couple: Couple) -> bool {
        let leased = self.node(couple.land).open.get(&couple.heap).is_some_and(|open| open.leased);
        !leased && self.couple(couple).outcome().is_none()
    }

    /// Takes in what a worker has found about a couple. `tried`: it has spent its budget.
    ///
    /// # Errors
    /// [`Dispute`] when it contradicts what is known.
    pub fn answer(&mut self, couple: Couple, verdict: Verdict, tried: bool) -> Result<(), Dispute> {
        match verdict {
            Verdict::Win => self.set_won(couple)?,
            Verdict::Loss => self.set_nimber(couple.land, couple.heap)?,
            Verdict::Nimber(nimber) => self.set_nimber(couple.land, nimber)?,
            Verdict::Open { .. } if self.couple(couple).outcome().is_some() => {}
            Verdict::Open { proof, disproof } => {
                let expanded = self.by_options(couple);
                let open = self.open(couple);
                open.tried |= tried;
                open.numbers = expanded.unwrap_or(Numbers::open(proof.into(), disproof.into()));
            }
        }
        self.update(couple.land)
    }

    /// Takes in the nimber of a land, if the tree has the land.
    ///
    /// # Errors
    /// [`Dispute`] when it contradicts what is known.
    pub fn learn(&mut self, fact: &Fact) -> Result<(), Dispute> {
        let Some(&land) = self.ids.get(&fact.land) else { return Ok(()) };
        if self.node(land).nimber == Some(fact.nimber) {
            return Ok(());
        }
        self.set_nimber(land, fact.nimber)?;
        self.update(land)
    }

    /// The options of a land are being generated.
    pub fn asked(&mut self, land: LandId) {
        self.node_mut(land).options = Options::Asked;
    }

    /// Takes in the options of a land, and what the database knows of their lands; none: they are too many.
    ///
    /// # Errors
    /// [`Dispute`] when it contradicts what is known.
    pub fn expand(
        &mut self,
        land: &CanonicalLand,
        options: Option<&[CanonicalPosition]>,
        known: &[LandKnowledge],
    ) -> Result<(), Dispute> {
        // Forgotten together with its job.
        let Some(&id) = self.ids.get(land) else { return Ok(()) };
        if matches!(self.node(id).options, Options::Known(_)) {
            return Ok(());
        }
        let Some(options) = options else {
            self.node_mut(id).options = Options::TooMany;
            return Ok(());
        };
        let options: Vec<Box<[LandId]>> = options
            .iter()
            .map(|option| option.lands().iter().map(|l| self.intern(l)).collect())
            .collect();
        known.iter().for_each(|known| self.recall(known));
        let below: BTreeSet<LandId> = options.iter().flatten().copied().collect();
        below.into_iter().for_each(|option| self.node_mut(option).parents.push(id));
        self.node_mut(id).options = Options::Known(options);
        self.pass_down(id);
        self.update(id)
    }

    /// What workers have learned about the couples of a leaf is handed down to its options when it is expanded:
    /// without it a hard couple would look easy again until each of its options has been tried.
    fn pass_down(&mut self, land: LandId) {
        let tried: Vec<_> =
            self.node(land).open.iter().map(|(&heap, open)| (heap, open.numbers)).collect();
        let Options::Known(options) = &self.node(land).options else { return };
        let options = options.clone();
        for (heap, numbers) in tried {
            let Some(fresh) = self.by_options(Couple { land, heap }) else { continue };
            if fresh.outcome().is_some() {
                continue;
            }
            for lands in &options {
                let Sum::One(couple) = self.reduce(lands, heap) else { continue };
                let node = self.node(couple.land);
                let is_leaf = matches!(node.options, Options::Unknown | Options::Asked);
                let untouched = is_leaf && !node.open.contains_key(&couple.heap);
                if !untouched || self.couple(couple).outcome().is_some() {
                    continue;
                }
                let start = self.start_numbers(couple);
                self.open(couple).numbers = Numbers::open(
                    u64::from(start.proof) * u64::from(numbers.disproof)
                        / u64::from(fresh.disproof),
                    u64::from(start.disproof) * u64::from(numbers.proof) / u64::from(fresh.proof),
                );
            }
        }
    }

    fn set_won(&mut self, couple: Couple) -> Result<(), Dispute> {
        let node = self.node_mut(couple.land);
        if node.nimber == Some(couple.heap) {
            return Err(Dispute(format!(
                "contradiction: land `{}` is known to have nimber {}, and now a win of it with that heap is claimed",
                node.land, couple.heap
            )));
        }
        node.won |= bit(couple.heap);
        if node.nimber.is_none() && node.won == u64::MAX {
            return Err(Dispute(format!(
                "land `{}` is claimed to have no nimber at all",
                node.land
            )));
        }
        node.open.remove(&couple.heap);
        self.solved = true;
        Ok(())
    }

    fn set_nimber(&mut self, land: LandId, nimber: Nimber) -> Result<(), Dispute> {
        let node = self.node_mut(land);
        let known = match node.nimber {
            Some(known) if known != nimber => format!("to have nimber {known}"),
            None if node.won & bit(nimber) != 0 => format!("not to have nimber {nimber}"),
            _ => {
                node.nimber = Some(nimber);
                node.open.clear();
                self.solved = true;
                return Ok(());
            }
        };
        let land = &node.land;
        Err(Dispute(format!(
            "contradiction: land `{land}` is known {known}, and now nimber {nimber} is claimed"
        )))
    }

    pub(super) fn update(&mut self, land: LandId) -> Result<(), Dispute> {
        self.travel(BTreeSet::from([(self.node(land).lives, land)]))
    }

    fn update_parents(&mut self, land: LandId) -> Result<(), Dispute> {
        let parents = &self.node(land).parents;
        self.travel(parents.iter().map(|&parent| (self.node(parent).lives, parent)).collect())
    }

    /// Recomputes lands, those with the fewest lives first, and their parents as long as something changes.
    fn travel(&mut self, mut waiting: BTreeSet<(u32, LandId)>) -> Result<(), Dispute> {
        let first = waiting.first().copied();
        while let Some((lives, land)) = waiting.pop_first() {
            // The first land was changed by the caller.
            if self.recompute(land)? || Some((lives, land)) == first {
                let parents = &self.node(land).parents;
                waiting.extend(parents.iter().map(|&parent| (self.node(parent).lives, parent)));
            }
        }
        Ok(())
    }

    /// Recomputes the open couples of a land from its options. Whether something has changed.
    fn recompute(&mut self, land: LandId) -> Result<bool, Dispute> {
        if self.node(land).nimber.is_some() {
            return Ok(false);
        }
        let mut changed = false;
        let heaps: Vec<Nimber> = self.node(land).open.keys().copied().collect();
        // Ascending, since a couple may move to a smaller heap.
        for heap in heaps {
            let couple = Couple { land, heap };
            let Some(numbers) = self.by_options(couple) else { return Ok(changed) };
            match numbers.outcome() {
                Some(Outcome::Win) => self.set_won(couple)?,
                Some(Outcome::Loss) => {
                    self.set_nimber(land, heap)?;
                    let fact = Fact { land: self.node(land).land.clone(), nimber: heap };
                    self.found.push(fact);
                    return Ok(true);
                }
                None => {
                    let open = self.open(couple);
                    changed |= open.numbers != numbers;
                    open.numbers = numbers;
                    continue;
                }
            }
            changed = true;
        }
        Ok(changed)
    }
}
