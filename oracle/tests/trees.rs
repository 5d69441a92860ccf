//! The sizes of whole game trees under an exact canonical form, and that reduction keeps them.

use std::collections::BTreeSet;

use sprig_engine::{Land, Position};
use sprig_oracle::{Key, Table, child_keys, key, tree};

/// Positions and different lands of the tree of the game with `spots` spots.
fn size(spots: usize) -> (usize, usize) {
    let tree = tree(&Position::start(spots));
    let lands: BTreeSet<&Land> = tree.iter().flat_map(|key| &key.position().0).collect();
    (tree.len(), lands.len())
}

#[test]
fn trees_have_the_published_sizes() {
    assert_eq!(size(2), (18, 17));
    assert_eq!(size(3), (145, 126));
    assert_eq!(size(4), (1_495, 1_188));
}

#[test]
fn the_tree_of_five_spots_has_the_published_size() {
    assert_eq!(size(5), (17_427, 13_342));
}

/// Plays on full tables, from which nothing is ever taken away, until all tables have been seen whose classes are
/// new, and compares the children of each with those of its reduced position.
fn walk_full_tables(spots: u32) -> usize {
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let mut open = vec![Table::start(spots)];
    while let Some(table) = open.pop() {
        let position = table.to_position();
        let mut options = BTreeSet::new();
        table.for_each_option(|_, option| {
            let key = key(&option.to_position());
            if seen.insert(key.clone()) {
                open.push(option);
            }
            options.insert(key);
        });
        assert_eq!(options, child_keys(&position), "{table} is {position}");
    }
    seen.len()
}

#[test]
fn reduction_keeps_the_game_tree() {
    // All positions but the start.
    assert_eq!(walk_full_tables(2), 17);
    assert_eq!(walk_full_tables(3), 144);
    assert_eq!(walk_full_tables(4), 1_494);
}
