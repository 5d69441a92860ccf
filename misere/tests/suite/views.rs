//! Looking at a search while it runs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sprig_domain::{Node, Outcome, View};
use sprig_misere::{Limits, Observer, Search};

use crate::common::position;
use crate::search::base;

const LIMITS: Limits = Limits { memory: 1 << 30, threads: 1 };

/// Looks at the search again and again while it runs.
struct Looker<'a> {
    search: &'a Search,
    node: Node,
    asked: AtomicUsize,
    seen: Mutex<Vec<View>>,
}

impl Observer<Node> for Looker<'_> {
    fn stop(&self) -> bool {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(50) {
            let view = self.search.view(&self.node, 5);
            self.seen.lock().expect("no thread panics").extend(view);
        }
        false
    }

    fn proved(&self, _: Node) {}
}

#[test]
fn whoever_looks_at_a_search_sees_where_it_goes_and_changes_no_answer() {
    let (base, position) = (base("0*5"), position("0*9"));
    let search = Search::new(&base, LIMITS);
    let node = Node::new(position.clone(), false, []);
    let (asked, seen) = (AtomicUsize::new(0), Mutex::default());
    let looker = Looker { search: &search, node: node.clone(), asked, seen };
    assert_eq!(search.solve(&position, &looker), Ok(Some(Outcome::Loss)));
    let seen = looker.seen.into_inner().expect("no thread panics");
    assert!(seen.len() > 5, "{} views", seen.len());
    let mut longest = 0;
    for View { at, line, options, open } in &seen {
        assert_eq!(at.place.goal().map(|goal| goal.position()), Some(&position));
        assert_eq!((options.len(), line.first()), (5.min(*open as usize), options.first()));
        assert!(options.is_sorted_by_key(|option| option.disproof));
        longest = longest.max(line.len());
    }
    assert!(longest > 5, "{longest}");
    assert_eq!(search.view(&node, 5), None, "it is decided");
}
