//! The bound of ways to move, and what is refused by it.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use sprig_engine::{
    Budget, CanonicalLand, CanonicalPosition, Generator, Lands, MAX_WAYS, Position, Unlisted,
};

fn canonical(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

/// A region with `count` boundaries of several spots, no two alike.
fn of_boundaries(count: usize) -> CanonicalPosition {
    let boundary = |i: usize| format!("{}{}", "1".repeat(i % 5), "2".repeat(2 + i / 5));
    canonical(&(0..count).map(boundary).collect::<Vec<_>>().join("."))
}

/// Lands of many kinds, two moves deep.
fn lands() -> Vec<CanonicalLand> {
    let mut lands: Vec<_> = ["0*8", "0*4.AB|AB.12", "0.1.1.1.12.22", "AB|AB|12"]
        .into_iter()
        .chain(["AB|CD|0.ABCD", "0*3.1.1.2.2.12", "11.12.22.111"])
        .flat_map(|text| canonical(text).lands().to_vec())
        .collect();
    for start in [0, lands.len()] {
        let children = |land: &CanonicalLand| land.children().into_iter().flatten().take(40);
        let next: Vec<_> = lands[start..].iter().flat_map(children).collect();
        lands.extend(next.iter().flat_map(|child| child.lands().to_vec()));
        lands.dedup();
    }
    assert!(lands.len() > 300);
    lands
}

#[test]
fn no_land_has_more_children_than_ways() {
    let mut generator = Generator::default();
    for land in lands() {
        let mut generated = 0;
        let listed = generator.children(land.key(), |_| {
            generated += 1;
            ControlFlow::<()>::Continue(())
        });
        assert!(listed.is_ok() && generated <= land.ways(), "{land}: {generated}");
        // The bound is not far above either, or honest lands would be refused.
        assert!(land.ways() <= 8 * generated + 64, "{land}: {generated} of {}", land.ways());
    }
}

#[test]
fn a_child_is_made_again_from_its_way_and_from_no_other() {
    let (mut generator, mut again) = (Generator::default(), Generator::default());
    let written = |lands: &Lands| -> Vec<(Vec<u8>, u64)> {
        lands.sketched().map(|(land, sketch)| (land.to_vec(), sketch)).collect()
    };
    for land in lands() {
        let mut ways = Vec::new();
        let listed = generator.children(land.key(), |child| {
            ways.push(child.way());
            let twin = again.child(land.key(), child.way()).expect("there is such a move");
            assert_eq!(written(twin), written(child), "{land}, move {}", child.way());
            assert_eq!(twin.way(), child.way());
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(listed, Ok(ControlFlow::Continue(())));
        assert!(ways.is_sorted_by(|a, b| a < b), "{land}: {ways:?}");
        assert!(ways.iter().all(|&way| u64::from(way) < land.ways()), "{land}: {ways:?}");
        assert!(again.child(land.key(), land.ways() as u32).is_none(), "{land}");
    }
}

#[test]
fn what_cannot_be_listed_is_refused_before_anything_is_generated() {
    for count in [14, 20, 21, 30] {
        let position = of_boundaries(count);
        let [land] = position.lands() else { panic!("one land") };
        let refused = position.children();
        let Err(Unlisted::TooManyMoves(why)) = refused else { panic!("{count}: {refused:?}") };
        assert!(why.boundaries == count && why.ways > MAX_WAYS, "{why:?}");
        let called = Generator::default()
            .children(land.key(), |_| -> ControlFlow<()> { panic!("no child is generated") });
        assert_eq!(called.err(), Some(why));
    }
    assert!(of_boundaries(8).children().is_ok());
}

#[test]
fn a_budget_bounds_a_sum_of_many_lands_and_what_is_kept() {
    let sum = canonical(&vec!["11.12.22.111.1122"; 40].join("+"));
    let ways = sum.lands()[0].ways();
    assert!(sum.lands().len() == 40 && sum.ways() == 40 * ways);
    let list = |mut budget: Budget<'_>| sum.children_within(&mut budget).map(|list| list.len());
    assert_eq!(
        list(Budget::new(ways, 1 << 30)),
        Err(Unlisted::TooMany { ways: 40 * ways, allowed: ways })
    );
    assert_eq!(list(Budget::new(40 * ways, 1 << 12)), Err(Unlisted::TooLarge(1 << 12)));
    assert!(list(Budget::new(40 * ways, 1 << 30)).is_ok());
    let stop = AtomicBool::new(true);
    assert_eq!(list(Budget::new(u64::MAX, 1 << 30).until(&stop)), Err(Unlisted::Stopped));
}
