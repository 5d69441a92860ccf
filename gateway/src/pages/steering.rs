//! What steers on the page of a search: buttons at its places and wishes, and where a visitor types
//! a token. Scripts make all of it work; without scripts it is not shown.

use maud::{Markup, html};
use sprig_domain::{Play, WishKind};
use sprig_engine::{CanonicalPosition, Position};

/// For how long a wish may hold, in hours.
const HOURS: [(u32, &str); 3] =
    [(1, "an hour at most"), (8, "8 hours at most"), (24, "a day at most")];

/// Buttons that make a wish for a place.
pub(super) fn wishing(position: &str, heap: u8, play: Play) -> Markup {
    let place = match heap {
        0 => position.to_owned(),
        heap => format!("{position} + *{heap}"),
    };
    let kinds = WishKind::ALL.into_iter();
    let kinds = kinds.filter(|kind| *kind != WishKind::Ban || can_be_banned(position, play));
    html! {
        span.steer { @for kind in kinds {
            button type="button" name=(kind) value=(position) data-heap=(heap)
                aria-label={ (kind) " " (place) } { (kind) }
        } }
    }
}

/// A ban is for one land beside a heap, in normal play.
fn can_be_banned(position: &str, play: Play) -> bool {
    let lands = || {
        let position: Position = position.parse().ok()?;
        Some(CanonicalPosition::of(&position).lands().len())
    };
    play == Play::Normal && lands() == Some(1)
}

/// The button that withdraws a wish.
pub(super) fn withdrawing(number: u32) -> Markup {
    html! {
        span.steer {
            button type="button" name="withdraw" value=(number)
                aria-label={ "withdraw wish " (number) } { "withdraw" }
        }
    }
}

/// Where a visitor types the token. What the buttons did is said at the end of the page, which
/// stays in sight.
pub(super) fn form() -> Markup {
    html! {
        form #steering hidden autocomplete="off" {
            label { "Your token"
                // It has no name, so that it never stands in an address.
                input #token type="password" autocomplete="off" required spellcheck="false"
                    aria-describedby="kept";
            }
            label { "A wish holds"
                select #span {
                    option value="" { "until it is decided" }
                    @for (hours, words) in HOURS { option value=(hours) { (words) } }
                }
            }
            p #kept.faint {
                "A token is kept in this tab alone, and sent with each wish. Who runs the cluster makes one \
                 of the role submit: " code { "sprig token submit NAME" } "."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ban_is_offered_for_one_land_in_normal_play_alone() {
        for (position, play, can) in [
            ("0*4", Play::Normal, true),
            ("0*2.AB|AB", Play::Normal, true),
            ("0*4", Play::Misere, false),
            ("0*2+0*3", Play::Normal, false),
            ("!", Play::Normal, false),
            ("nonsense", Play::Normal, false),
        ] {
            assert_eq!(can_be_banned(position, play), can, "{position}");
            let buttons = wishing(position, 2, play).into_string();
            assert_eq!(buttons.contains("name=\"ban\""), can, "{buttons}");
            assert!(buttons.contains("name=\"pin\"") && buttons.contains(" + *2"), "{buttons}");
        }
    }
}
