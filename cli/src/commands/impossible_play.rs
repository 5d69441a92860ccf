//! `sprig impossible play`: a game of Impossible! against a person.

use std::io::{BufRead, Lines, StdinLock, Write};
use std::process::ExitCode;

use clap::Args;
use sprig_impossible::{Answer as Verdict, Card, Deal, Row, Table, advise, read_cards};

use crate::commands::impossible::{Seed, in_words, written};
use crate::output;

/// Play against it
///
/// Lay three cards of your hand, or say `impossible` after a row of the program. It says so itself
/// when it is true.
#[derive(Args)]
pub struct Play {
    /// Let the program begin
    #[arg(long)]
    second: bool,
    #[command(flatten)]
    seed: Seed,
}

/// What a person says.
enum Said {
    Row(Row),
    Challenge,
    Quit,
}

/// What a person can say.
const HELP: &str = "\
R3 B3 R0    lay these three cards of your hand as a row: R is red, B is black, 0 is ten
impossible  challenge my last row: I turn over one card in each row, so that no value stays in both colours, or lose
?           show this
quit        end the game
I challenge as soon as that cannot be done. After your row you draw three cards.
";

const PERSON: usize = 0;
const PROGRAM: usize = 1;

impl Play {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (mut random, seed) = self.seed.random();
        let mut deal = Deal::new(&mut random);
        let mut rows = Table::default();
        let mut lines = std::io::stdin().lock().lines();
        output::print(format!(
            "Seed {seed}. Lay three cards, as in R3 B3 R0; `impossible` challenges my last row; `?` explains, `quit` ends.\n"
        ))?;
        let mut player = if self.second { PROGRAM } else { PERSON };
        loop {
            if player == PERSON {
                let challengeable = !rows.rows().is_empty();
                match ask(&deal.hands[PERSON], challengeable, &mut lines)? {
                    Said::Quit => return Ok(ExitCode::SUCCESS),
                    Said::Challenge => {
                        let answer = rows.challenge();
                        let met = matches!(answer, Verdict::Possible(_));
                        let end =
                            if met { "I meet it: you lose." } else { "I cannot meet it: you win." };
                        output::print(format!("{end}\n{}", in_words(&rows, &answer)))?;
                        return Ok(ExitCode::SUCCESS);
                    }
                    Said::Row(row) => lay(&mut deal, &mut rows, PERSON, row),
                }
                let answer = rows.challenge();
                if let Verdict::Impossible(_) = answer {
                    output::print(format!("Impossible! You lose.\n{}", in_words(&rows, &answer)))?;
                    return Ok(ExitCode::SUCCESS);
                }
            } else {
                let row = advise(&rows, &deal.hands[PROGRAM], &mut random)[0].row;
                lay(&mut deal, &mut rows, PROGRAM, row);
                output::print(format!("row {}: {}\n", rows.rows().len(), written(&row)))?;
            }
            deal.draw(player);
            player = 1 - player;
        }
    }
}

fn lay(deal: &mut Deal, rows: &mut Table, player: usize, row: Row) {
    deal.play(player, &row);
    rows.lay(row);
}

/// Asks until a person lays three cards of the hand, challenges, or leaves.
fn ask(hand: &[Card], challengeable: bool, lines: &mut Lines<StdinLock>) -> anyhow::Result<Said> {
    loop {
        output::print(format!("your hand: {}\n", written(hand)))?;
        prompt!("Your row: ");
        std::io::stderr().flush()?;
        let Some(line) = lines.next().transpose()? else { return Ok(Said::Quit) };
        let line = line.trim();
        if line.eq_ignore_ascii_case("quit") {
            return Ok(Said::Quit);
        }
        if line == "?" || line.eq_ignore_ascii_case("help") {
            output::print(HELP)?;
            continue;
        }
        if line.trim_end_matches('!').eq_ignore_ascii_case("impossible") {
            if challengeable {
                return Ok(Said::Challenge);
            }
            remark!("sprig: there is no row of mine to challenge yet; lay three cards");
            continue;
        }
        match read_cards(line, &Table::default()) {
            Ok(cards) => match <Row>::try_from(&cards[..]) {
                Ok(row) if holds(hand, &row) => return Ok(Said::Row(row)),
                Ok(_) => remark!("sprig: these are not three cards of your hand"),
                Err(_) => remark!("sprig: a row has three cards, not {}", cards.len()),
            },
            Err(error) => remark!("sprig: {error}"),
        }
    }
}

/// Whether a hand holds all cards of a row.
fn holds(hand: &[Card], row: &Row) -> bool {
    let count = |cards: &[Card], card| cards.iter().filter(|&&of| of == card).count();
    row.iter().all(|&card| count(row, card) <= count(hand, card))
}
