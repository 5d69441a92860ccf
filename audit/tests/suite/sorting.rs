//! Sorting in little memory gives what sorting in plenty does.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sprig_audit::sort::{Claim, Sorter};

fn any_claim() -> impl Strategy<Value = Claim> {
    let key = prop::collection::vec(0..4u8, 0..4);
    (0..3u16, key, 0..2u8).prop_map(|(rank, key, value)| Claim { rank, key, value, line: 0 })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn claims_come_sorted_and_once(
        claims in prop::collection::vec(any_claim(), 0..600),
        memory in prop_oneof![Just(0), 200..5_000usize, Just(1 << 20)],
    ) {
        let mut sorter = Sorter::new(memory);
        let mut expected = BTreeMap::new();
        for (line, claim) in (1..).zip(claims) {
            let claim = Claim { line, ..claim };
            let key = (claim.rank, claim.key.clone(), claim.value);
            expected.entry(key).or_insert(line);
            sorter.push(claim).expect("there is room");
        }
        let sorted = sorter.sorted().expect("there is room");
        let sorted: Vec<_> = sorted.map(|claim| claim.expect("it was written")).collect();
        let expected: Vec<_> = expected
            .into_iter()
            .map(|((rank, key, value), line)| Claim { rank, key, value, line })
            .collect();
        prop_assert_eq!(sorted, expected);
    }
}
