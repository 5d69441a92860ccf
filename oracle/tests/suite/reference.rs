//! Values found by other programs (`testdata/README.md` names them), by brute force.

use std::fs;
use std::path::{Path, PathBuf};

use sprig_engine::{Nimber, Position};
use sprig_oracle::{Outcome, Values};

/// Lines of `POSITION<TAB>VALUE..`, without comments.
fn lines(path: &Path) -> Vec<(Position, String)> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let mut fields = line.split('\t');
            let position = fields.next().unwrap_or_default();
            let position = position.parse().unwrap_or_else(|e| panic!("{position}: {e}"));
            (position, fields.next().expect("a value").to_owned())
        })
        .collect()
}

fn testdata(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata").join(file)
}

/// The most lives of one land.
fn lives(position: &Position) -> u32 {
    position.0.iter().map(|land| land.lives()).max().unwrap_or(0)
}

fn check_nimbers(lines: &[(Position, String)]) {
    let mut values = Values::default();
    for (position, nimber) in lines {
        let nimber = nimber.parse().map(Nimber::new).expect("a number");
        assert_eq!(values.nimber(position), nimber, "{position}");
    }
}

fn check_misere_outcomes(lines: &[(Position, String)]) {
    let mut values = Values::default();
    for (position, outcome) in lines {
        let expected = match outcome.as_str() {
            "W" => Outcome::Win,
            "L" => Outcome::Loss,
            other => panic!("{position}: `{other}` is no outcome"),
        };
        assert_eq!(values.misere_outcome(position), expected, "{position}");
    }
}

/// The lines about positions that brute force settles soon.
fn small(file: &str, most_lives: u32) -> Vec<(Position, String)> {
    let mut lines = lines(&testdata(file));
    lines.retain(|(position, _)| lives(position) <= most_lives);
    assert!(lines.len() > 60, "{file}: {} lines", lines.len());
    lines
}

#[test]
fn nimbers_are_right() {
    check_nimbers(&small("nimbers.tsv", 10));
}

#[test]
fn misere_outcomes_are_right() {
    check_misere_outcomes(&small("misere.tsv", 9));
}

#[test]
fn start_positions_have_the_known_outcomes() {
    let mut values = Values::default();
    for (spots, nimber) in [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)] {
        assert_eq!(values.nimber(&Position::start(spots)), Nimber::new(nimber), "{spots} spots");
    }
    for (spots, outcome) in
        [(1, Outcome::Win), (2, Outcome::Loss), (3, Outcome::Loss), (4, Outcome::Loss)]
    {
        assert_eq!(values.misere_outcome(&Position::start(spots)), outcome, "{spots} spots");
    }
}

/// The nimber of a sum is the nim-sum: the theorem that [`Values`] rests on, checked by playing out
/// the sums.
#[test]
fn sums_have_the_nim_sum_of_their_lands() {
    fn nimber_of_whole(position: &Position) -> Nimber {
        let options =
            sprig_oracle::children(position).into_iter().map(|child| nimber_of_whole(&child));
        sprig_engine::mex(options.collect::<Vec<_>>()).expect("a small nimber")
    }
    for text in ["22+22", "12+AB|AB", "1+22", "1a1a+12", "0+12", "0.2+1", "22+12+1"] {
        let position = text.parse().expect(text);
        assert_eq!(sprig_oracle::nimber(&position), Ok(nimber_of_whole(&position)), "{text}");
    }
}
