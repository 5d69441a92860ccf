//! The reduced canonical tree of a game, from those of its options.

use crate::forest::{Forest, Tree};
use crate::sets;

impl Forest {
    /// The RCT of a game whose options have these RCTs, in any order; duplicates are allowed.
    ///
    /// A game H reduces to G when H is G with further options that all lead back to G. When G is
    /// empty, H must also be a win (the proviso). G is lower than every option it drops, by at
    /// least 2 in height, so it consists of the options of H up to some height. The smallest such G
    /// is the RCT. `options` is scratch space afterwards.
    pub fn reduce(&mut self, options: &mut Vec<Tree>) -> Tree {
        options.sort_unstable();
        options.dedup();
        options.sort_by_key(|&option| self.height(option));
        match self.smallest_reducer(options) {
            Some(tree) => tree,
            None => {
                options.sort_unstable();
                let options: Vec<u32> = options.iter().map(|option| option.0).collect();
                self.add(&options)
            }
        }
    }

    /// The smallest known tree that the set reduces to, the whole set included. `set` is sorted by
    /// height.
    fn smallest_reducer(&self, set: &[Tree]) -> Option<Tree> {
        let (mut height, mut hash) = (0, 0u64);
        for (i, &option) in set.iter().enumerate() {
            let next = self.height(option);
            // Up to here the set has height `height`. An option that leads back to it is higher.
            if next > height {
                let (kept, dropped) = set.split_at(i);
                let reducer = self.find_set(kept, hash).filter(|&g| {
                    let proviso = i > 0 || set.iter().any(|&option| !self.wins(option));
                    proviso && dropped.iter().all(|&option| self.has_option(option, g))
                });
                if reducer.is_some() {
                    return reducer;
                }
            }
            height = next + 1;
            hash = hash.wrapping_add(sets::hash(option.0));
        }
        self.find_set(set, hash)
    }

    /// The known tree whose options are exactly `set`, which is sorted by height, without
    /// duplicates, and has this hash.
    ///
    /// A set that is no known tree is not the option of any known tree, so it reduces nothing.
    fn find_set(&self, set: &[Tree], hash: u64) -> Option<Tree> {
        let is = |tree: Tree| {
            self.option_count(tree) == set.len()
                && set.iter().all(|&option| self.has_option(tree, option))
        };
        let stored = self.sets.find(hash, |base| is(Tree(base << 1))).map(|base| Tree(base << 1));
        stored.or_else(|| {
            // The options of G + 1 are G and others that are lower, or as high with a factor 1.
            let highest = self.height(*set.last()?);
            let mut top = set.iter().rev().take_while(|&&option| self.height(option) == highest);
            top.find(|option| !option.has_factor()).map(|g| g.plus_one()).filter(|&tree| is(tree))
        })
    }
}
