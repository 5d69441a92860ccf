//! Moves found again from what a person has drawn, and from positions alone.

use std::collections::BTreeSet;

use sprig_engine::paper::{Number, Paper, Reached};
use sprig_engine::{Budget, CanonicalPosition, Position};
use sprig_oracle::Table;
use sprig_records::{
    Dialect, ToldError, Walks, Writer, curve, fresh_spots, head, parse, replay, told,
};

fn moves(paper: &Paper) -> Vec<Reached> {
    paper.moves(&mut Budget::default()).expect("few moves")
}

fn start(spots: u32) -> Position {
    Position::start(spots as usize)
}

/// The record of a random game whose moves were drawn on paper, and its positions.
fn on_paper(seed: u64) -> (String, Vec<CanonicalPosition>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let spots = random.u32(1..=8);
    let mut paper = Paper::of(&start(spots));
    let mut writer = Writer::start(spots);
    let (mut text, mut positions) = (format!("{spots}+"), vec![paper.canonical()]);
    loop {
        let mut moves = moves(&paper);
        if moves.is_empty() {
            return (text, positions);
        }
        let witness = moves.swap_remove(random.usize(..moves.len())).witness;
        let region: Vec<Walks> = paper.regions().map(<[Vec<Number>]>::to_vec).collect();
        let along = witness.along.iter().flat_map(|&b| region[witness.region][b].clone());
        let along: BTreeSet<Number> = along.collect();
        let after = paper.play(&witness).expect("it was listed");
        let walks: Vec<Walks> = after.regions().map(<[Vec<Number>]>::to_vec).collect();
        let made = curve(writer.table(), paper.ends(&witness), &along, &walks);
        let made =
            made.unwrap_or_else(|| panic!("seed {seed}: {text}: {}", paper.numbers(&witness)));
        text += &format!(" {}", writer.write(&made).expect("it can be written"));
        paper = after;
        positions.push(paper.canonical());
    }
}

#[test]
fn games_on_paper_are_written_and_read_back() {
    for seed in 0..150 {
        let (text, positions) = on_paper(seed);
        let record = &parse(&text).expect(&text)[0];
        let replayed = replay(record, Dialect::Strict).unwrap_or_else(|e| panic!("{text}: {e}"));
        let tables = replayed.readings.cheapest().tables();
        let read: Vec<_> =
            tables.iter().map(|table| CanonicalPosition::of(&table.to_position())).collect();
        assert_eq!(read, positions, "seed {seed}: {text}");
    }
}

#[test]
fn games_of_canonical_positions_are_followed_to_their_end() {
    for seed in 0..150 {
        let mut random = fastrand::Rng::with_seed(seed);
        let spots = random.u32(1..=6);
        let mut position = CanonicalPosition::of(&start(spots));
        let mut positions = Vec::new();
        loop {
            let mut children = position.children().expect("few");
            if children.is_empty() {
                break;
            }
            position = children.swap_remove(random.usize(..children.len()));
            positions.push(position.clone());
        }
        let written = told(spots, &positions, 20_000);
        let written = written.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let written: Vec<String> = written.iter().map(ToString::to_string).collect();
        let text = format!("{} {}", head(spots, false, &[]), written.join(" "));
        let record = &parse(&text).expect(&text)[0];
        let replayed = replay(record, Dialect::Strict).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(replayed.over, "{text}");
        assert_eq!(record.moves.len(), positions.len());
    }
}

#[test]
fn a_position_that_no_move_leads_to_is_not_followed() {
    let far: CanonicalPosition = CanonicalPosition::of(&"0*9".parse().expect("a position"));
    assert_eq!(told(3, std::slice::from_ref(&far), 1000), Err(ToldError::NoMove(far.clone())));
    assert_eq!(told(9, std::slice::from_ref(&far), 5), Err(ToldError::NoMove(far.clone())));
    assert_eq!(curve(&Table::start(2), [1, 2], &BTreeSet::new(), &[]), None);
    assert_eq!(fresh_spots(&far), Some(9));
    for other in ["!", "0*2.AB|AB", "0*2+0", "0.0.2", "1"] {
        let position = CanonicalPosition::of(&other.parse().expect(other));
        assert_eq!(fresh_spots(&position), None, "{other}");
    }
}
