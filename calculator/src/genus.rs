//! The genus of games: all that sums with Nim heaps of 1 and 2 can tell.

use std::collections::HashMap;
use std::fmt;

use sprig_trees::{Forest, Tree};

/// The genus of a game (J. H. Conway, *On Numbers and Games*, chapter 12): `4^146`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Genus {
    /// The nimber in normal play.
    pub normal: u32,
    /// The nimbers in misère play of the game beside 0, 1, 2, .. heaps of 2: the size of the Nim
    /// heap beside which the sum is lost. The last two go on in turn without end, and there are at
    /// least two.
    pub misere: Vec<u32>,
}

impl Genus {
    /// The nimber in misère play beside this many heaps of 2.
    fn beside(&self, twos: usize) -> u32 {
        let turn = self.misere.len() - 2;
        self.misere[if twos < turn { twos } else { turn + (twos - turn) % 2 }]
    }

    /// The genus of the game plus 1. In both kinds of play 1 takes nimbers to those that differ in
    /// the lowest bit.
    fn plus_one(mut self) -> Self {
        self.normal ^= 1;
        self.misere.iter_mut().for_each(|nimber| *nimber ^= 1);
        self
    }

    /// The genus of a game from those of its options.
    fn of(options: &[Self]) -> Self {
        let normal = mex(options.iter().map(|option| option.normal));
        let first = mex(options.iter().map(|option| option.beside(0)));
        let mut misere = vec![if options.is_empty() { 1 } else { first }];
        // From here on the nimbers of all options go on in turn.
        let settled = options.iter().map(|option| option.misere.len() - 2).max().unwrap_or(0);
        // A heap of 2 more adds the options in which it has become 0 or 1. So of an even number of
        // heaps, and of an odd one, there are two nimbers at most in the end, and they soon repeat.
        loop {
            let (twos, last) = (misere.len(), misere[misere.len() - 1]);
            let options = options.iter().map(|option| option.beside(twos));
            misere.push(mex(options.chain([last, last ^ 1])));
            if twos > settled + 1 && misere[twos] == misere[twos - 2] {
                break;
            }
        }
        while misere.len() > 2 && misere[misere.len() - 1] == misere[misere.len() - 3] {
            misere.pop();
        }
        Self { normal, misere }
    }
}

/// The least number that does not occur.
fn mex(numbers: impl Iterator<Item = u32>) -> u32 {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    (0..).zip(&numbers).take_while(|&(place, number)| place == *number).count() as u32
}

impl fmt::Display for Genus {
    /// Nimbers from 10 on stand in parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}^", self.normal)?;
        self.misere.iter().try_for_each(|nimber| match nimber {
            0..10 => write!(f, "{nimber}"),
            _ => write!(f, "({nimber})"),
        })
    }
}

/// The genera of the trees of one forest.
#[derive(Default)]
pub struct Genera(HashMap<u32, Genus>);

impl Genera {
    /// The genus of a tree.
    pub fn of(&mut self, forest: &Forest, tree: Tree) -> Genus {
        let bare = self.of_bare(forest, tree.without_factor());
        if tree.has_factor() { bare.plus_one() } else { bare }
    }

    fn of_bare(&mut self, forest: &Forest, tree: Tree) -> Genus {
        if let Some(known) = self.0.get(&tree.number()) {
            return known.clone();
        }
        let options: Vec<Genus> =
            forest.options(tree).map(|option| self.of(forest, option)).collect();
        let genus = Genus::of(&options);
        self.0.insert(tree.number(), genus.clone());
        genus
    }
}
