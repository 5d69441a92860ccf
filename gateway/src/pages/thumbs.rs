//! Pictures on pages, and the words for values.

use maud::{Markup, html};
pub(crate) use sprig_ask::plural;
use sprig_domain::{Outcome, Play};
use sprig_engine::{CanonicalPosition, Position};
use sprig_sketch::Picture;

use crate::asked::parameter;
use crate::target::encode;

/// The picture of a position, in the colours of the page.
pub(crate) fn picture(position: &str, words: &str, is_first: bool) -> Markup {
    if position == "!" {
        return html! { span.over { "The game is over" } };
    }
    let read = position.parse().map(|position: Position| CanonicalPosition::of(&position));
    if let Ok(position) = read
        && !Picture::is_defined(&position)
    {
        return html! {
            span.over {
                @if position.is_spherical() { "No picture in the plane" }
                @else { "Drawn over a handle or through a cross-cap: no picture in the plane" }
            }
        };
    }
    let svg = format!("/v1/positions/{}/picture.svg", encode(position));
    html! {
        picture {
            source media="(prefers-color-scheme: dark)" srcset={ (svg) "?theme=dark" };
            img src=(svg) alt=(words) loading=[(!is_first).then_some("lazy")] decoding="async";
        }
    }
}

/// The picture of a position with the curve of the move to a child.
pub(crate) fn picture_of_move(position: &str, child: &str, words: &str) -> Markup {
    let child = encode(child).replace('+', "%2B");
    let svg = format!("/v1/positions/{}/picture.svg?child={child}", encode(position));
    html! {
        picture {
            source media="(prefers-color-scheme: dark)" srcset={ (svg) "&theme=dark" };
            img src=(svg) alt=(words) decoding="async";
        }
    }
}

/// The address of the page of a position.
pub(crate) fn href(position: &str, play: Play) -> String {
    format!("/p/{}{}", encode(position), parameter(play))
}

/// A badge that says who wins.
pub(crate) fn badge(outcome: Option<Outcome>) -> Markup {
    let (class, word) = match outcome {
        Some(Outcome::Win) => ("win", "win"),
        Some(Outcome::Loss) => ("loss", "loss"),
        None => ("open", "?"),
    };
    let title = match outcome {
        Some(Outcome::Win) => "The player to move wins",
        Some(Outcome::Loss) => "The player to move loses",
        None => "It is not known who wins",
    };
    html! { span class={ "badge " (class) } title=(title) { (word) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_blamed_where_there_is_one() {
        let words = |position: &str| picture(position, "", false).into_string();
        assert!(words("0*2.zy.zy").contains("Drawn over a handle"));
        let flat = words("0*3.1aAaB|0*3.AB");
        assert!(flat.contains("No picture in the plane") && !flat.contains("handle"), "{flat}");
        assert!(words("0*3").contains("picture.svg"));
    }
}
