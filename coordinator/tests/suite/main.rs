//! A real coordinator over real connections: honest workers, liars, and messages chosen by the test.

mod access;
mod budgets;
mod cluster;
mod common;
mod copies;
mod leaves;
mod liar;
mod misere;
mod newcomers;
mod protocol;
mod trust;
