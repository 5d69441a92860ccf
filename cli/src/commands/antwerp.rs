//! `sprig antwerp`: Antwerp Sprouts, cold and hot games.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock};

use clap::Args;
use serde::Serialize;
use sprig_games::TooLarge;
use sprig_games::antwerp::{Position, Solver, Temper, Worth, read};
use sprig_games::partizan::Class;

use crate::failure::{Usage, quote};
use crate::output::{self, Answer, Format};
use crate::watching::Watching;

const EXAMPLES: &str = "\
Examples:
  sprig antwerp 3                        the cold game with 3 white spots: class and value
  sprig antwerp 3 --hot                  the hot game: temperature and mean value, too
  sprig antwerp 0W.1b '2bA.1r|2bA.0W'    any coloured positions
  sprig antwerp 4 --misere --json        for programs

Positions: a number is a start position with that many white spots. A spot is the number of its
curve ends, 0, 1 or 2, and its colour, W white, b blue or r red; one that is passed in two places
has a capital letter behind that and stands twice. `.` stands between boundaries, `|` between
regions, `0W*3` are three boundaries `0W`, and `!` is the empty position.

Classes: L and R are won by Left or Right whoever begins, N by the next player, who begins, and P
by the previous player, who does not.";

/// Longest canonical form that is printed, in bytes.
const LONGEST: usize = 300;

/// Antwerp Sprouts: who wins a coloured position, and what it is worth
///
/// Left joins spots that are white or blue, Right such that are white or red. In the cold game the
/// new spot is the opponent's, in the hot game one's own.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Antwerp {
    /// Positions, or numbers of white spots
    #[arg(value_name = "POS", required = true)]
    positions: Vec<String>,
    /// The hot game: Left places blue spots, Right red ones
    #[arg(long)]
    hot: bool,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    #[command(flatten)]
    format: Format,
}

/// The answer to one position. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Answered {
    position: String,
    game: &'static str,
    play: &'static str,
    /// Who wins: `L`, `R`, `N` or `P`.
    class: String,
    #[serde(flatten)]
    worth: Option<Valued>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    too_large: Option<String>,
}

/// What it is worth in normal play.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Valued {
    /// The canonical form; null if it is too long to print.
    value: Option<String>,
    /// The mean value.
    mean: String,
    /// The temperature.
    temperature: String,
}

impl Answer for Answered {
    fn line(&self) -> String {
        let Self { class, worth, too_large, .. } = self;
        match (worth, too_large) {
            (Some(Valued { value: Some(value), mean, .. }), _) if value == mean => {
                format!("{class}, value {value}")
            }
            (Some(Valued { value, mean, temperature }), _) => {
                let value = value.as_deref().unwrap_or("too long to print");
                format!("{class}, value {value}, mean {mean}, temperature {temperature}")
            }
            (None, Some(reason)) => format!("{class}, value not found: {reason}"),
            (None, None) => class.clone(),
        }
    }
}

impl Antwerp {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let wrong = |typed: &String, e| Usage(format!("position {}: {e}", quote(typed)));
        let positions = self.positions.iter();
        let positions = positions
            .map(|typed| read(typed).map_err(|e| wrong(typed, e)))
            .collect::<Result<Vec<_>, _>>()?;
        let temper = if self.hot { Temper::Hot } else { Temper::Cold };
        let watching = Watching::new("positions and lands looked at");
        let solver = Arc::new(Mutex::new(Solver::new(temper).counting(watching.done())));
        let (misere, mut code) = (self.misere, ExitCode::SUCCESS);
        for (typed, position) in self.positions.iter().zip(positions) {
            let (about, solver) = (position.to_string(), solver.clone());
            let class = Arc::<OnceLock<Class>>::default();
            let told = class.clone();
            let asked = move || {
                let mut solver = solver.lock().expect("nobody has panicked");
                answer(&mut solver, temper, misere, &position, &told)
            };
            let known = || match class.get() {
                Some(class) => format!("{} is {class}; its value is not found yet", quote(typed)),
                None => format!("who wins {} is not found yet", quote(typed)),
            };
            match (watching.over(&about, asked, known)?, self.positions.len()) {
                (Ok(answer), 1) => return output::answer(&self.format, &answer),
                (Ok(answer), _) if self.format.json => output::print(output::json(&answer)?)?,
                (Ok(answer), _) => output::print(format!("{typed}\t{}\n", answer.line()))?,
                (Err(error), 1) => return Err(error.into()),
                (Err(error), _) => {
                    remark!("sprig: position {}: {error}", quote(typed));
                    code = ExitCode::FAILURE;
                }
            }
        }
        Ok(code)
    }
}

/// The answer. Of one land `told` hears the class before the value is looked for, which may take
/// much longer. A sum takes long to be played out, and its value does not.
fn answer(
    solver: &mut Solver,
    temper: Temper,
    misere: bool,
    position: &Position,
    told: &OnceLock<Class>,
) -> Result<Answered, TooLarge> {
    let is_sum = position.lands().len() > 1;
    let played_out = (misere || !is_sum).then(|| solver.class(position, misere));
    if let Some(Ok(class)) = played_out {
        let _ = told.set(class);
    }
    let worth = if misere { None } else { Some(solver.worth(position)) };
    let class = match worth {
        Some(Ok(Worth { value, .. })) => {
            let class = solver.values().class(value)?;
            let is_other = matches!(played_out, Some(Ok(other)) if other != class);
            assert!(!is_other, "the value says who wins");
            class
        }
        _ => played_out.unwrap_or_else(|| solver.class(position, misere))?,
    };
    let (worth, too_large) = match worth {
        Some(Ok(Worth { value, heat })) => {
            let value = solver.text(value, LONGEST);
            let (mean, temperature) = (heat.mean.to_string(), heat.temperature.to_string());
            (Some(Valued { value, mean, temperature }), None)
        }
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, None),
    };
    Ok(Answered {
        position: position.to_string(),
        game: if temper == Temper::Hot { "antwerp-hot" } else { "antwerp-cold" },
        play: if misere { "misere" } else { "normal" },
        class: class.to_string(),
        worth,
        too_large,
    })
}
