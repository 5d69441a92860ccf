//! The runner of measurements, and the pages that are made of them.

mod pages;
mod runner;
