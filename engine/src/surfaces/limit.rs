//! How many handles or cross-caps a region can use at most.

use crate::Surface;

/// A surface on which a region with `lives` lives has the same canonical tree as on `surface`, with
/// fewer handles or cross-caps if possible. It is an upper bound: still fewer may be enough
/// (`docs/surfaces.md` has those of start positions).
///
/// A move takes a life of every region that it makes, one handle at most if it separates nothing,
/// and shares handles among the regions if it does. So if `f` handles are enough for one life less,
/// `max(f + 1, 2f)` are enough here: however they are shared out, one of the regions has enough, so
/// that one more or less makes no difference to it. With 3 lives or fewer, none is needed. With
/// cross-caps the same holds if an even number of them is added, so that the surfaces of the
/// regions stay of their kind.
#[must_use]
pub fn limit(lives: u32, surface: Surface) -> Surface {
    let genus = i64::from(surface.genus());
    let Some(doublings) = lives.checked_sub(4) else { return Surface::SPHERE };
    let most = |first: i64| first.checked_shl(doublings.min(32)).unwrap_or(i64::MAX);
    let limited = if surface.is_orientable() {
        genus.min(most(1))
    } else {
        let (crosses, most) = (-genus, most(3));
        if crosses > most + 1 { -(most + (crosses - most) % 2) } else { genus }
    };
    Surface::new(limited).expect("it is no more than it was")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_keeps_its_kind_and_its_parity() {
        let limited = |lives, genus| {
            limit(lives, Surface::new(genus).expect("few handles and cross-caps")).genus()
        };
        for (lives, genus, expected) in [
            (3, 5, 0),
            (3, -5, 0),
            (4, 7, 1),
            (4, -1, -1),
            (4, -4, -4),
            (4, -5, -3),
            (4, -1_000, -4),
            (6, 5, 4),
            (6, -12, -12),
            (6, -14, -12),
            (300, 1_000, 1_000),
            (300, -1_000, -1_000),
        ] {
            assert_eq!(limited(lives, genus), expected, "{lives} lives, genus {genus}");
        }
    }
}
