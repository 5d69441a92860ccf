//! Keys of lands, which peers and disks send: one that is taken is canonical, and its text leads back to it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sprig_domain::LandNimber;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_search::{Limits, Solver};

thread_local! {
    static SOLVER: Solver = Solver::new(Limits { memory: 64 << 20, threads: 1 });
}

fuzz_target!(|key: &[u8]| {
    // A worker takes whatever its coordinator tells it, if it follows the grammar.
    if let Ok(land) = CanonicalLand::from_checked_key(key) {
        let _ = SOLVER.with(|solver| solver.learn(&LandNimber { land, nimber: Nimber::ZERO }));
    }
    let Ok(land) = CanonicalLand::from_key(key) else { return };
    assert_eq!(land.key(), key);
    let position: Position = land.to_string().parse().expect("a land's text is a position");
    assert_eq!(CanonicalPosition::of(&position).lands(), [land.clone()], "{land}");
    if land.lives() <= 12 {
        // On a surface of a hundred handles even few lives have too many moves.
        let Ok(children) = land.children() else { return };
        for child in children {
            assert!(child.lands().iter().all(|part| part.lives() < land.lives()), "{land}");
        }
    }
});
