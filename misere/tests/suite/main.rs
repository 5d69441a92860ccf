//! Misère trees against the literature, against an independent program, against themselves, and
//! against forgery.

mod base;
mod common;
mod counts;
mod dear;
mod ends;
mod forgery;
mod games;
mod kayles;
mod nodes;
mod oracle;
mod paper;
mod reference;
mod search;
mod views;
