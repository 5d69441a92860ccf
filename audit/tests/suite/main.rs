//! Claims of whole databases, checked.

mod answers;
mod common;
mod misere;
mod nimbers;
mod sorting;
mod trees;
