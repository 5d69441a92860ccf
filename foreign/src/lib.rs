//! Facts as text: the files of GLOP and SPOTS, JSON Lines and CSV.
//!
//! Both directions are streamed, and nothing is believed: a [`Reader`] says what a file says, line
//! by line, and its caller checks it. A [`Writer`] writes what is known. For GLOP and SPOTS it uses
//! the form, or the several forms, in which these programs look lands up. The formats are described
//! in `docs/foreign-formats.md`.

mod dialect;
mod error;
mod fields;
mod form;
mod json;
mod name;
mod numbers;
mod read;
mod record;
mod spelling;
mod trees;
mod variants;
mod write;

pub use dialect::Dialect;
pub use error::{ForeignError, Problem};
pub use name::{Name, Number};
pub use numbers::Numbers;
pub use read::Reader;
pub use record::{Kind, Record};
pub use trees::{TreeError, TreeProblem, Trees};
pub use variants::{land_texts, position_texts};
pub use write::{Format, Writer};

#[cfg(test)]
mod tests;
