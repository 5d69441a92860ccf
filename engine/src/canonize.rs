//! stub
/// How hard the canonizer tries to make the bytes of isomorphic lands equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Isomorphic lands nearly always get equal bytes. For keys that stay inside one process.
    Greedy,
    /// Isomorphic lands always get equal bytes. For keys that are stored or sent.
    Exact,
}
