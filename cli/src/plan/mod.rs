//! The data behind `sprig plan`.

pub mod prices;
