//! `sprig pousse play`: a game of Pousse against the solver.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use clap::Args;
use sprig_pousse::{
    Board, Configuration, Foreseen, Game, Insertion, MAX_PLAYED, MAX_SOLVED, Player, look_ahead,
};

use super::pousse::{Rule, analyst};
use crate::failure::Usage;
use crate::output;

/// Play against it; up to 4 x 4 it never gives a won game away
#[derive(Args)]
pub(super) struct Play {
    /// The size of the board, 1 to 10. From 5 on the program looks some moves ahead, and does not know who wins
    #[arg(value_name = "N", default_value = "4")]
    size: usize,
    /// From 5 x 5 on: positions that it looks at before each move
    #[arg(long, value_name = "N", default_value = "200000", value_parser = clap::value_parser!(u64).range(1..))]
    effort: u64,
    /// Let the program begin
    #[arg(long)]
    second: bool,
    #[command(flatten)]
    rule: Rule,
}

impl Play {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        if !(1..=MAX_PLAYED).contains(&self.size) {
            let what = format!("boards from 1 x 1 to {MAX_PLAYED} x {MAX_PLAYED} are played");
            return Err(Usage(what).into());
        }
        let mut analyst = (self.size <= MAX_SOLVED).then(|| {
            remark!("sprig: solving the boards; one moment");
            analyst(self.size, self.rule.repeat())
        });
        let start = Configuration { board: Board::empty(self.size), to_move: Player::X };
        let mut game = Game::new(start, self.rule.repeat());
        let person = if self.second { Player::O } else { Player::X };
        let mut lines = std::io::stdin().lock().lines();
        output::print(format!(
            "You are {person}. Moves are L1 to B{}; `?` explains them, `quit` ends.\n",
            self.size
        ))?;
        output::print(drawn(&game.now().board))?;
        while game.ending().is_none() {
            let insertion = if game.now().to_move == person {
                prompt!("Your move: ");
                std::io::stderr().flush()?;
                let Some(line) = lines.next().transpose()? else { return Ok(ExitCode::SUCCESS) };
                match &*line.trim().to_ascii_lowercase() {
                    "quit" => return Ok(ExitCode::SUCCESS),
                    "?" | "help" => {
                        output::print(help(self.size))?;
                        continue;
                    }
                    _ => {}
                }
                match Insertion::read(line.trim(), self.size) {
                    Ok(insertion) => insertion,
                    Err(error) => {
                        remark!("sprig: {error}");
                        continue;
                    }
                }
            } else {
                let (best, remark) = match &mut analyst {
                    Some(analyst) => {
                        let choices = analyst.choices(&game);
                        (choices.first().expect("every board has moves").insertion, "")
                    }
                    None => {
                        let Foreseen { insertion, wins, .. } = look_ahead(&game, self.effort);
                        let remark = match wins {
                            Some(true) => ", and win",
                            Some(false) => ", and lose if you see it, too",
                            None => "",
                        };
                        (insertion, remark)
                    }
                };
                output::print(format!("I play {best}{remark}\n"))?;
                best
            };
            game.play(insertion);
            output::print(drawn(&game.now().board))?;
        }
        let ending = game.ending().expect("the loop is over");
        let you = if ending.winner == person { "You win" } else { "You lose" };
        output::print(format!("{you}. {ending}\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What a person can say.
fn help(size: usize) -> String {
    format!(
        "L1 .. L{size}  push your marker into a row from the left; rows count from the top\n\
         R1 .. R{size}  the same from the right\n\
         T1 .. T{size}  push it into a column from the top; columns count from the left\n\
         B1 .. B{size}  the same from the bottom\n\
         ?         show this\n\
         quit      end the game\n\
         A full line loses the marker at its other end. More straights than the other player's win.\n"
    )
}

/// The board, with the numbers of its rows and columns.
fn drawn(board: &Board) -> String {
    let numbers: String = (1..=board.size()).map(|number| format!(" {number}")).collect();
    let mut text = format!("  {numbers}\n");
    for row in 0..board.size() {
        let squares = (0..board.size()).map(|column| match board.square(row, column) {
            Some(player) => format!(" {player}"),
            None => " .".to_owned(),
        });
        text += &format!("{:2}{}\n", row + 1, squares.collect::<String>());
    }
    text
}
