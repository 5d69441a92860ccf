//! All moves of a land, in the plain way: every option is written out, reduced as a whole and
//! split. The listing of [`super::options`], which does only a part of that and leaves out options
//! that are not wanted, is tested against it. Moves that leave the new spot out are listed in this
//! way only.

use super::land::{ALONE, END, LETTER, ONE, Region, Spot, next_letter, regions};
use super::reduce::Reducer;

/// An end of a curve, before the move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A spot of this degree that stands alone.
    Alone(usize),
    /// The spot at this place of this walk.
    On(usize, usize),
}

/// Calls `visit` with every option of a land, reduced, until it returns `false`. Returns whether it
/// never did. Options may be isomorphic.
#[cfg(test)]
pub(super) fn all_options(land: &[Spot], visit: impl FnMut(&Reducer) -> bool) -> bool {
    listed(land, true, visit)
}

/// As for [`all_options`], for the options in which the new spot is left out.
pub(super) fn bare_options(land: &[Spot], visit: impl FnMut(&Reducer) -> bool) -> bool {
    listed(land, false, visit)
}

fn listed(land: &[Spot], has_spot: bool, mut visit: impl FnMut(&Reducer) -> bool) -> bool {
    let letters = next_letter(land);
    let new = has_spot.then_some(letters);
    let mut reducer = Reducer::default();
    let mut visit = |option: &[Spot]| {
        // A move makes three letters at most.
        reducer.reduce(option, letters + 3);
        visit(&reducer)
    };
    let mut begin = 0;
    regions(land).all(|region| {
        let end = begin + 3 + region.spots.len();
        let walks: Vec<&[Spot]> = region.walks().collect();
        let maker = Maker {
            before: &land[..begin],
            after: &land[end..],
            region,
            walks: &walks,
            letters,
            new,
        };
        begin = end;
        let mut option = Vec::with_capacity(2 * land.len() + 16);
        maker.joins(&mut option, &mut visit) && maker.divisions(&mut option, &mut visit)
    })
}

/// Makes the options of a land that are moves in one region.
struct Maker<'a> {
    /// The regions before this one, and those after it.
    before: &'a [Spot],
    after: &'a [Spot],
    region: Region<'a>,
    walks: &'a [&'a [Spot]],
    /// The first new letter.
    letters: Spot,
    /// The new spot, if there is one.
    new: Option<Spot>,
}

impl Maker<'_> {
    fn joins(&self, option: &mut Vec<Spot>, visit: &mut impl FnMut(&[Spot]) -> bool) -> bool {
        let loners = self.region.loners;
        let mut ends: Vec<End> = (0..3).filter(|&d| loners[d] > 0).map(End::Alone).collect();
        for (w, walk) in self.walks.iter().enumerate() {
            ends.extend((0..walk.len()).map(|i| End::On(w, i)));
        }
        let apart = |a, b| match (a, b) {
            (End::On(walk, _), End::On(other, _)) => walk != other,
            // A curve between two spots that look the same needs two of them.
            (End::Alone(x), End::Alone(y)) => x != y || loners[x] > 1,
            _ => true,
        };
        ends.iter().enumerate().all(|(i, &a)| {
            ends[i..].iter().all(|&b| {
                !apart(a, b) || {
                    self.join(a, b, option);
                    visit(option)
                }
            })
        })
    }

    fn join(&self, a: End, b: End, option: &mut Vec<Spot>) {
        let dead = self.dead(a, b);
        self.write_others(dead, option);
        let mut loners = self.region.loners;
        let touched = |w| [a, b].iter().any(|end| matches!(end, End::On(walk, _) if *walk == w));
        for end in [a, b] {
            if let End::Alone(degree) = end {
                loners[degree] -= 1;
            }
        }
        option.extend(loners.map(|count| ALONE + count as Spot));
        for (_, walk) in self.walks.iter().enumerate().filter(|(w, _)| !touched(*w)) {
            write(walk, dead, option);
            option.push(END);
        }
        let z = self.letters;
        for (end, new) in [(a, z + 1), (b, z + 2)] {
            match end {
                End::Alone(0) => option.push(ONE),
                End::Alone(1) => option.extend([new; 2]),
                End::Alone(_) => {}
                End::On(w, i) => {
                    let walk = self.walks[w];
                    let x = (walk[i] == ONE).then_some(new);
                    option.extend(x);
                    write(&walk[i + 1..], dead, option);
                    write(&walk[..i], dead, option);
                    option.extend(x);
                }
            }
            option.extend(self.new);
        }
        option.push(END);
    }

    fn divisions(&self, option: &mut Vec<Spot>, visit: &mut impl FnMut(&[Spot]) -> bool) -> bool {
        // A loop takes two lives of its spot.
        let mut loners = (0..2).filter(|&d| self.region.loners[d] > 0).map(End::Alone);
        loners.all(|end| self.divide(end, end, option, visit))
            && self.walks.iter().enumerate().all(|(w, walk)| {
                (0..walk.len()).all(|i| {
                    (i..walk.len()).all(|j| {
                        let (x, y) = (walk[i], walk[j]);
                        // A letter that occurs twice is one spot, with one life.
                        let can_join = if i == j { x == ONE } else { x < LETTER || x != y };
                        !can_join || self.divide(End::On(w, i), End::On(w, j), option, visit)
                    })
                })
            })
    }

    /// Visits the options in which a curve from `a` to `b`, on one boundary, divides the
    /// region: one for every way to share the
    /// other boundaries.
    fn divide(
        &self,
        a: End,
        b: End,
        option: &mut Vec<Spot>,
        visit: &mut impl FnMut(&[Spot]) -> bool,
    ) -> bool {
        let dead = self.dead(a, b);
        self.write_others(dead, option);
        let begun = option.len();
        let mut loners = self.region.loners;
        let z = self.letters;
        let (mut near, mut far) = (Vec::new(), Vec::new());
        let mut others = self.walks.to_vec();
        match (a, b) {
            (End::On(w, i), End::On(_, j)) => {
                let walk = others.remove(w);
                // A loop uses up both lives of its spot.
                let x = (i != j && walk[i] == ONE).then_some(z + 1);
                let y = (i != j && walk[j] == ONE).then_some(z + 2);
                near.extend(x);
                write(&walk[(i + 1).min(j)..j], dead, &mut near);
                near.extend(y);
                far.extend(y);
                write(&walk[j + 1..], dead, &mut far);
                write(&walk[..i], dead, &mut far);
                far.extend(x);
            }
            (End::Alone(degree), _) | (_, End::Alone(degree)) => {
                loners[degree] -= 1;
                if degree == 0 {
                    near.push(z + 1);
                    far.push(z + 1);
                }
            }
        }
        for side in [&mut near, &mut far] {
            side.extend(self.new);
            side.push(END);
        }
        let alike = near == far;
        let all = (1u32 << others.len()) - 1;
        let [zeros, ones, twos] = loners;
        (0..=zeros).all(|z| {
            (0..=ones).all(|o| {
                (0..=twos).all(|t| {
                    (0..=all).all(|chosen| {
                        let (one, other) = ([z, o, t], [zeros - z, ones - o, twos - t]);
                        // If both sides look the same, both ways to share between them are the
                        // same.
                        if alike && (one, chosen) > (other, all ^ chosen) {
                            return true;
                        }
                        option.truncate(begun);
                        for (side, loners, loop_) in [(1, one, &near), (0, other, &far)] {
                            option.extend(loners.map(|count| ALONE + count as Spot));
                            option.extend_from_slice(loop_);
                            for (w, walk) in others.iter().enumerate() {
                                if chosen >> w & 1 == side {
                                    write(walk, dead, option);
                                    option.push(END);
                                }
                            }
                        }
                        visit(option)
                    })
                })
            })
        })
    }

    /// The letters that a curve with these ends kills.
    fn dead(&self, a: End, b: End) -> [Spot; 2] {
        [a, b].map(|end| match end {
            End::On(walk, place) if self.walks[walk][place] >= LETTER => self.walks[walk][place],
            _ => END,
        })
    }

    /// Begins an option with the other regions.
    fn write_others(&self, dead: [Spot; 2], option: &mut Vec<Spot>) {
        option.clear();
        write(self.before, dead, option);
        write(self.after, dead, option);
    }
}

/// Writes spots, without dead letters. [`END`] stands for no letter.
fn write(spots: &[Spot], dead: [Spot; 2], to: &mut Vec<Spot>) {
    if dead == [END; 2] {
        to.extend_from_slice(spots);
    } else {
        to.extend(spots.iter().filter(|&&spot| spot == END || !dead.contains(&spot)));
    }
}
