//! What a plan rests on.

pub mod prices;
