//! The conjectures on start positions, and who has proved what.

use std::ops::RangeInclusive;

/// Whether the first player is conjectured to win.
///
/// In normal play if the number of spots is 3, 4 or 5 modulo 6 (D. Applegate, G. Jacobson, D.
/// Sleator 1991). In misère play if it is 0, 4 or 5 modulo 6, except that 1 spot is a win and 4
/// spots are a loss (J. Lemoine, S. Viennot 2009).
#[must_use]
pub fn is_predicted_win(misere: bool, spots: u32) -> bool {
    match (misere, spots) {
        (false, _) => matches!(spots % 6, 3..=5),
        (true, 1) => true,
        (true, 4) => false,
        (true, _) => matches!(spots % 6, 0 | 4 | 5),
    }
}

/// By whom an outcome was told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// Sprig; the certificate is in this repository, and every reader can check it.
    Certified,
    /// Sprig; `docs/results.md` has the command.
    Solved,
    /// Others, named here.
    Published(&'static str),
}

/// Spots whose certificates are in `certificates/`.
const CERTIFIED: [&[RangeInclusive<u32>]; 2] = [
    &[
        2..=35,
        37..=38,
        40..=41,
        43..=44,
        46..=47,
        49..=50,
        52..=53,
        55..=56,
        58..=59,
        61..=62,
        64..=64,
    ],
    &[1..=23],
];

/// Spots that Sprig has solved beyond these.
const SOLVED: [&[RangeInclusive<u32>]; 2] = [&[65..=65, 67..=68, 70..=71], &[]];

/// Who first published which outcomes of normal play, and of misère play.
const PUBLISHED: [&[(RangeInclusive<u32>, &str)]; 2] = [
    &[
        (1..=11, "Applegate, Jacobson, Sleator 1991"),
        (12..=32, "Lemoine, Viennot 2007"),
        (33..=44, "Lemoine, Viennot 2011"),
        (46..=47, "Lemoine, Viennot 2011"),
        (53..=53, "Lemoine, Viennot 2011"),
        (45..=62, "SPOTS 2025"),
        (64..=65, "SPOTS 2025"),
        (67..=68, "SPOTS 2025"),
        (70..=71, "SPOTS 2025"),
        (73..=74, "SPOTS 2025"),
        (76..=77, "SPOTS 2025"),
        (79..=80, "SPOTS 2025"),
        (82..=83, "SPOTS 2025"),
        (85..=86, "SPOTS 2025"),
        (88..=89, "SPOTS 2025"),
        (91..=92, "SPOTS 2025"),
        (94..=95, "SPOTS 2025"),
        (97..=98, "SPOTS 2025"),
        (100..=100, "SPOTS 2025"),
        (103..=104, "SPOTS 2025"),
    ],
    &[
        (1..=9, "Applegate, Jacobson, Sleator 1991"),
        (10..=16, "Purinton"),
        (17..=17, "Lemoine, Viennot 2009"),
        (18..=20, "Lemoine, Viennot 2011"),
    ],
];

/// Who has proved the outcome of a start position: the nearest first, Sprig before others. The list
/// is empty while the outcome is open. All proved outcomes are as predicted.
#[must_use]
pub fn proofs(misere: bool, spots: u32) -> Vec<Proof> {
    let play = usize::from(misere);
    let has = |ranges: &[RangeInclusive<u32>]| ranges.iter().any(|range| range.contains(&spots));
    let published = PUBLISHED[play].iter().find(|(range, _)| range.contains(&spots));
    let mut proofs = Vec::new();
    proofs.extend(has(CERTIFIED[play]).then_some(Proof::Certified));
    proofs.extend(has(SOLVED[play]).then_some(Proof::Solved));
    proofs.extend(published.map(|&(_, who)| Proof::Published(who)));
    proofs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_those_of_the_paper() {
        // Figure 1 of Lemoine and Viennot 2009.
        let wins = (1..=17).map(|spots| if is_predicted_win(true, spots) { 'W' } else { 'L' });
        assert_eq!(wins.collect::<String>(), "WLLLWWLLLWWWLLLWW");
        let wins = (1..=12).map(|spots| if is_predicted_win(false, spots) { 'W' } else { 'L' });
        assert_eq!(wins.collect::<String>(), "LLWWWLLLWWWL");
    }

    #[test]
    fn what_is_open_has_no_proof() {
        assert_eq!(proofs(false, 63), []);
        assert_eq!(proofs(true, 24), []);
        assert_eq!(proofs(true, 23), [Proof::Certified]);
        assert_eq!(proofs(false, 47)[0], Proof::Certified);
        assert_eq!(proofs(false, 56), [Proof::Certified, Proof::Published("SPOTS 2025")]);
        assert_eq!(proofs(false, 62), [Proof::Certified, Proof::Published("SPOTS 2025")]);
        assert_eq!(proofs(false, 64), [Proof::Certified, Proof::Published("SPOTS 2025")]);
        assert_eq!(proofs(false, 67), [Proof::Solved, Proof::Published("SPOTS 2025")]);
        assert_eq!(proofs(false, 71), [Proof::Solved, Proof::Published("SPOTS 2025")]);
        assert_eq!(proofs(false, 73), [Proof::Published("SPOTS 2025")]);
        let open: Vec<u32> = (1..=104).filter(|&spots| proofs(false, spots).is_empty()).collect();
        assert_eq!(open, [63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 101, 102]);
    }
}
