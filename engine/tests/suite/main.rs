//! Rules and canonical forms against the paper, an independent description, and random names.

mod common;
mod paper;
mod relabelling;
mod surfaces;
mod trees;
mod ways;
