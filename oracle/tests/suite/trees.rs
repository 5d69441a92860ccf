//! Whole game trees: their published sizes, and that reduction keeps them.

use std::collections::{BTreeSet, HashMap};

use sprig_engine::{Land, Position};
use sprig_oracle::{Key, Table, child_keys, key, tree};

/// Game trees by number: two positions get one number exactly when their game trees are isomorphic.
#[derive(Default)]
struct GameTrees {
    of_positions: HashMap<Key, usize>,
    /// Numbers by those of the trees of the children.
    numbers: HashMap<BTreeSet<usize>, usize>,
}

impl GameTrees {
    fn of(&mut self, key: &Key) -> usize {
        if let Some(&known) = self.of_positions.get(key) {
            return known;
        }
        let children = child_keys(key.position()).iter().map(|child| self.of(child)).collect();
        let next = self.numbers.len();
        let number = *self.numbers.entry(children).or_insert(next);
        self.of_positions.insert(key.clone(), number);
        number
    }
}

/// Positions, different lands and different game trees of the game with `spots` spots.
fn size(spots: usize) -> [usize; 3] {
    let mut trees = GameTrees::default();
    trees.of(&key(&Position::start(spots)));
    let lands: BTreeSet<&Land> =
        trees.of_positions.keys().flat_map(|key| &key.position().0).collect();
    [trees.of_positions.len(), lands.len(), trees.numbers.len()]
}

#[test]
fn game_trees_have_the_published_sizes() {
    // Game trees ("canonical trees"): Lemoine and Viennot, the paper on misère play.
    assert_eq!(size(2), [18, 17, 10]);
    assert_eq!(size(3), [145, 126, 55]);
    assert_eq!(size(4), [1_495, 1_188, 713]);
}

#[test]
fn the_game_of_five_spots_has_the_published_size() {
    assert_eq!(size(5), [17_427, 13_342, 10_461]);
}

#[test]
fn a_large_land_of_nine_lives_has_the_published_number_of_game_trees() {
    let mut trees = GameTrees::default();
    trees.of(&key(&"1abcde2edcba.2".parse().expect("well-formed")));
    assert_eq!(trees.numbers.len(), 478);
}

/// Plays on full tables, from which nothing is ever taken away, and compares the game tree of each
/// with that of its reduced position. Returns how many tables there were; tables that are written
/// alike count once.
fn walk_full_tables(spots: u32) -> usize {
    let mut trees = GameTrees::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![Table::start(spots)];
    while let Some(table) = open.pop() {
        let reduced = key(&table.to_position());
        let expected: BTreeSet<usize> =
            child_keys(reduced.position()).iter().map(|child| trees.of(child)).collect();
        let mut options = BTreeSet::new();
        table.for_each_option(|_, option| {
            let position = option.to_position();
            options.insert(trees.of(&key(&position)));
            if seen.insert(position) {
                open.push(option);
            }
        });
        assert_eq!(options, expected, "{table} is {reduced}");
    }
    seen.len()
}

#[test]
fn reduction_keeps_game_trees() {
    // There are more tables than reduced positions.
    assert!(walk_full_tables(2) > 18);
    assert!(walk_full_tables(3) > 145);
}

#[test]
fn the_tree_holds_what_the_recursion_visits() {
    let mut trees = GameTrees::default();
    let start = Position::start(3);
    trees.of(&key(&start));
    assert_eq!(tree(&start), trees.of_positions.into_keys().collect());
}
