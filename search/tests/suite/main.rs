//! The search on several threads, and what it tells.

mod facts;
mod threads;
mod wishes;
