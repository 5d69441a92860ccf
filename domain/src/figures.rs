//! Counters of a search.

/// Counters since a search was made, and the numbers of the goal in work.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Figures {
    /// Normal play: lands that were expanded, by generating their children or as many of them as
    /// are needed. Misère play: nodes worked on.
    pub expansions: u64,
    /// Lands whose children were generated, or as many of them as were needed.
    pub generations: u64,
    /// Children generated.
    pub children: u64,
    /// Lands held: those that were interned, and children that were not as nothing is known of them
    /// yet.
    pub lands: u64,
    /// Nodes of misère play held.
    pub nodes: u64,
    /// Facts proved here: nimbers, or lost nodes.
    pub facts: u64,
    /// Bytes held.
    pub bytes: u64,
    /// Times the tables were full and had to be collected.
    pub collections: u64,
    /// Proof number of the goal in work.
    pub proof: u32,
    /// Disproof number of the goal in work.
    pub disproof: u32,
}

impl Figures {
    /// Adds what another search has counted. What is held, and the numbers of the goal, stay as they are.
    pub fn add(&mut self, other: Self) {
        let Self { expansions, generations, children, facts, collections, .. } = other;
        self.expansions = self.expansions.saturating_add(expansions);
        self.generations = self.generations.saturating_add(generations);
        self.children = self.children.saturating_add(children);
        self.facts = self.facts.saturating_add(facts);
        self.collections = self.collections.saturating_add(collections);
    }

    /// Adds those counters of `before` that have begun anew by `now`: there they are less.
    pub fn keep(&mut self, before: Self, now: Self) {
        let kept = |before: u64, now: u64| if now < before { before } else { 0 };
        self.add(Self {
            expansions: kept(before.expansions, now.expansions),
            generations: kept(before.generations, now.generations),
            children: kept(before.children, now.children),
            facts: kept(before.facts, now.facts),
            collections: kept(before.collections, now.collections),
            ..Self::default()
        });
    }
}
