//! Claims of whole databases, checked.

mod common;
mod misere;
mod nimbers;
mod sorting;
