//! Challenges: a reference, and all ways to turn cards.

use std::path::Path;

use sprig_impossible::{Answer, Card, Colourings, Deal, Row, Table, play_match, read_table};

/// Whether no value is left in both colours when a card is turned in each row.
fn meets(table: &Table, turned: &[usize]) -> bool {
    assert_eq!(turned.len(), table.rows().len());
    let left: Vec<Card> = table
        .rows()
        .iter()
        .zip(turned)
        .flat_map(|(row, &turned)| (0..3).filter(move |&i| i != turned).map(|i| row[i]))
        .collect();
    left.iter().all(|a| left.iter().all(|b| a.value != b.value || a.colour == b.colour))
}

/// Whether the challenge can be met, by trying all 3^N choices.
fn can_be_met(table: &Table) -> bool {
    let rows = table.rows().len();
    (0..3_u32.pow(rows as u32)).any(|mut choice| {
        let turned: Vec<usize> = (0..rows)
            .map(|_| {
                let card = choice % 3;
                choice /= 3;
                card as usize
            })
            .collect();
        meets(table, &turned)
    })
}

/// Checks the answer to a table in every way. Returns whether the challenge can be met.
fn check(table: &Table) -> bool {
    match table.challenge() {
        Answer::Possible(turned) => {
            assert!(meets(table, &turned), "{table}");
            assert!(!Colourings::of(table).is_empty(), "{table}");
            true
        }
        Answer::Impossible(core) => {
            assert!(Colourings::of(table).is_empty(), "{table}");
            let alone = table.only(&core.rows);
            assert!(alone.colours().is_none(), "{table}");
            // Fewest: without any of its rows it is possible.
            for left_out in 0..core.rows.len() {
                let mut rows = core.rows.clone();
                rows.remove(left_out);
                assert!(table.only(&rows).colours().is_some(), "{table}");
            }
            for chain in [&core.not_red, &core.not_black] {
                let (first, last) = (chain[0].wrong, chain[chain.len() - 1].right);
                assert_eq!((first.value, last.value), (core.value, core.value));
                assert_eq!(first.colour, last.colour);
                for reason in chain {
                    assert!(core.rows.contains(&reason.row), "{table}");
                    let mut row = table.rows()[reason.row].to_vec();
                    for card in [reason.wrong, reason.right] {
                        row.remove(row.iter().position(|&of| of == card).expect("in the row"));
                    }
                }
                for pair in chain.windows(2) {
                    assert_eq!(pair[0].right.value, pair[1].wrong.value);
                    assert_ne!(pair[0].right.colour, pair[1].wrong.colour);
                }
            }
            assert_ne!(core.not_red[0].wrong.colour, core.not_black[0].wrong.colour);
            false
        }
    }
}

#[test]
fn challenges_are_answered_as_in_the_reference() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/variants/impossible.tsv");
    let text = std::fs::read_to_string(&path).expect("the reference");
    let rows: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.len() >= 83);
    for row in rows {
        let [table, rows, challenge, colourings, witness, _] =
            &row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let table = read_table(table).expect(row);
        assert_eq!(table.rows().len().to_string(), *rows);
        assert_eq!(check(&table), *challenge == "possible", "{row}");
        assert_eq!(Colourings::of(&table).count().to_string(), *colourings, "{row}");
        if *witness != "-" {
            let turned: Vec<usize> =
                witness.split(' ').map(|n| n.parse::<usize>().expect("a number") - 1).collect();
            assert!(meets(&table, &turned), "{row}");
        }
    }
}

/// The first rows of a shuffled deck.
fn dealt(rows: usize, random: &mut fastrand::Rng) -> Table {
    let mut deck: Vec<Card> = Deal::all().collect();
    random.shuffle(&mut deck);
    let row = |cards: &[Card]| <Row>::try_from(cards).expect("three cards");
    deck.chunks_exact(3).take(rows).map(row).collect::<Vec<_>>().into()
}

#[test]
fn three_ways_to_decide_agree() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut possible = 0;
    for round in 0..3000 {
        let table = dealt(1 + round % 8, &mut random);
        let can = can_be_met(&table);
        assert_eq!(check(&table), can, "{table}");
        possible += u32::from(can);
    }
    assert!((2000..2900).contains(&possible), "{possible} of 3000 were possible");
    for rows in 9..=17 {
        for _ in 0..50 {
            let can = check(&dealt(rows, &mut random));
            assert!(rows < 14 || !can, "14 rows are always impossible");
        }
    }
}

#[test]
fn thirteen_rows_can_be_met() {
    let signs = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "N", "Q", "K"];
    let rows: Vec<String> =
        (0..13).map(|i| format!("R{} R{} B{}", signs[i], signs[i], signs[(i + 1) % 13])).collect();
    assert!(check(&read_table(&rows.join("\n")).expect("a table")));
    assert!(check(&Table::default()), "no row at all");
}

#[test]
fn the_fewest_rows_are_found() {
    let table =
        read_table("R5 R6 B7 / R8 R9 B5 / R1 B1 R2 / R0 RN RQ / R1 B1 B2").expect("a table");
    let Answer::Impossible(core) = table.challenge() else { panic!("{table}") };
    assert_eq!(core.rows, [2, 4]);
    assert_eq!(core.not_red.len() + core.not_black.len(), 4, "the shortest chains: {core:?}");
}

#[test]
fn advice_beats_any_safe_row() {
    let result = play_match(2000, &mut fastrand::Rng::with_seed(1));
    assert!(result.won * 100 >= 65 * result.games, "{result:?}");
    // A game of two such players lasts some ten rows.
    assert!((8..12).contains(&(result.rows / result.games)), "{result:?}");
}
