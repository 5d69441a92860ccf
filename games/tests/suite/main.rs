//! Brussels and Antwerp Sprouts against drawings and checked values.

mod antwerp;
mod brussels;
mod common;
