//! Positions with handles and cross-caps: the engine against the oracle, and against the values of
//! other programs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::common::Random;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position, Surface, mex};
use sprig_oracle::{Key, Outcome, Values, child_keys, key};

/// The torus, two handles, the projective plane, the Klein bottle, three cross-caps.
const SURFACES: [i64; 5] = [1, 2, -1, -2, -3];

fn start(spots: usize, genus: i64) -> Position {
    Position::start_on(spots, Surface::new(genus).expect("a small genus"))
}

fn check(position: &Position) {
    let canonical = CanonicalPosition::of(position);
    let name = key(position);
    assert_eq!(key(&canonical.to_position()), name, "{position} became {canonical}");
    assert_eq!(CanonicalPosition::of(name.position()), canonical, "{position} as {name}");
    let children = canonical.children().expect("a small position");
    let engine: BTreeSet<Key> = children.iter().map(|child| key(&child.to_position())).collect();
    assert_eq!(engine.len(), children.len(), "{position}: isomorphic children {children:?}");
    let oracle = child_keys(position);
    assert!(
        engine == oracle,
        "children of {position}: only the engine has {:?}, only the oracle has {:?}",
        engine.difference(&oracle).collect::<Vec<_>>(),
        oracle.difference(&engine).collect::<Vec<_>>()
    );
    for land in canonical.lands() {
        assert_eq!(CanonicalLand::from_key(land.key()).as_ref(), Ok(land), "{position}");
    }
}

/// A thousand different positions on each surface, from random games of two to five spots.
#[test]
fn random_positions_have_the_same_children() {
    for genus in SURFACES {
        let mut random = Random(genus.unsigned_abs());
        let mut met = BTreeSet::new();
        let mut spots = 0;
        while met.len() < 1_000 {
            spots = 2 + (spots + 1) % 4;
            let mut position = CanonicalPosition::of(&start(spots, genus));
            loop {
                if !position.is_spherical() && met.insert(position.clone()) && met.len() <= 1_000 {
                    check(&position.to_position());
                }
                let children = position.children().expect("a small position");
                if children.is_empty() {
                    break;
                }
                position = children[random.below(children.len())].clone();
            }
        }
    }
}

/// The same position written in another way: spots of a boundary rotated, boundaries and regions in
/// another order, and a mirror where there may be one.
fn reworded(position: &Position, random: &mut Random) -> Position {
    let mut position = position.clone();
    for land in &mut position.0 {
        for region in &mut land.0 {
            let all = random.below(2) == 0;
            for boundary in &mut region.0 {
                let by = random.below(boundary.0.len());
                boundary.0.rotate_left(by);
                if if region.1.is_orientable() { all } else { random.below(2) == 0 } {
                    boundary.0.reverse();
                }
            }
            let by = random.below(region.0.len());
            region.0.rotate_left(by);
        }
        let by = random.below(land.0.len());
        land.0.rotate_left(by);
    }
    position
}

#[test]
fn wording_makes_no_difference() {
    let mut random = Random(7);
    let mut count = 0;
    for genus in SURFACES {
        for _ in 0..400 {
            let mut position = CanonicalPosition::of(&start(5, genus));
            for _ in 0..2 + random.below(5) {
                let children = position.children().expect("a small position");
                if children.is_empty() {
                    break;
                }
                position = children[random.below(children.len())].clone();
            }
            if !position.is_spherical() {
                let written = position.to_position();
                let other = reworded(&written, &mut random);
                assert_eq!(CanonicalPosition::of(&other), position, "{written} as {other}");
                assert_eq!(key(&other), key(&written), "{written} as {other}");
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count}");
}

fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn outcome(text: &str) -> Outcome {
    match text {
        "win" => Outcome::Win,
        "loss" => Outcome::Loss,
        other => panic!("`{other}` is no outcome"),
    }
}

#[test]
fn reference_positions_have_their_values() {
    let mut values = Values::default();
    let mut count = 0;
    for line in lines(include_str!("../../../testdata/variants/surfaces_positions.tsv")) {
        let position = line[0].parse().unwrap_or_else(|e| panic!("{}: {e}", line[0]));
        let nimber = line[1].parse().map(Nimber::new).expect("a number");
        assert_eq!(values.nimber(&position), nimber, "{position}");
        assert_eq!(values.misere_outcome(&position), outcome(line[2]), "{position}");
        count += 1;
    }
    assert_eq!(count, 331);
}

#[test]
fn start_positions_of_few_spots_have_their_values() {
    let mut values = Values::default();
    for line in lines(include_str!("../../../testdata/variants/surfaces_start.tsv")) {
        let position: Position = line[0].parse().expect(line[0]);
        if position.0[0].lives() > 9 || position.0[0].0[0].1.genus() < -3 {
            continue;
        }
        let nimber = line[1].parse().map(Nimber::new).expect("a number");
        assert_eq!(values.nimber(&position), nimber, "{position}");
        assert_eq!(values.misere_outcome(&position), outcome(line[3]), "{position}");
    }
}

/// Canonical trees, found by the engine's children.
#[derive(Default)]
struct Trees {
    trees: HashMap<BTreeSet<u32>, u32>,
    positions: HashMap<CanonicalPosition, u32>,
}

impl Trees {
    fn of(&mut self, position: &CanonicalPosition) -> u32 {
        if let Some(&known) = self.positions.get(position) {
            return known;
        }
        let children = position.children().expect("a small position");
        let options: BTreeSet<u32> = children.iter().map(|child| self.of(child)).collect();
        let next = u32::try_from(self.trees.len()).expect("few trees");
        let tree = *self.trees.entry(options).or_insert(next);
        self.positions.insert(position.clone(), tree);
        tree
    }
}

/// Start positions have equal canonical trees exactly where the table has equal letters, and as
/// many trees as it says.
#[test]
fn from_a_limit_genus_on_nothing_changes() {
    let mut classes: BTreeMap<(usize, &str), u32> = BTreeMap::new();
    let mut trees = Trees::default();
    for line in lines(include_str!("../../../testdata/variants/limit_genus.tsv")) {
        let (spots, genus) = (line[0].parse().expect("spots"), line[1].parse().expect("a genus"));
        if spots == 3 && !(-3..=3).contains(&genus) {
            continue;
        }
        let tree = trees.of(&CanonicalPosition::of(&start(spots, genus)));
        assert_eq!(*classes.entry((spots, line[2])).or_insert(tree), tree, "{spots}@{genus}");
    }
    let different: BTreeSet<u32> = classes.values().copied().collect();
    assert_eq!(different.len(), classes.len(), "{classes:?}");
}

/// The nimber by the engine's children, as a check of the children where the oracle takes too long.
#[test]
fn four_spots_have_their_nimbers_on_every_surface() {
    let mut known: HashMap<CanonicalLand, Nimber> = HashMap::new();
    fn of(known: &mut HashMap<CanonicalLand, Nimber>, position: &CanonicalPosition) -> Nimber {
        position.lands().iter().fold(Nimber::ZERO, |sum, land| {
            let nimber = known.get(land).copied().unwrap_or_else(|| {
                let children = land.children().expect("a small land");
                let nimber = mex(children.iter().map(|child| of(known, child)).collect::<Vec<_>>());
                known.insert(land.clone(), nimber.expect("a small nimber"));
                known[land]
            });
            sum.nim_sum(nimber)
        })
    }
    for genus in [1, -1] {
        let nimber = of(&mut known, &CanonicalPosition::of(&start(4, genus)));
        assert_eq!(nimber.get(), 1, "4 spots, genus {genus}");
    }
}
