//! RCTs of random games against the definitions, played out by brute force.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use proptest::prelude::*;
use sprig_domain::Outcome;
use sprig_trees::{Forest, Sums, Tree};

/// A canonical tree as it is defined: the set of its options.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Game(Rc<BTreeSet<Game>>);

const GAMES: usize = 20;

/// Whether the player to move wins misère play on a sum, remembered by the sum.
#[derive(Default)]
struct Players(HashMap<Vec<Game>, bool>);

impl Players {
    fn win(&mut self, sum: &[Game]) -> bool {
        let mut sum: Vec<Game> = sum.iter().filter(|game| !game.0.is_empty()).cloned().collect();
        sum.sort();
        if let Some(&known) = self.0.get(&sum) {
            return known;
        }
        let mut win = sum.is_empty();
        for i in 0..sum.len() {
            let mut next = sum.clone();
            for option in sum[i].0.iter() {
                next[i] = option.clone();
                win = win || !self.win(&next);
            }
        }
        self.0.insert(sum, win);
        win
    }
}

/// Random games, each with some of the earlier ones as options.
fn games() -> impl Strategy<Value = Vec<Game>> {
    prop::collection::vec(any::<(u32, u32)>(), GAMES).prop_map(|masks| {
        let mut games: Vec<Game> = Vec::new();
        for (a, b) in masks {
            let chosen = games.iter().enumerate().filter(|(i, _)| (a & b) >> i & 1 == 1);
            let options = chosen.map(|(_, game)| game.clone()).collect();
            games.push(Game(Rc::new(options)));
        }
        games
    })
}

/// The RCT of a game. `turn` rotates the order in which options are looked at.
fn rct(forest: &mut Forest, game: &Game, turn: usize) -> Tree {
    let mut options: Vec<&Game> = game.0.iter().collect();
    let count = options.len().max(1);
    options.rotate_left(turn % count);
    let mut options: Vec<Tree> = options.iter().map(|option| rct(forest, option, turn)).collect();
    forest.reduce(&mut options)
}

fn game(forest: &Forest, tree: Tree) -> Game {
    Game(Rc::new(forest.options(tree).map(|option| game(forest, option)).collect()))
}

/// Every canonical tree of height up to 3.
fn testers() -> Vec<Game> {
    let mut all: Vec<Game> = Vec::new();
    for _ in 0..=3 {
        let sets = 0..1usize << all.len();
        let subset = |set: usize| all.iter().enumerate().filter(move |(i, _)| set >> i & 1 == 1);
        all =
            sets.map(|set| Game(Rc::new(subset(set).map(|(_, g)| g.clone()).collect()))).collect();
    }
    all
}

fn outcome(win: bool) -> Outcome {
    if win { Outcome::Win } else { Outcome::Loss }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A game and its RCT have the same outcome in every sum with a small game, and with any other
    /// of the games.
    #[test]
    fn a_game_can_be_replaced_by_its_tree(games in games()) {
        let mut forest = Forest::default();
        let mut players = Players::default();
        let mut testers = testers();
        testers.extend(games.iter().skip(GAMES / 2).cloned());
        for original in &games {
            let tree = rct(&mut forest, original, 0);
            let reduced = game(&forest, tree);
            prop_assert_eq!(forest.outcome(tree), outcome(players.win(std::slice::from_ref(original))));
            for tester in &testers {
                let [a, b] = [original, &reduced].map(|g| players.win(&[g.clone(), tester.clone()]));
                prop_assert_eq!(a, b, "{:?} and its tree {:?}, with {:?}", original, tree, tester);
            }
        }
    }

    /// Options of RCTs are RCTs, no RCT can be reduced, and G + 1 has the factor of the paper.
    #[test]
    fn trees_are_reduced(games in games()) {
        let mut forest = Forest::default();
        for original in &games {
            rct(&mut forest, original, 0);
        }
        let one = game(&forest, Tree::ONE);
        let mut players = Players::default();
        for tree in forest.trees().collect::<Vec<_>>() {
            for tree in [tree, tree.plus_one()] {
                let explicit = game(&forest, tree);
                prop_assert_eq!(rct(&mut forest, &explicit, 0), tree);
                let heights = forest.options(tree).map(|option| forest.height(option) + 1);
                prop_assert_eq!(forest.height(tree), heights.max().unwrap_or(0));
                prop_assert!(forest.options(tree).all(|option| forest.has_option(tree, option)));
                prop_assert_eq!(forest.options(tree).count(), forest.option_count(tree));
                let with_one = players.win(&[explicit, one.clone()]);
                prop_assert_eq!(forest.outcome(tree.plus_one()), outcome(with_one));
            }
        }
    }

    /// The RCT of a sum is that of the game in which both are played, and adding goes in any order.
    #[test]
    fn sums_are_sums(games in games(), a in 0..GAMES, b in 0..GAMES, c in 0..GAMES / 2) {
        let (mut forest, mut sums) = (Forest::default(), Sums::default());
        let trees = [a, b, c].map(|i| rct(&mut forest, &games[i], 0));
        let ab = sums.add(&mut forest, trees[0], trees[1]);
        let bc = sums.add(&mut forest, trees[1], trees[2]);
        let left = sums.add(&mut forest, ab, trees[2]);
        prop_assert_eq!(left, sums.add(&mut forest, trees[0], bc));
        let win = Players::default().win(&[a, b, c].map(|i| games[i].clone()));
        prop_assert_eq!(forest.outcome(left), outcome(win));
    }

    /// Content keys do not depend on the order in which games, or their options, are met.
    #[test]
    fn keys_do_not_depend_on_the_order(games in games(), turn in 1usize..20) {
        let [mut here, mut there] = [Forest::default(), Forest::default()];
        let keys: Vec<_> = games.iter().map(|g| { let t = rct(&mut here, g, 0); here.key(t) }).collect();
        for (original, key) in games.iter().zip(&keys).rev() {
            let tree = rct(&mut there, original, turn);
            prop_assert_eq!(there.key(tree), *key);
            prop_assert_eq!(there.find(*key), Some(tree));
        }
    }
}
