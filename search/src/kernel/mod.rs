//! The kernel: proof-number search by depth-first walks of threads that share their tables.
//!
//! It knows no game. What it searches is a `Problem`: nodes that are won if one option is lost.
//! Couples (a land and a Nim heap, in normal play) are one problem, and nodes of misère play
//! (`sprig-misere`) the other.
//!
//! | file | |
//! |---|---|
//! | `arena` | the memory of tables: words that are handed out once and shared without locks |
//! | `intern` | tables of records, found by their keys |
//! | `recent` | what a thread has looked up lately |
//! | `numbers` | proof and disproof numbers |
//! | `tally` | the numbers of a node from those of its options, and where to go on |
//! | `noise` | what makes searches of one goal differ |
//! | `walk` | df-pn |
//! | `room` | tables that walks share, and that grow or are collected when they are full |
//! | `drive` | a goal on any number of threads |
//! | `counters` | what is counted |

pub mod arena;
pub mod counters;
pub mod drive;
pub mod intern;
pub mod noise;
pub mod numbers;
pub mod recent;
pub mod room;
pub mod sync;
pub mod tally;
pub mod walk;
