//! Misère trees against the literature, against an independent program, against themselves, and against forgery.

mod common;
mod counts;
mod forgery;
mod games;
mod oracle;
mod paper;
mod reference;
