//! Brussels Sprouts against reference values, and against drawings with numbered arms.

use std::collections::{BTreeSet, HashMap};

use crate::common::{Random, rows};
use sprig_games::brussels::{NoStart, Region, Solver, Start, Worth};

#[test]
fn the_reference_is_met() {
    let mut solver = Solver::default();
    let rows = rows("brussels.tsv");
    assert!(rows.len() >= 13);
    for row in rows {
        let number = |i: usize| row[i].parse().unwrap_or_else(|e| panic!("{row:?}: {e}"));
        let start = Start::new(number(0) as u32, number(2) as u32, number(1)).expect("a start");
        let lengths = start.lengths();
        let found: Vec<String> = (lengths.shortest..=lengths.longest)
            .step_by(lengths.step as usize)
            .map(|length| length.to_string())
            .collect();
        assert_eq!(found.join(", "), row[3], "{row:?}");
        let worth = solver.start(start).expect("small");
        if let [nimber, misere] = [4, 5].map(|i| row.get(i).map_or("", String::as_str))
            && !nimber.is_empty()
        {
            assert_eq!(worth.nimber.to_string(), nimber, "{row:?}");
            assert_eq!(if worth.wins_misere { "win" } else { "loss" }, misere, "{row:?}");
        }
    }
}

/// A drawing: regions, each with a surface, and the cyclic lists of the arms that a walk meets
/// which has the region on its left. Arms have numbers.
type Drawing = Vec<(i32, Vec<Vec<u32>>)>;

fn start(crosses: u32, arms: u32, surface: i32) -> Drawing {
    let lists = (0..crosses).map(|c| (c * arms + 1..=(c + 1) * arms).collect()).collect();
    vec![(surface, lists)]
}

/// The readings of a boundary: also the reverse one, if boundaries have no common direction on the
/// surface.
fn turns(boundary: &[u32], may_turn: bool) -> Vec<Vec<u32>> {
    let mut ways = vec![boundary.to_vec()];
    if may_turn {
        ways.push(boundary.iter().rev().copied().collect());
    }
    ways
}

/// All drawings after a move, each curve drawn from one numbered arm to another one.
fn options(drawing: &Drawing) -> BTreeSet<Drawing> {
    let new = 1 + drawing.iter().flat_map(|r| r.1.iter().flatten()).max().copied().unwrap_or(0);
    let mut found = BTreeSet::new();
    for (r, (surface, lists)) in drawing.iter().enumerate() {
        let mut put = |made: Drawing| {
            let mut after = drawing.clone();
            after.splice(r..=r, made);
            found.insert(after);
        };
        for a in 0..lists.len() {
            for b in 0..a {
                let mut rest = lists.clone();
                let (a, b) = (rest.remove(a), rest.remove(b));
                for b in turns(&b, *surface < 0) {
                    for i in 0..a.len() {
                        for j in 0..b.len() {
                            let mut joined = [&a[i + 1..], &a[..i], &[new]].concat();
                            joined.extend([&b[j + 1..], &b[..j], &[new + 1]].concat());
                            put(vec![(*surface, [&rest[..], &[joined]].concat())]);
                        }
                    }
                }
            }
            let mut rest = lists.clone();
            let whole = rest.remove(a);
            for i in 0..whole.len() {
                for j in i + 1..whole.len() {
                    let near = [&whole[i + 1..j], &[new]].concat();
                    let far = [&whole[j + 1..], &whole[..i], &[new + 1]].concat();
                    divide(*surface, &rest, &near, &far, &mut put);
                }
            }
        }
    }
    found
}

/// What can be done by a curve from a boundary to itself.
fn divide(
    surface: i32,
    rest: &[Vec<u32>],
    near: &[u32],
    far: &[u32],
    put: &mut impl FnMut(Drawing),
) {
    for mask in 0..1u32 << rest.len() {
        let (mut here, mut there) = (vec![near.to_vec()], vec![far.to_vec()]);
        for (i, list) in rest.iter().enumerate() {
            if mask >> i & 1 == 1 { here.push(list.clone()) } else { there.push(list.clone()) }
        }
        // Every way to write the surface as a sum of two. Beside a cross-cap each handle is worth
        // two cross-caps.
        let all = surface.abs() + 1;
        for one in -all..=all {
            for other in -all..=all {
                let sum = match (one < 0, other < 0) {
                    (false, false) => one + other,
                    (true, true) => one + other,
                    (true, false) => one - 2 * other,
                    (false, true) => other - 2 * one,
                };
                if sum == surface {
                    put(vec![(one, here.clone()), (other, there.clone())]);
                }
            }
        }
    }
    let both = |surface| vec![(surface, [rest, &[near.to_vec(), far.to_vec()]].concat())];
    // Through a handle, or through two cross-caps; the rest of the surface may have none any more.
    if surface > 0 {
        put(both(surface - 1));
    }
    if surface <= -3 {
        put(both(surface + 2));
    }
    if surface < 0 && surface % 2 == 0 {
        put(both(-surface / 2 - 1));
    }
    // Through one cross-cap: one boundary, half of it turned.
    let turned: Vec<u32> = near[..near.len() - 1].iter().rev().copied().collect();
    let last = near[near.len() - 1];
    let joined = [&turned[..], &[last], far].concat();
    let one = |surface| vec![(surface, [rest, std::slice::from_ref(&joined)].concat())];
    if surface <= -2 {
        put(one(surface + 1));
    }
    if surface < 0 && surface % 2 != 0 {
        put(one((-surface - 1) / 2));
    }
}

/// The drawing with its arms and regions in another order: equal for drawings that were numbered
/// alike. Otherwise the numbers of arms mean nothing.
fn tidy(mut drawing: Drawing) -> Drawing {
    for (_, lists) in &mut drawing {
        lists.sort_by_key(Vec::len);
    }
    drawing
        .sort_by_key(|(surface, lists)| (*surface, lists.iter().map(Vec::len).collect::<Vec<_>>()));
    let mut next = 0;
    for arm in drawing.iter_mut().flat_map(|region| region.1.iter_mut().flatten()) {
        next += 1;
        *arm = next;
    }
    drawing
}

#[derive(Clone)]
struct Found {
    nimber: u32,
    misere: bool,
    lengths: BTreeSet<u64>,
}

fn play(drawing: Drawing, memo: &mut HashMap<Drawing, Found>) -> Found {
    if let Some(known) = memo.get(&drawing) {
        return known.clone();
    }
    let (mut nimbers, mut lengths) = (BTreeSet::new(), BTreeSet::new());
    let (mut misere, mut ended) = (false, true);
    let next: BTreeSet<Drawing> = options(&drawing).into_iter().map(tidy).collect();
    for option in next {
        ended = false;
        let found = play(option, memo);
        nimbers.insert(found.nimber);
        misere |= !found.misere;
        lengths.extend(found.lengths.iter().map(|length| length + 1));
    }
    if ended {
        (misere, lengths) = (true, BTreeSet::from([0]));
    }
    let nimber = (0..).find(|n| !nimbers.contains(n)).expect("finite");
    let found = Found { nimber, misere, lengths };
    memo.insert(drawing, found.clone());
    found
}

#[test]
fn drawings_by_hand_agree() {
    let (mut solver, mut memo) = (Solver::default(), HashMap::new());
    let mut played = 0;
    for (crosses, arms) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3), (2, 3), (1, 4), (1, 5)]
    {
        for surface in -3..=2 {
            let start_ = Start::new(crosses, arms, surface).expect("a start");
            let found = play(start(crosses, arms, surface), &mut memo);
            let worth = solver.start(start_).expect("small");
            let what = format!("{crosses} crosses of {arms} arms on {surface}");
            assert_eq!((worth.nimber, worth.wins_misere), (found.nimber, found.misere), "{what}");
            let lengths = start_.lengths();
            let formula = (lengths.shortest..=lengths.longest).step_by(lengths.step as usize);
            assert_eq!(formula.collect::<BTreeSet<_>>(), found.lengths, "{what}");
            played += 1;
        }
    }
    assert_eq!(played, 54);
}

/// A drawing as regions, in order; those in which nothing can ever be joined stay.
fn regions(drawing: &Drawing) -> Vec<Region> {
    let region = |(surface, lists): &(i32, Vec<Vec<u32>>)| {
        Region::new(*surface, lists.iter().map(|list| list.len() as u32).collect())
    };
    let mut regions: Vec<Region> = drawing.iter().map(region).collect();
    regions.sort_unstable();
    regions
}

/// One to three regions with numbered arms, one of them on this surface, the others on simpler
/// ones. Where all surfaces are alike, it takes more arms to have a thousand of them.
fn drawing(random: &mut Random, surface: i32) -> Drawing {
    let mut left = 1 + random.below(if surface < 0 { 8 } else { 12 }) as u32;
    let (mut drawing, mut arm) = (Drawing::new(), 0);
    while left > 0 && drawing.len() < 3 {
        let simpler = random.below(surface.unsigned_abs() as usize + 1) as i32;
        let surface = if drawing.is_empty() { surface } else { surface.signum() * simpler };
        let mut lists = Vec::new();
        while left > 0 && lists.len() < 4 && (lists.is_empty() || random.below(3) > 0) {
            let arms = 1 + random.below(left as usize) as u32;
            lists.push((arm + 1..=arm + arms).collect());
            (arm, left) = (arm + arms, left - arms);
        }
        drawing.push((surface, lists));
    }
    drawing
}

#[test]
fn a_thousand_random_positions_of_each_surface_have_the_moves_of_their_drawings() {
    let mut solver = Solver::default();
    for surface in -3_i32..=2 {
        let mut random = Random(surface.unsigned_abs().into());
        let mut met = BTreeSet::new();
        while met.len() < 1_000 {
            let drawing = drawing(&mut random, surface);
            if !met.insert(regions(&drawing)) {
                continue;
            }
            let drawn: BTreeSet<Vec<Region>> = options(&drawing).iter().map(regions).collect();
            // Moves in one region, where they are told.
            if let [region] = &regions(&drawing)[..]
                && let Some(moves) = region.moves()
            {
                assert_eq!(moves, drawn, "{region:?}");
            }
            let worth =
                |solver: &mut Solver, regions: &[Region]| solver.worth(regions).expect("small");
            let after: Vec<Worth> =
                drawn.iter().map(|regions| worth(&mut solver, regions)).collect();
            let nimber = (0..).find(|n| after.iter().all(|worth| worth.nimber != *n));
            let wins_misere = after.is_empty() || after.iter().any(|worth| !worth.wins_misere);
            let Worth { nimber: found, wins_misere: found_misere } =
                worth(&mut solver, &regions(&drawing));
            assert_eq!((Some(found), found_misere), (nimber, wins_misere), "{drawing:?}");
        }
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    assert_eq!(Start::new(0, 4, 0), Err(NoStart::Nothing));
    assert_eq!(Start::new(3, 0, 0), Err(NoStart::Nothing));
    assert_eq!(Start::new(3, 4, i32::MIN), Err(NoStart::TooMuch));
    let many = Start::new(1000, 4, -1).expect("a start");
    assert!(Solver::default().start(many).is_err());
    let plane = Start::new(1_000_000, 4, 0).expect("a start");
    assert_eq!(plane.lengths().shortest, 4_999_998);
    assert_eq!(plane.parity(), Some(false));
}
