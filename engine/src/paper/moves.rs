//! For each canonical child of a position, one move that leads to it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Course, Number, Paper, Place, Witness};
use crate::budget::{Budget, Unlisted};
use crate::canonize::{Canonizer, Effort};
use crate::generate::Generator;
use crate::{CanonicalLand, CanonicalPosition};

/// A canonical child, and a move that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The child.
    pub child: CanonicalPosition,
    /// The move.
    pub witness: Witness,
    /// The canonical form of what the move makes of the paper.
    ///
    /// It is the child, except where the curve lies in a region of two or three lives. There it may
    /// be another position with the same game tree: there the canonical form forgets which spots
    /// share a boundary.
    pub drawn: CanonicalPosition,
}

/// A region as the reduction leaves it. Its spots are places of the region on paper.
struct View {
    /// The number of the region on paper.
    region: usize,
    boundaries: Vec<Vec<Place>>,
    /// Whether it has so few lives that each spot stands alone.
    is_loose: bool,
}

/// The boundaries of a region that can be shared out: by degree those that are single spots and
/// occur nowhere else, and the others.
struct Shared {
    alone: [Vec<usize>; 3],
    walls: Vec<usize>,
}

/// Finds the children that moves lead to.
struct Keys {
    generator: Generator,
    canonizer: Canonizer,
    /// Whether the new spot may be left out.
    may_be_bare: bool,
}

impl Paper {
    /// For each canonical child, one move that leads to it. They are sorted by the children, which
    /// are those of [`CanonicalPosition::children_within`].
    ///
    /// # Errors
    /// [`Unlisted`], as there.
    pub fn moves(&self, budget: &mut Budget<'_>) -> Result<Vec<Reached>, Unlisted> {
        self.moves_with(false, budget)
    }

    /// The same for black-and-white Sprouts, where the new spot may be left out: the children of
    /// [`CanonicalPosition::children_by`] with a generator of that game.
    ///
    /// # Errors
    /// [`Unlisted`], as there.
    pub fn moves_black_and_white(&self, budget: &mut Budget<'_>) -> Result<Vec<Reached>, Unlisted> {
        self.moves_with(true, budget)
    }

    fn moves_with(
        &self,
        may_be_bare: bool,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<Reached>, Unlisted> {
        let position = self.canonical();
        position.lands().iter().try_for_each(CanonicalLand::check_ways)?;
        budget.promise(position.ways())?;
        let (generator, canonizer) = (Generator::default(), Canonizer::new(Effort::Exact));
        let mut keys = Keys { generator, canonizer, may_be_bare };
        let mut found = Found { budget, moves: BTreeMap::new() };
        let lands = self.lands();
        let forms: Vec<_> = lands.iter().map(|(_, land)| keys.of(land)).collect();
        for (number, (first, land)) in lands.iter().enumerate() {
            // A move in a land is possible in every isomorphic land.
            if forms[..number].contains(&forms[number]) {
                continue;
            }
            let others = forms.iter().enumerate().filter(|(other, _)| *other != number);
            let others: Vec<_> = others.flat_map(|(_, form)| form.lands().to_vec()).collect();
            land.each_move(&mut keys, &mut |witness, child, drawn| {
                let sum = |part: CanonicalPosition| {
                    CanonicalPosition::from_lands(
                        part.into_lands().into_iter().chain(others.clone()),
                    )
                };
                let witness = Witness { region: first + witness.region, ..witness };
                found.add(Reached { child: sum(child), witness, drawn: sum(drawn) })
            })?;
        }
        Ok(found.moves.into_values().collect())
    }

    /// Each land as a paper of its own, with the number of its first region.
    fn lands(&self) -> Vec<(usize, Self)> {
        let mut first = 0;
        let lands = self.regions.chunk_by(|a, b| a.land == b.land).map(|faces| {
            let land = (first, Self { regions: faces.to_vec(), degrees: self.degrees.clone() });
            first += faces.len();
            land
        });
        lands.collect()
    }

    /// Calls `visit` with moves, the children they lead to, and what they make of this paper. All
    /// children come up.
    fn each_move(
        &self,
        keys: &mut Keys,
        visit: &mut impl FnMut(Witness, CanonicalPosition, CanonicalPosition) -> Result<(), Unlisted>,
    ) -> Result<(), Unlisted> {
        let views = self.views();
        let mut counts: BTreeMap<Number, usize> = BTreeMap::new();
        for view in &views {
            for &place in view.boundaries.iter().flatten() {
                *counts.entry(self.at(view.region, place)).or_default() += 1;
            }
        }
        for view in &views {
            if view.is_loose {
                let loose = self.loosened(view);
                self.each_loose(view, &mut |witness, like| {
                    for witness in keys.told(witness) {
                        let like = Witness { is_bare: witness.is_bare, ..like.clone() };
                        let like = keys.of(&loose.play(&like).expect("the move is legal"));
                        let drawn = keys.of(&self.play(&witness).expect("the move is legal"));
                        visit(witness, like, drawn)?;
                    }
                    Ok(())
                })?;
            } else {
                self.each_curve(view, &counts, &mut |witness| {
                    for witness in keys.told(witness) {
                        let child = keys.of(&self.play(&witness).expect("the move is legal"));
                        visit(witness, child.clone(), child)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn at(&self, region: usize, place: Place) -> Number {
        self.spot(region, place).expect("the place is on this paper")
    }

    /// The regions that the reduction leaves.
    fn views(&self) -> Vec<View> {
        let regions = self.regions.iter().enumerate();
        let views = regions.filter_map(|(region, face)| {
            let lives = self.lives(face);
            let boundaries = (0..).zip(&face.boundaries).map(|(boundary, walk)| {
                let mut places: Vec<_> =
                    (0..walk.len()).map(|spot| Place { boundary, spot }).collect();
                places.dedup_by_key(|place| walk[place.spot]);
                if places.len() > 1 && walk.first() == walk.last() {
                    places.pop();
                }
                places
            });
            let boundaries: Vec<Vec<Place>> = boundaries.collect();
            match lives {
                0 | 1 => None,
                2 | 3 => {
                    let mut places = boundaries.concat();
                    places.sort_by_key(|&place| (self.at(region, place), place));
                    places.dedup_by_key(|&mut place| self.at(region, place));
                    let boundaries = places.into_iter().map(|place| vec![place]).collect();
                    Some(View { region, boundaries, is_loose: true })
                }
                _ => Some(View { region, boundaries, is_loose: false }),
            }
        });
        views.collect()
    }

    /// The paper on which each spot of a loose region stands alone, as the canonical form has it.
    fn loosened(&self, view: &View) -> Self {
        let mut loose = self.clone();
        let places = view.boundaries.concat();
        loose.regions[view.region].boundaries =
            places.iter().map(|&place| vec![self.at(view.region, place)]).collect();
        loose
    }

    /// For each pair of spots of a loose region that can be joined, calls `visit` with the move on
    /// this paper and on the loosened one.
    fn each_loose(
        &self,
        view: &View,
        visit: &mut impl FnMut(Witness, &Witness) -> Result<(), Unlisted>,
    ) -> Result<(), Unlisted> {
        let region = view.region;
        let places = view.boundaries.concat();
        for (i, &from) in places.iter().enumerate() {
            for (j, &to) in places.iter().enumerate().skip(i) {
                if i == j && self.degree(self.at(region, from)) > 1 {
                    continue;
                }
                let alone = |boundary| Place { boundary, spot: 0 };
                let like = Witness::plain(region, [alone(i), alone(j)], Vec::new());
                visit(Witness::plain(region, [from, to], Vec::new()), &like)?;
            }
        }
        Ok(())
    }

    /// Calls `visit` with moves in a region. Of moves that differ only by which of several equal
    /// spots they take, one is enough.
    fn each_curve(
        &self,
        view: &View,
        counts: &BTreeMap<Number, usize>,
        visit: &mut impl FnMut(Witness) -> Result<(), Unlisted>,
    ) -> Result<(), Unlisted> {
        let region = view.region;
        let surface = self.regions[region].surface;
        let mut shared = Shared { alone: Default::default(), walls: Vec::new() };
        for (number, walk) in view.boundaries.iter().enumerate() {
            let spots: Vec<Number> = walk.iter().map(|&place| self.at(region, place)).collect();
            match spots[..] {
                [] => {}
                [spot] if counts[&spot] == 1 => {
                    shared.alone[usize::from(self.degree(spot))].push(number);
                }
                _ => shared.walls.push(number),
            }
        }
        // Of the spots that stand alone, two of each degree are enough as ends.
        let few = shared.alone.iter().flat_map(|alone| alone.iter().take(2));
        let ends: Vec<usize> = few.chain(&shared.walls).copied().collect();
        for (i, &first) in ends.iter().enumerate() {
            for &second in &ends[i + 1..] {
                for &from in &view.boundaries[first] {
                    for &to in &view.boundaries[second] {
                        // A spot can stand on two boundaries of a region where a handle was cut
                        // open.
                        if self.at(region, from) == self.at(region, to) {
                            continue;
                        }
                        for course in Course::of_joins(surface) {
                            let plain = Witness::plain(region, [from, to], Vec::new());
                            visit(Witness { course, ..plain })?;
                        }
                    }
                }
            }
        }
        let few = shared.alone.iter().flat_map(|alone| alone.first());
        for &divided in few.chain(&shared.walls) {
            let walk = &view.boundaries[divided];
            for (i, &from) in walk.iter().enumerate() {
                for &to in &walk[i..] {
                    let [a, b] = [from, to].map(|place| self.at(region, place));
                    if if from == to { self.degree(a) > 1 } else { a == b } {
                        continue;
                    }
                    let others = (0..view.boundaries.len()).filter(|&other| other != divided);
                    let turning = others.filter(|&other| view.boundaries[other].len() > 2);
                    let turning: Vec<usize> = turning.collect();
                    for course in Course::of_openings(surface, &turning) {
                        let plain = Witness::plain(region, [from, to], Vec::new());
                        visit(Witness { course, ..plain })?;
                    }
                    shared.each_share(divided, &mut |along| {
                        let sides = turning.iter().partition(|other| along.contains(other));
                        let plain = Witness::plain(region, [from, to], along);
                        let courses = Course::of_divisions(surface, &<[_; 2]>::from(sides));
                        courses
                            .into_iter()
                            .try_for_each(|course| visit(Witness { course, ..plain.clone() }))
                    })?;
                }
            }
        }
        Ok(())
    }
}

impl Shared {
    /// Calls `visit` with every way to give boundaries other than `divided` away, ascending; of
    /// single spots that are alike, the first ones are given away.
    fn each_share(
        &self,
        divided: usize,
        visit: &mut impl FnMut(Vec<usize>) -> Result<(), Unlisted>,
    ) -> Result<(), Unlisted> {
        let others =
            |of: &[usize]| of.iter().copied().filter(|&b| b != divided).collect::<Vec<_>>();
        let ([zeros, ones, twos], walls) =
            (self.alone.each_ref().map(|a| others(a)), others(&self.walls));
        let mut taken = [0; 3];
        loop {
            for mask in 0..1u64 << walls.len() {
                let walls = walls.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
                let mut along: Vec<usize> = walls.map(|(_, &boundary)| boundary).collect();
                for (alone, taken) in [&zeros, &ones, &twos].into_iter().zip(taken) {
                    along.extend(&alone[..taken]);
                }
                along.sort_unstable();
                visit(along)?;
            }
            // Counts on, the first degree fastest.
            let alone = [&zeros, &ones, &twos];
            let Some(next) = (0..3).find(|&degree| taken[degree] < alone[degree].len()) else {
                return Ok(());
            };
            taken[next] += 1;
            taken[..next].fill(0);
        }
    }
}

/// The moves found so far, by the children they lead to.
struct Found<'a, 'b> {
    budget: &'a mut Budget<'b>,
    moves: BTreeMap<CanonicalPosition, Reached>,
}

impl Found<'_, '_> {
    fn add(&mut self, reached: Reached) -> Result<(), Unlisted> {
        self.budget.go_on()?;
        match self.moves.entry(reached.child.clone()) {
            Entry::Vacant(entry) => {
                self.budget.kept(reached.child.bytes())?;
                entry.insert(reached);
            }
            // A move that leads to the child itself is better than one to a position like it.
            Entry::Occupied(mut entry) => {
                if entry.get().drawn != entry.get().child && reached.drawn == reached.child {
                    entry.insert(reached);
                }
            }
        }
        Ok(())
    }
}

impl Keys {
    /// The ways in which a curve may be drawn: with its new spot, and perhaps without it.
    fn told(&self, witness: Witness) -> impl Iterator<Item = Witness> + use<> {
        let bare = Witness { is_bare: true, ..witness.clone() };
        [witness].into_iter().chain(self.may_be_bare.then_some(bare))
    }

    fn of(&mut self, paper: &Paper) -> CanonicalPosition {
        let mut lands = Vec::new();
        for land in &paper.position().0 {
            let reduced = self.generator.reduce(land).iter();
            lands.extend(reduced.map(|land| CanonicalLand::from_exact(self.canonizer.key(land))));
        }
        CanonicalPosition::from_lands(lands)
    }
}
