//! Challenges: a reference, and all ways to turn cards.

use std::path::Path;

use sprig_impossible::{
    Answer, Card, Colour, Colourings, Deal, Ends, LAST_ROW, Layers, Table, play_match, read_table,
};

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

/// All 3^N ways to turn over a card in each row.
fn all_ways(rows: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..3_usize.pow(rows as u32)).map(move |mut choice| {
        let mut next = || {
            let card = choice % 3;
            choice /= 3;
            card
        };
        (0..rows).map(|_| next()).collect()
    })
}

/// How many of all 3^N ways meet the challenge, one by one.
fn ways_one_by_one(table: &Table) -> u64 {
    all_ways(table.rows().len()).filter(|turned| meets(table, turned)).count() as u64
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

#[test]
fn three_ways_to_decide_agree() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut possible = 0;
    for round in 0..3000 {
        let table = Deal::table(1 + round % 8, &mut random);
        let ways = ways_one_by_one(&table);
        let can = ways > 0;
        assert_eq!(check(&table), can, "{table}");
        assert_eq!(table.ways(), ways, "{table}");
        possible += u32::from(can);
    }
    assert!((2000..2900).contains(&possible), "{possible} of 3000 were possible");
    for rows in 9..=17 {
        for _ in 0..50 {
            let can = check(&Deal::table(rows, &mut random));
            assert!(rows < 14 || !can, "14 rows are always impossible");
        }
    }
}

/// As many rows as can be met: each value in both colours, and tied to the next.
fn thirteen_rows() -> Table {
    let signs = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "N", "Q", "K"];
    let rows: Vec<String> =
        (0..13).map(|i| format!("R{} R{} B{}", signs[i], signs[i], signs[(i + 1) % 13])).collect();
    read_table(&rows.join("\n")).expect("a table")
}

#[test]
fn thirteen_rows_can_be_met() {
    assert!(check(&thirteen_rows()));
    assert!(check(&Table::default()), "no row at all");
}

#[test]
fn ways_are_counted_as_one_by_one() {
    let table = |text: &str| read_table(text).expect(text);
    assert_eq!(
        (Table::default().ways(), Table::default().all_ways()),
        (1, 1),
        "there is nothing to turn"
    );
    // The examples of the document; the first is met in one way.
    for (text, ways) in [
        ("R3 B3 R0 / B0 R3 B2", 1),
        ("R3 B3 R0 / B0 R3 B2 / R2 B0 BQ", 0),
        ("R1 B1 R2", 2),
        ("R1 B1 R2 / R1 B1 B2", 0),
        ("R1 R1 B1", 1),
        ("R1 R2 R3 / B4 B5 B6", 9),
    ] {
        assert_eq!(table(text).ways(), ways, "{text}");
        assert_eq!(ways_one_by_one(&table(text)), ways, "{text}");
    }
    let mut random = fastrand::Rng::with_seed(2);
    for rows in [9, 9, 9, 10, 10] {
        let table =
            (0..).map(|_| Deal::table(rows, &mut random)).find(|table| table.colours().is_some());
        let table = table.expect("some can be met");
        assert_eq!(table.ways(), ways_one_by_one(&table), "{table}");
    }
    // All 1,594,323 ways of a table of thirteen rows.
    assert_eq!(thirteen_rows().ways(), ways_one_by_one(&thirteen_rows()));
    assert_eq!(thirteen_rows().all_ways(), 1_594_323);
    // Of most rows, and however many values they share.
    for _ in 0..200 {
        let table = Deal::table(13 + random.usize(..5), &mut random);
        assert_eq!(table.ways() > 0, table.colours().is_some(), "{table}");
    }
}

#[test]
fn what_is_turned_is_judged() {
    let mut random = fastrand::Rng::with_seed(3);
    for round in 0..200 {
        let table = Deal::table(1 + round % 5, &mut random);
        for turned in all_ways(table.rows().len()) {
            let clashes = table.clashes(&turned);
            assert_eq!(clashes.is_empty(), meets(&table, &turned), "{table}");
            for clash in clashes {
                for (rows, colour) in [(clash.red, Colour::Red), (clash.black, Colour::Black)] {
                    let card = Card { colour, value: clash.value };
                    for row in rows {
                        let remain = (0..3).filter(|&place| place != turned[row]);
                        assert!(remain.map(|place| table.rows()[row][place]).any(|of| of == card));
                    }
                }
            }
        }
    }
}

#[test]
fn tables_end_as_challenges_say() {
    let mut random = fastrand::Rng::with_seed(1);
    let [deck, safe, advised] = [Layers::Deck, Layers::Safe, Layers::Advised]
        .map(|layers| Ends::of(layers, 400, &mut random));
    for ends in [&deck, &safe, &advised] {
        assert_eq!((1..=LAST_ROW).map(|row| ends.at(row)).sum::<u32>(), ends.games());
        assert_eq!((ends.games(), ends.at(1)), (400, 0), "no row is impossible alone");
    }
    // Rows off the deck end soonest; players keep a table possible, and advice makes it close.
    assert!(
        deck.mean() + 1.0 < advised.mean() && advised.mean() < safe.mean(),
        "{deck:?} {advised:?} {safe:?}"
    );
    // Rows off the deck once more, by challenges.
    let mut random = fastrand::Rng::with_seed(4);
    let by_challenge = (0..300).map(|_| {
        let table = Deal::table(LAST_ROW, &mut random);
        let first = |rows: &usize| table.only(&(0..*rows).collect::<Vec<_>>()).colours().is_none();
        (1..=LAST_ROW).find(first).expect("14 rows are impossible")
    });
    let by_challenge: Vec<usize> = by_challenge.collect();
    let ends = Ends::of(Layers::Deck, 300, &mut fastrand::Rng::with_seed(4));
    for row in 1..=LAST_ROW {
        let count = by_challenge.iter().filter(|&&end| end == row).count();
        assert_eq!(ends.at(row) as usize, count, "row {row}");
    }
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
