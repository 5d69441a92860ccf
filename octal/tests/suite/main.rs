//! Octal games against published values and against rules written a second time.

mod codes;
mod misere;
mod normal;
mod slow;
