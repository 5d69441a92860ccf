//! All moves of a land, and what reduction makes of them.
//!
//! A move is a curve from spot x to spot y with a new spot z on it. If x and y are on different
//! boundaries `x X` and `y Y`, these become the one boundary `x X x z y Y y z`. If they are on one
//! boundary `x X y Y`, the region is divided: `x X y z` bounds one side and `y Y x z` the other,
//! and each of the other boundaries goes to either side. A spot that gets its third curve end is
//! dead, and is left out wherever it occurred. A spot of degree 0 occurs only once after a join.
//!
//! The land is reduced already, so only what the move touches is reduced anew: the region of the
//! move, and what [`super::rest`] finds in the others. The sketches of an option are known before
//! it is written, so that an option that is not wanted costs no more than a few additions.

use super::land::{END, LETTER, ONE, Region, Spot, TWO, regions};
use super::lands::Lands;
use super::plain::bare_options;
use super::reduce::{close, push, write_region};
use super::rest::{Ground, Rest};
use super::sketch::{self, Looks};
use super::surfaces;
use crate::{Rules, rules};

/// An end of a curve, before the move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A spot of this degree that stands alone.
    Alone(usize),
    /// The spot at this place of this walk.
    On(usize, usize),
}

/// Lists the options of lands, one land after the other, in the same memory.
#[derive(Default)]
pub(super) struct Moves {
    rules: Rules,
    ground: Ground,
    rest: Rest,
    own: Own,
    ends: Vec<End>,
    table: Table,
    made: Vec<Spot>,
    lands: Lands,
}

impl Moves {
    /// Lists the options in a game.
    pub fn of(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Calls `visit` with every reduced option of a reduced land all of whose lands, by their
    /// sketches, are `wanted`, until `visit` returns `false`. Options may be isomorphic. Returns
    /// how many options were made until then, wanted or not.
    pub fn visit(
        &mut self,
        land: &[Spot],
        wanted: impl Fn(&[u64]) -> bool,
        visit: impl FnMut(&Lands) -> bool,
    ) -> u64 {
        if !regions(land).all(Region::is_spherical) {
            assert!(!self.rules.may_leave_out(), "{}", rules::ON_THE_SPHERE);
            return surfaces::visit(land, &mut self.lands, wanted, visit);
        }
        let Self { rules, ground, rest, own, ends, table, made, lands } = self;
        ground.set(land);
        rest.forget(ground);
        // A move makes three letters at most.
        let letters = ground.letters + 3;
        let ground = &*ground;
        let out = Out { letters, ground, rest, made, lands, wanted, visit, count: 0 };
        let mut maker = Maker { ground, number: 0, own, table, out };
        let goes_on = (0..ground.regions.len()).all(|number| {
            maker.number = number;
            maker.own.set(ground.region(number));
            maker.joins(ends) && maker.divisions()
        });
        let Out { lands, wanted, mut visit, mut count, .. } = maker.out;
        if goes_on && rules.may_leave_out() {
            bare_options(land, |option| {
                count += 1;
                lands.set_all(option.lands());
                !wanted(lands.sketches()) || visit(lands)
            });
        }
        count
    }
}

/// The region of the move.
#[derive(Default)]
struct Own {
    loners: [usize; 3],
    /// Its walks before the move.
    before: Vec<Spot>,
    /// The same walks with `2` for letters that are lost. Where such a letter is alone, it becomes
    /// a loner instead of a walk.
    spots: Vec<Spot>,
    lost: Vec<Spot>,
    /// Where the walks begin and end.
    walks: Vec<(usize, usize)>,
    looks: Vec<Looks>,
}

impl Own {
    fn set(&mut self, region: Region<'_>) {
        self.loners = region.loners;
        self.before.clear();
        self.before.extend_from_slice(region.spots);
        self.walks.clear();
        let mut begin = 0;
        for walk in region.walks() {
            self.walks.push((begin, begin + walk.len()));
            begin += walk.len() + 1;
        }
        self.lost.clear();
        self.replace();
    }

    /// Makes these letters lost.
    fn lose(&mut self, lost: &[Spot]) {
        if self.lost != lost {
            self.lost.clear();
            self.lost.extend_from_slice(lost);
            self.replace();
        }
    }

    fn replace(&mut self) {
        let lost = &self.lost;
        let replaced = |&spot: &Spot| if lost.contains(&spot) { TWO } else { spot };
        self.spots.clear();
        self.spots.extend(self.before.iter().map(replaced));
        self.looks.clear();
        self.looks
            .extend(self.walks.iter().map(|&(begin, end)| Looks::of(&self.spots[begin..end])));
    }

    fn walk(&self, number: usize) -> &[Spot] {
        let (begin, end) = self.walks[number];
        &self.spots[begin..end]
    }

    /// Finds the walks that a curve with these ends does not meet, and what all of them together
    /// look like. Loners among them are counted.
    fn leave(&self, a: End, b: End, loners: &mut [usize; 3], others: &mut Vec<usize>) -> Looks {
        others.clear();
        let mut looks = Looks::default();
        for walk in 0..self.walks.len() {
            let is_met = |end| matches!(end, End::On(met, _) if met == walk);
            if is_met(a) || is_met(b) {
                continue;
            }
            if self.walk(walk) == [TWO] {
                loners[2] += 1;
            } else {
                others.push(walk);
                looks += self.looks[walk];
            }
        }
        looks
    }
}

/// What moves make, in memory that is used again.
#[derive(Default)]
struct Table {
    near: Walk,
    far: Walk,
    /// The same walks where the new spot occurs on this side only, as the other side has nothing
    /// else.
    near_alone: Walk,
    far_alone: Walk,
    /// The walks that the curve does not meet, by number.
    others: Vec<usize>,
    /// What each choice among the other walks looks like.
    choices: Vec<Looks>,
}

/// A walk that a move makes, reduced, or the single spot that is left of it.
#[derive(Default)]
struct Walk {
    spots: Vec<Spot>,
    looks: Looks,
    loners: [usize; 3],
}

impl Walk {
    /// Appends spots, without dead letters.
    fn pass(&mut self, spots: &[Spot], dead: [Spot; 2]) {
        let alive = spots.iter().filter(|spot| !dead.contains(spot));
        alive.for_each(|&spot| push(spot, 0, &mut self.spots));
    }

    fn end(&mut self) {
        close(0, &mut self.spots);
        self.loners = [0; 3];
        match self.spots[..] {
            [ONE] => self.loners[1] = 1,
            [TWO] => self.loners[2] = 1,
            _ => {
                self.looks = Looks::of(&self.spots);
                return;
            }
        }
        self.spots.clear();
        self.looks = Looks::default();
    }

    /// The walk with a `2` for a letter.
    fn with_two(&mut self, walk: &Self, letter: Spot) {
        self.spots.clear();
        let replaced = |&spot: &Spot| if spot == letter { TWO } else { spot };
        self.spots.extend(walk.spots.iter().map(replaced));
        self.end();
    }
}

/// A region that a move makes.
#[derive(Clone, Copy)]
struct Side<'t> {
    loners: [usize; 3],
    walk: &'t Walk,
    /// Which of the other walks it has, a bit for each.
    chosen: u32,
    /// What all its walks look like.
    looks: Looks,
    /// The sketch of the region; `None` if no move is possible in it.
    sketch: Option<u64>,
}

impl<'t> Side<'t> {
    fn new(others: [usize; 3], walk: &'t Walk, chosen: u32, looks: Looks) -> Self {
        let looks = walk.looks + looks;
        let loners = [0, 1, 2].map(|degree| others[degree] + walk.loners[degree]);
        Self { loners, walk, chosen, looks, sketch: looks.region(loners) }
    }
}

/// Makes the options of a land.
struct Maker<'m, Wanted, Visit> {
    ground: &'m Ground,
    /// The number of the region of the moves.
    number: usize,
    own: &'m mut Own,
    table: &'m mut Table,
    out: Out<'m, Wanted, Visit>,
}

impl<Wanted: Fn(&[u64]) -> bool, Visit: FnMut(&Lands) -> bool> Maker<'_, Wanted, Visit> {
    fn joins(&mut self, ends: &mut Vec<End>) -> bool {
        let loners = self.own.loners;
        ends.clear();
        ends.extend((0..3).filter(|&degree| loners[degree] > 0).map(End::Alone));
        for (w, &(begin, end)) in self.own.walks.iter().enumerate() {
            ends.extend((0..end - begin).map(|i| End::On(w, i)));
        }
        let apart = |a, b| match (a, b) {
            (End::On(walk, _), End::On(other, _)) => walk != other,
            // A curve between two spots that look the same needs two of them.
            (End::Alone(x), End::Alone(y)) => x != y || loners[x] > 1,
            _ => true,
        };
        ends.iter()
            .enumerate()
            .all(|(i, &a)| ends[i..].iter().all(|&b| !apart(a, b) || self.join(a, b)))
    }

    fn join(&mut self, a: End, b: End) -> bool {
        let dead = self.kill(a, b);
        let Self { ground, own, table, out, .. } = self;
        let mut loners = own.loners;
        let (z, walk) = (ground.letters, &mut table.near);
        walk.spots.clear();
        for (end, new) in [(a, z + 1), (b, z + 2)] {
            match end {
                End::Alone(degree) => {
                    loners[degree] -= 1;
                    // A spot of degree 1 occurs on both sides of the curve, with nothing between.
                    walk.pass([&[ONE][..], &[TWO], &[]][degree], dead);
                }
                End::On(w, i) => {
                    let spots = own.walk(w);
                    let x = if spots[i] == ONE { &[new][..] } else { &[] };
                    for passed in [x, &spots[i + 1..], &spots[..i], x] {
                        walk.pass(passed, dead);
                    }
                }
            }
            walk.pass(&[z], dead);
        }
        walk.end();
        let looks = own.leave(a, b, &mut loners, &mut table.others);
        let all = (1 << table.others.len()) - 1;
        out.offer(own, &table.others, [Some(Side::new(loners, &table.near, all, looks)), None])
    }

    fn divisions(&mut self) -> bool {
        // A loop takes two lives of its spot.
        let loners = self.own.loners;
        let mut loops = (0..2).filter(|&degree| loners[degree] > 0).map(End::Alone);
        loops.all(|end| self.divide(end, end))
            && (0..self.own.walks.len()).all(|w| {
                let (begin, end) = self.own.walks[w];
                (begin..end).all(|i| {
                    (i..end).all(|j| {
                        let (x, y) = (self.own.before[i], self.own.before[j]);
                        // A letter that occurs twice is one spot, with one life.
                        let can_join = if i == j { x == ONE } else { x < LETTER || x != y };
                        !can_join || self.divide(End::On(w, i - begin), End::On(w, j - begin))
                    })
                })
            })
    }

    /// Makes the options in which a curve from `a` to `b`, on one boundary, divides the
    /// region: one for every way to share the
    /// other boundaries.
    fn divide(&mut self, a: End, b: End) -> bool {
        let dead = self.kill(a, b);
        let Self { ground, own, table, out, .. } = self;
        let Table { near, far, near_alone, far_alone, others, choices, .. } = &mut **table;
        let mut loners = own.loners;
        let z = ground.letters;
        near.spots.clear();
        far.spots.clear();
        match (a, b) {
            (End::On(w, i), End::On(_, j)) => {
                let spots = own.walk(w);
                // A loop uses up both lives of its spot.
                let is_new = |end: usize| i != j && spots[end] == ONE;
                let x = if is_new(i) { &[z + 1][..] } else { &[] };
                let y = if is_new(j) { &[z + 2][..] } else { &[] };
                [x, &spots[(i + 1).min(j)..j], y].iter().for_each(|passed| near.pass(passed, dead));
                [y, &spots[j + 1..], &spots[..i], x]
                    .iter()
                    .for_each(|passed| far.pass(passed, dead));
            }
            (End::Alone(degree), _) | (_, End::Alone(degree)) => {
                loners[degree] -= 1;
                if degree == 0 {
                    near.pass(&[z + 1], dead);
                    far.pass(&[z + 1], dead);
                }
            }
        }
        near.pass(&[z], dead);
        far.pass(&[z], dead);
        near.end();
        far.end();
        // If a side has nothing but the new spot, no move is left there, and the spot occurs on the
        // other side only.
        near_alone.with_two(near, z);
        far_alone.with_two(far, z);
        let alike = near.spots == far.spots;
        let looks = own.leave(a, b, &mut loners, others);
        choices.clear();
        choices.push(Looks::default());
        for &other in &*others {
            (0..choices.len()).for_each(|i| choices.push(choices[i] + own.looks[other]));
        }
        let all = (choices.len() - 1) as u32;
        let [zeros, ones, twos] = loners;
        (0..=zeros).all(|z| {
            (0..=ones).all(|o| {
                (0..=twos).all(|t| {
                    (0..=all).all(|chosen| {
                        let (one, other) = ([z, o, t], [zeros - z, ones - o, twos - t]);
                        let rest = all ^ chosen;
                        // If both sides look the same, both ways to share between them are the
                        // same.
                        if alike && (one, chosen) > (other, rest) {
                            return true;
                        }
                        let given = choices[chosen as usize];
                        let mut one_side = Side::new(one, near, chosen, given);
                        let mut other_side = Side::new(other, far, rest, looks - given);
                        let lasts = [one_side, other_side].map(|side| side.sketch.is_some());
                        if !lasts[0] {
                            other_side = Side::new(other, far_alone, rest, looks - given);
                        }
                        if !lasts[1] {
                            one_side = Side::new(one, near_alone, chosen, given);
                        }
                        out.offer(own, others, [Some(one_side), Some(other_side)])
                    })
                })
            })
        })
    }

    /// The letters that a curve with these ends kills. Looks up what that does to other regions.
    fn kill(&mut self, a: End, b: End) -> [Spot; 2] {
        let Self { ground, own, out, .. } = self;
        let dead = [a, b].map(|end| match end {
            End::On(w, place) => match own.before[own.walks[w].0 + place] {
                letter @ LETTER.. => letter,
                _ => END,
            },
            End::Alone(_) => END,
        });
        out.rest.set(ground, self.number, dead);
        own.lose(&out.rest.lost);
        dead
    }
}

/// Where options go.
struct Out<'m, Wanted, Visit> {
    /// All letters of an option are below this.
    letters: Spot,
    ground: &'m Ground,
    rest: &'m mut Rest,
    /// The regions that the move makes.
    made: &'m mut Vec<Spot>,
    lands: &'m mut Lands,
    wanted: Wanted,
    visit: Visit,
    count: u64,
}

impl<Wanted: Fn(&[u64]) -> bool, Visit: FnMut(&Lands) -> bool> Out<'_, Wanted, Visit> {
    /// Writes an option and has it visited, if it is wanted. Returns whether to go on.
    fn offer(&mut self, own: &Own, others: &[usize], sides: [Option<Side<'_>>; 2]) -> bool {
        self.count += 1;
        let sides = sides.iter().flatten().filter_map(|side| Some((side, side.sketch?)));
        let sketch =
            sides.clone().map(|(_, sketch)| sketch).fold(self.rest.sketch, u64::wrapping_add);
        self.rest.sketches[0] = sketch::of_sum(sketch);
        let has_none = self.rest.is_homeless && sides.clone().next().is_none();
        if !(self.wanted)(&self.rest.sketches[usize::from(has_none)..]) {
            return true;
        }
        self.made.clear();
        let mut parts = [(0, 0, 0); 2];
        let mut count = 0;
        for (side, sketch) in sides {
            let begin = self.made.len();
            let walks = others.iter().enumerate().filter(|&(i, _)| side.chosen >> i & 1 == 1);
            let walks = walks.map(|(_, &w)| own.walk(w)).chain([&side.walk.spots[..]]);
            write_region(side.loners, side.looks.lives(), walks, self.made);
            parts[count] = (sketch, begin, self.made.len());
            count += 1;
        }
        self.lands.set(self.rest, self.ground, self.made, &parts[..count], self.letters);
        (self.visit)(self.lands)
    }
}
