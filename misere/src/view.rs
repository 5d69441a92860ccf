//! What a search sees of a node while it runs: where it goes from there, and its options.
//!
//! Looking changes no number, and lists no moves of a land. It may still change which way the search
//! goes on, as in normal play: what is guessed of lands is guessed when it is asked for first.

use sprig_domain::{Branch, Goal, Node, Place, Question, Ruleset, View};
use sprig_search::Sprouts;
use sprig_search::kernel::arena;

use crate::node::{hash, split};
use crate::options::{Candidate, Expander, Options};
use crate::packed::Packed;
use crate::search::Search;
use crate::sum::Sum;
use crate::tables::{State, Tables};

/// The longest line that is followed.
const LINE: usize = 64;

impl Search<Sprouts> {
    /// What the search sees of a node, with at most `limit` options. `None` if it has not come
    /// there, knows the answer, or makes room. May be called while a search runs.
    #[must_use]
    pub fn view(&self, node: &Node, limit: usize) -> Option<View> {
        self.shared.peek(|tables| self.seen(tables, node, limit)).flatten()
    }

    fn seen(&self, tables: &Tables, node: &Node, limit: usize) -> Option<View> {
        let mut expander = Expander::new(&self.game);
        let words = self.words(tables, &mut expander.namer, &Sum::from(node)).ok()??;
        let place = tables.find(&words, hash(&words))?;
        let root = tables.packed(place);
        if root.is_decided() {
            return None;
        }
        let options = self.options(tables, &mut expander, place);
        let open = u32::try_from(options.list.len()).unwrap_or(u32::MAX);
        let told = |options: &Options, at: &Candidate| {
            let busy = if at.place == 0 { 0 } else { tables.packed(at.place).busy() };
            let numbers = Packed::new(at.numbers);
            self.branch(tables, options.node(at.at as usize), numbers.with_busy(busy))
        };
        let shown = options.list.iter().take(limit).map(|at| told(&options, at)).collect();
        let at = self.branch(tables, &words, root);
        let (mut line, mut next) = (Vec::new(), options);
        while let Some(best) = next.list.first().copied().filter(|_| line.len() < LINE) {
            line.push(told(&next, &best));
            if best.place == 0 {
                break;
            }
            next = self.options(tables, &mut expander, best.place);
        }
        Some(View { at, line, options: shown, open })
    }

    /// The open options of a node in the order of the search; none if they were not listed.
    fn options(
        &self,
        tables: &Tables,
        expander: &mut Expander<Sprouts>,
        node: arena::Place,
    ) -> Options {
        let (mut words, mut options) = (Vec::new(), Options::default());
        tables.node_words(node, &mut words);
        // To list the moves of a land that the search has not listed would change what it does next.
        let is_listed = |&land: &u32| matches!(tables.state(land), State::Children(_));
        if !split(&words).0.iter().all(is_listed) {
            return options;
        }
        if expander.options(tables, &self.trees, &words, &mut options).is_err() {
            return Options::default();
        }
        options.list.sort_by_key(|option| option.numbers.disproof);
        options
    }

    fn branch(&self, tables: &Tables, words: &[u32], packed: Packed) -> Branch {
        let node = Node::from(&self.sum(tables, words));
        let ruleset = Ruleset { game: self.game.0, ..Ruleset::MISERE };
        let goal = Goal::new(ruleset, node.lands().clone(), Question::OUTCOME);
        let place = match goal {
            Ok(goal) if node.is(goal.position()) => Place::Goal(goal),
            _ => Place::Node(node),
        };
        let numbers = packed.numbers();
        let (proof, disproof) = (numbers.proof, numbers.disproof);
        Branch { place, proof, disproof, walks: packed.busy() }
    }
}
