//! `draw`: pictures in files and on standard output.

use std::fs;

use crate::common::{answer, fails, file_in, folder, refuses, sprig};

#[test]
fn a_picture_is_the_same_every_time_and_says_what_it_shows() {
    let svg = answer(&["draw", "0.0.QX|XQ", "-o", "-"]);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("<title>Sprouts position 0*2.AB|AB</title>"), "{svg}");
    assert_eq!(svg, answer(&["draw", "0*2.AB|AB"]), "equal positions have equal pictures");
    let plain = answer(&["draw", "0*2.AB|AB", "--labels", "off", "--theme", "dark"]);
    assert_ne!(svg, plain);
}

#[test]
fn files_are_what_their_names_say() {
    let folder = folder();
    let (svg, png) = (folder.path().join("a.svg"), folder.path().join("a.png"));
    answer(&["draw", "0*3.1a2a.1", "-o", svg.to_str().expect("text")]);
    assert_eq!(fs::read_to_string(&svg).expect("it is there"), answer(&["draw", "0*3.1a2a.1"]));
    answer(&["draw", "0*3", "--children", "--width", "300", "-o", png.to_str().expect("text")]);
    assert!(fs::read(&png).expect("it is there").starts_with(b"\x89PNG"));
    refuses(&["draw", "0*3", "-o", "picture.jpeg"], &["end it in .svg or .png"]);
}

#[test]
fn a_game_is_a_sheet_and_a_bad_line_names_its_place() {
    let folder = folder();
    let game = file_in(&folder, "game.txt", "# a game\n0*2\n0.AB|AB\n\n2AB|AB\n");
    let sheet = answer(&["draw", "--game", &game, "--theme", "print"]);
    assert!(sheet.contains("<desc>1: 0*2; 2: 0.AB|AB; 3: "), "{sheet}");
    let bad = file_in(&folder, "bad.txt", "0*2\n0*2.AB|A\n");
    fails(&["draw", "--game", &bad], &["line 2", "column 6"]);
}

#[test]
fn trees_show_each_position_once() {
    // Figure 2 of Lemoine and Viennot's paper on misère play is such a tree.
    let tree = answer(&["draw", "0.AB|AB", "--tree"]);
    let listed = answer(&["children", "0.AB|AB"]);
    for child in listed.lines() {
        assert!(tree.contains(child), "{child}");
    }
    assert!(tree.contains("<desc>0.AB|AB; "), "{tree}");
    // The example of the help has moves to show.
    assert!(answer(&["draw", "--help"]).contains("sprig draw '0*2' --tree -o tree.svg "));
    assert!(answer(&["draw", "0*2", "--tree", "-o", "-"]).contains("<desc>0*2; 0.AB|AB; "));
    // On a surface some positions have no picture.
    let torus = answer(&["draw", "0*2@1", "--tree", "-o", "-"]);
    assert!(torus.contains("<desc>0*2@1; ") && torus.contains("0.zy.zy"), "{torus}");
    // Their figures 7 and 8.
    let reduced = answer(&["draw", "1ABC|BCDE|ADE", "--rct"]);
    assert!(reduced.contains("<desc>{0;2;{3};{1;3;{2}}}; {1;3;{2}}; "), "{reduced}");
    assert!(answer(&["draw", "0*3", "--rct"]).contains("<desc>1; 0</desc>"));
    fails(&["draw", "0*4", "--tree", "--most", "20", "-o", "-"], &["more than 20", "--most"]);
    fails(&["draw", "0*2", "0*3", "--tree", "-o", "-"], &["one position"]);
}

#[test]
fn what_has_no_picture_is_refused_in_words() {
    refuses(&["draw", "0*2", "0*2.", "-o", "-"], &["column 5"]);
    // The loop at `a` parts A from B, which the other region has on one boundary.
    fails(&["draw", "0*3.1aAaB|0*3.AB", "-o", "-"], &["does not lie in the plane"]);
    fails(&["draw", "!", "--children", "-o", "-"], &["no move is left"]);
    fails(&["draw", "0*2", "0*3", "--children", "-o", "-"], &["one position"]);
}

/// The finished game of the letter on cards.
const FINISHED: &str = "5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2";

#[test]
fn where_no_move_is_left_the_blank_picture_is_spoken_of() {
    let said = sprig(&["draw", FINISHED, "-o", "-"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(
        said.err,
        format!(
            "sprig: no move is left in `{FINISHED}`, so the picture is blank; --hoey-full draws a list with its dead spots\n"
        )
    );
    let said = sprig(&["draw", "!", "0*2", "-o", "-"]);
    assert_eq!(said.err, "sprig: no move is left in 1 of 2 positions, so its picture is blank\n");
    // Among the children of a position it is nothing to speak of.
    assert_eq!(sprig(&["draw", "AB|AB", "--children", "-o", "-"]).err, "");
}

#[test]
fn full_lists_are_drawn_with_numbers_and_dead_spots() {
    let end = answer(&["draw", "--hoey-full", FINISHED, "-o", "-"]);
    assert!(end.contains(&format!("<title>Sprouts drawing {FINISHED}</title>")), "{end}");
    assert!(end.contains(
        "6 spots and 8 curves, 4 of the spots dead; 2 survivors; 4 dead neighbours; 0 pharisees"
    ));
    let lists = ["1;2", "1,3,2,3", "1,3,2,4/4,2,3,1"];
    let game = answer(&[&["draw", "--hoey-full", "-o", "-"], &lists[..]].concat());
    assert!(game.contains("<desc>1: 1;2; 2: 1,3,2,3; 3: 1,3,2,4/4,2,3,1</desc>"), "{game}");
    assert_eq!(game.matches("stroke-width=\"4.2\"").count(), 2, "the curves of two moves");
    let folder = folder();
    let file = file_in(&folder, "game.txt", lists.join("\n"));
    assert_eq!(answer(&["draw", "--hoey-full", "--game", &file, "-o", "-"]), game);
    refuses(
        &["draw", "--hoey-full", "1,2,3", "-o", "-"],
        &["column 1", "the walks go from 1 to 2"],
    );
    let bad = file_in(&folder, "bad.txt", "1;2\n1,2,3\n");
    fails(&["draw", "--hoey-full", "--game", &bad, "-o", "-"], &["line 2", "the walks go"]);
    refuses(&["draw", "--hoey-full", "1;2", "--children"], &["--children"]);
}
