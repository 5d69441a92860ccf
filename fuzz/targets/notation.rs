//! Positions as people write them: read, written and read again they are the same position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sprig_engine::{CanonicalPosition, Land, Position};

fuzz_target!(|text: &str| {
    let Ok(position) = text.parse::<Position>() else { return };
    let written = position.to_string();
    let again: Position = written.parse().expect("what is written can be read");
    assert_eq!(written, again.to_string());
    // Beyond this the canonical form is the business of target `keys`.
    if position.0.iter().map(Land::lives).sum::<u32>() <= 40 {
        assert_eq!(CanonicalPosition::of(&position), CanonicalPosition::of(&again), "{text}");
    }
});
