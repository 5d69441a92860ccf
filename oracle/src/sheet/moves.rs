//! All moves on a sheet: every corner, every curve, and every way to share the boundaries that it
//! does not meet.

use super::{Card, Face, Sheet, Walk};

/// The boundaries that a curve does not meet, in two groups.
type Shared = (Vec<Walk>, Vec<Walk>);

impl Sheet {
    /// Calls `visit` with the sheet after every move until it returns `false`. Returns whether it
    /// never did. Of spots that stand alone and look alike, one stands for all. Many of the sheets
    /// are isomorphic.
    pub fn for_each_option(&self, mut visit: impl FnMut(Self) -> bool) -> bool {
        (0..self.faces.len()).all(|f| self.joinings(f, &mut visit) && self.curves(f, &mut visit))
    }

    /// The walks of one spot that occurs nowhere else, by its degree, and all other walks of a
    /// face.
    fn loners(&self, f: usize) -> ([Vec<usize>; 3], Vec<usize>) {
        let (mut loners, mut others) = (<[Vec<usize>; 3]>::default(), Vec::new());
        let passes = self.passes();
        for (w, walk) in self.faces[f].walks.iter().enumerate() {
            match walk[..] {
                [card] if passes[card as usize] == 1 => {
                    loners[usize::from(self.degrees[card as usize])].push(w);
                }
                _ => others.push(w),
            }
        }
        (loners, others)
    }

    /// The walk from a corner on, until it is there again.
    fn walk_from(&self, f: usize, w: usize, corner: usize) -> Walk {
        let mut walk = self.faces[f].walks[w].clone();
        walk.rotate_left(corner);
        if self.degrees[walk[0] as usize] > 0 {
            walk.push(walk[0]);
        }
        walk
    }

    /// The sheet after a curve with these ends: its new spot has a card, and the face of the curve
    /// is gone. `None` if a spot would have more than three curve ends.
    fn with_curve(&self, f: usize, ends: [Card; 2]) -> Option<(Self, Card)> {
        let mut sheet = self.clone();
        sheet.faces.remove(f);
        for end in ends {
            sheet.degrees[end as usize] += 1;
            if sheet.degrees[end as usize] > 3 {
                return None;
            }
        }
        let new = sheet.spot(2);
        Some((sheet, new))
    }

    fn and(&self, faces: impl IntoIterator<Item = Face>) -> Self {
        let mut sheet = self.clone();
        sheet.faces.extend(faces);
        sheet
    }

    fn joinings(&self, f: usize, visit: &mut impl FnMut(Self) -> bool) -> bool {
        let (loners, mut walks) = self.loners(f);
        walks.extend(loners.iter().flat_map(|alike| alike.iter().take(2)));
        let genus = self.faces[f].genus;
        walks.iter().enumerate().all(|(at, &w)| {
            walks[at + 1..].iter().all(|&v| {
                let pairs = (0..self.faces[f].walks[w].len())
                    .flat_map(|i| (0..self.faces[f].walks[v].len()).map(move |j| (i, j)));
                let rest: Vec<Walk> = others(&self.faces[f], &[w, v]);
                pairs.into_iter().all(|(i, j)| {
                    let (one, other) = (self.walk_from(f, w, i), self.walk_from(f, v, j));
                    let Some((sheet, new)) = self.with_curve(f, [one[0], other[0]]) else {
                        return true;
                    };
                    let turned: Walk = other.iter().rev().copied().collect();
                    let ways = if genus < 0 { vec![other, turned] } else { vec![other] };
                    ways.into_iter().all(|other| {
                        let walk = [&one[..], &[new], &other, &[new]].concat();
                        visit(sheet.and([face(genus, [walk], &rest)]))
                    })
                })
            })
        })
    }

    fn curves(&self, f: usize, visit: &mut impl FnMut(Self) -> bool) -> bool {
        let (loners, mut walks) = self.loners(f);
        walks.extend(loners.iter().filter_map(|alike| alike.first()));
        walks.iter().all(|&w| {
            let length = self.faces[f].walks[w].len();
            let shares = self.shares(f, w);
            let rest = others(&self.faces[f], &[w]);
            (0..length).all(|i| {
                (i..length).all(|j| {
                    let round = self.walk_from(f, w, i);
                    let (first, last) = (round[0], round[j - i]);
                    let Some((sheet, new)) = self.with_curve(f, [first, last]) else { return true };
                    let one = round[..=j - i].to_vec();
                    let mut other = vec![last];
                    other.extend_from_slice(&round[j - i + 1..]);
                    let curve = Curve { sheet, new, one, other, rest: &rest, shares: &shares };
                    curve.options(self.faces[f].genus, visit)
                })
            })
        })
    }

    /// All ways to share out the walks of a face but one.
    fn shares(&self, f: usize, met: usize) -> Vec<Shared> {
        let (loners, others) = self.loners(f);
        let mut shares: Vec<Shared> = vec![Default::default()];
        let walk = |w: &usize| self.faces[f].walks[*w].clone();
        for w in others.iter().filter(|&&w| w != met) {
            let with = |(mut one, mut other): Shared, is_first: bool| {
                if is_first { &mut one } else { &mut other }.push(walk(w));
                (one, other)
            };
            shares = shares
                .into_iter()
                .flat_map(|share| [with(share.clone(), true), with(share, false)])
                .collect();
        }
        for alike in loners {
            let alike: Vec<Walk> = alike.iter().filter(|&&w| w != met).map(walk).collect();
            let with = |(one, other): &Shared, count: usize| {
                ([&one[..], &alike[..count]].concat(), [&other[..], &alike[count..]].concat())
            };
            shares = shares
                .iter()
                .flat_map(|share| (0..=alike.len()).map(move |count| with(share, count)))
                .collect();
        }
        shares
    }
}

/// A curve from a boundary to itself.
struct Curve<'a> {
    /// The sheet without the face of the curve.
    sheet: Sheet,
    /// The spot on the curve.
    new: Card,
    /// What a walk along the curve and the boundary passes on either side, from end to end.
    one: Walk,
    other: Walk,
    /// The walks that the curve does not meet, and the ways to share them out.
    rest: &'a [Walk],
    shares: &'a [Shared],
}

impl Curve<'_> {
    fn options(&self, genus: i16, visit: &mut impl FnMut(Sheet) -> bool) -> bool {
        if genus < 0 {
            return self.among_cross_caps(-genus, visit);
        }
        let [p, q] = self.sides();
        let separates = self.shares.iter().all(|(x, y)| {
            (0..=genus).all(|handles| {
                let faces = [face(handles, [p.clone()], x), face(genus - handles, [q.clone()], y)];
                visit(self.sheet.and(faces))
            })
        });
        separates && (genus == 0 || visit(self.sheet.and([face(genus - 1, [p, q], self.rest)])))
    }

    fn sides(&self) -> [Walk; 2] {
        [&self.one, &self.other].map(|side| [&side[..], &[self.new]].concat())
    }

    fn among_cross_caps(&self, crosses: i16, visit: &mut impl FnMut(Sheet) -> bool) -> bool {
        let [p, q] = self.sides();
        self.shares.iter().all(|(x, y)| {
            // Cross-caps on both sides.
            (1..crosses).all(|part| {
                let faces = [face(-part, [p.clone()], x), face(part - crosses, [q.clone()], y)];
                visit(self.sheet.and(faces))
            })
            // Handles alone on one side: a handle and a cross-cap are three cross-caps.
            && [(&p, &q), (&q, &p)].into_iter().all(|(one, other)| {
                (0..crosses).take_while(|handles| 2 * handles < crosses).all(|handles| {
                    each_turning(x, |x| {
                        let left = 2 * handles - crosses;
                        let faces = [face(handles, [one.clone()], x), face(left, [other.clone()], y)];
                        visit(self.sheet.and(faces))
                    })
                })
            })
        }) && self.separating_nothing(crosses, visit)
    }

    fn separating_nothing(&self, crosses: i16, visit: &mut impl FnMut(Sheet) -> bool) -> bool {
        let [p, q] = self.sides();
        let turned = |walk: &Walk| -> Walk { walk.iter().rev().copied().collect() };
        let mobius = [&turned(&self.one)[..], &[self.new], &self.other, &[self.new]].concat();
        let sheet = &self.sheet;
        // Curves with two sides, and curves with one. What is left may have cross-caps or none.
        (crosses < 3 || visit(sheet.and([face(2 - crosses, [p.clone(), q.clone()], self.rest)])))
            && (crosses % 2 == 1
                || each_turning(self.rest, |rest| {
                    visit(sheet.and([face((crosses - 2) / 2, [p.clone(), turned(&q)], rest)]))
                }))
            && (crosses < 2 || visit(sheet.and([face(1 - crosses, [mobius.clone()], self.rest)])))
            && (crosses % 2 == 0
                || each_turning(self.rest, |rest| {
                    visit(sheet.and([face((crosses - 1) / 2, [mobius.clone()], rest)]))
                }))
    }
}

fn face<const N: usize>(genus: i16, made: [Walk; N], rest: &[Walk]) -> Face {
    let mut walks = Vec::from(made);
    walks.extend_from_slice(rest);
    Face { genus, walks }
}

/// The walks of a face but those that a curve meets.
fn others(face: &Face, met: &[usize]) -> Vec<Walk> {
    let walks = face.walks.iter().enumerate().filter(|(w, _)| !met.contains(w));
    walks.map(|(_, walk)| walk.clone()).collect()
}

/// Calls `visit` with all readings of the walks, each in both directions. A walk of one or two
/// spots reads the same in both.
fn each_turning(walks: &[Walk], mut visit: impl FnMut(&[Walk]) -> bool) -> bool {
    let turning: Vec<usize> = (0..walks.len()).filter(|&w| walks[w].len() > 2).collect();
    let mut walks = walks.to_vec();
    let mut is_turned = vec![false; turning.len()];
    loop {
        if !visit(&walks) {
            return false;
        }
        // Counts in binary.
        for (&w, is_turned) in turning.iter().zip(&mut is_turned) {
            walks[w].reverse();
            *is_turned = !*is_turned;
            if *is_turned {
                break;
            }
        }
        if !is_turned.contains(&true) {
            return true;
        }
    }
}
