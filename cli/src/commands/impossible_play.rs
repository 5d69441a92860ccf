//! `sprig impossible play`: a game of Impossible! against a person.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use sprig_ask::plural;
use sprig_impossible::{Answer as Verdict, Clash, Game, Player, Row, Table, read_cards};

use crate::commands::impossible::{Seed, in_words, written};
use crate::output;

/// Play against it
///
/// Lay three cards of your hand, or say `impossible` after a row of the program. It challenges you when your row makes
/// the table impossible, and sometimes when it does not; then you turn over a card in each row, in time, or lose.
#[derive(Args)]
pub struct Play {
    /// Let the program begin
    #[arg(long)]
    second: bool,
    /// How often, of 100 rows of yours that can be met, the program challenges nevertheless, from the fourth row on;
    /// with 0 its word is true, and the game ends with it
    #[arg(long, value_name = "PERCENT", default_value = "20", value_parser = clap::value_parser!(u32).range(..=100))]
    bluff: u32,
    /// How long you have for meeting a challenge, as in 2.5; 0 for as long as you like
    #[arg(long, value_name = "MINUTES", default_value = "3")]
    minutes: Minutes,
    #[command(flatten)]
    seed: Seed,
}

/// The time for meeting a challenge; none if there is no limit.
#[derive(Clone, Copy)]
struct Minutes(Option<Duration>);

impl FromStr for Minutes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let minutes = text.parse().ok().filter(|minutes| (0.0..=1440.0).contains(minutes));
        let minutes: f64 = minutes.ok_or("write a number of minutes from 0 to 1440, as in 2.5")?;
        Ok(Self((minutes > 0.0).then(|| Duration::from_secs_f64(60.0 * minutes))))
    }
}

/// What a person can say.
const HELP: &str = "\
R3 B3 R0    lay these three cards of your hand as a row: R is red, B is black, 0 is ten
impossible  challenge my last row: I turn over one card in each row, so that no value stays in both colours, or lose
?           show this
quit        end the game
After your row you draw three cards. I may say \"Impossible!\" to it. Then you turn over one card in each row, so that
no value stays in both colours, or lose. I do not always speak the truth.
";

/// What a challenged person can say.
const TURNING: &str = "\
2 B0 1      turn over these cards, one of each row in the order of the rows: its place in the row, 1 to 3, or its name
give up     turn over nothing, and lose
?           show this
quit        end the game
";

impl Play {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (_, seed) = self.seed.random();
        let begins = if self.second { Player::Program } else { Player::Person };
        let mut game = Game::new(seed, begins);
        let lines = Lines::of_standard_input();
        output::print(format!(
            "Seed {seed}. Lay three cards, as in R3 B3 R0; `impossible` challenges my last row; `?` explains, `quit` ends.\n"
        ))?;
        loop {
            if game.to_lay() == Player::Program {
                let row = game.answer();
                assert!(game.lay(row), "a row of the program's hand");
                output::print(format!("row {}: {}\n", game.table().rows().len(), written(&row)))?;
                continue;
            }
            match ask(&game, &lines)? {
                Said::Quit => break,
                Said::Challenge => {
                    let answer = game.table().challenge();
                    let met = matches!(answer, Verdict::Possible(_));
                    let end =
                        if met { "I meet it: you lose." } else { "I cannot meet it: you win." };
                    output::print(format!("{end}\n{}", in_words(game.table(), &answer)))?;
                    break;
                }
                Said::Row(row) if !game.lay(row) => {
                    remark!("sprig: these are not three cards of your hand");
                }
                Said::Row(_) if game.is_challenged(self.bluff) => {
                    self.challenge(game.table(), &lines)?;
                    break;
                }
                Said::Row(_) => {}
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Challenges the person's row. The game is over after it.
    fn challenge(&self, rows: &Table, lines: &Lines) -> anyhow::Result<()> {
        let answer = rows.challenge();
        if self.bluff == 0 {
            return output::print(format!("Impossible! You lose.\n{}", in_words(rows, &answer)));
        }
        let time = match self.minutes.0 {
            Some(limit) => format!("You have {}.", in_minutes(limit)),
            None => "Take your time.".to_owned(),
        };
        output::print(format!(
            "Impossible! Turn over one card in each row, so that no value stays in both colours, as in `2 B0 1`: \
             its place in the row, or its name. `give up` turns over nothing. {time}\n{}",
            numbered(rows)
        ))?;
        let deadline = self.minutes.0.and_then(|limit| Instant::now().checked_add(limit));
        let end = match turned(rows, lines, deadline)? {
            Turned::Quit => return Ok(()),
            Turned::Late => "Time is up".to_owned(),
            Turned::Nothing => "You turn over nothing".to_owned(),
            Turned::Cards(turned) => {
                let clashes = rows.clashes(&turned);
                if clashes.is_empty() {
                    return output::print("You meet it: you win.\n");
                }
                let clashes: Vec<String> = clashes.iter().map(clash).collect();
                clashes.join("; ")
            }
        };
        let truth = match answer {
            Verdict::Possible(_) => "It could be met:",
            Verdict::Impossible(_) => "It could not be met:",
        };
        output::print(format!("{end}: you lose. {truth}\n{}", in_words(rows, &answer)))
    }
}

/// A value that stays in both colours.
fn clash(Clash { value, red, black }: &Clash) -> String {
    let rows = |rows: &[usize]| {
        let numbers: Vec<String> = rows.iter().map(|row| (row + 1).to_string()).collect();
        format!("row{} {}", if rows.len() == 1 { "" } else { "s" }, numbers.join(" and "))
    };
    format!("{value} stays red in {} and black in {}", rows(red), rows(black))
}

fn numbered(rows: &Table) -> String {
    let line = |(number, row): (usize, &Row)| format!("row {}: {}\n", number + 1, written(row));
    rows.rows().iter().enumerate().map(line).collect()
}

/// A time in words: `3 minutes`, `2 minutes 30 seconds`.
fn in_minutes(time: Duration) -> String {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    let parts = [(minutes, "minute"), (seconds, "second")].into_iter().filter(|part| part.0 > 0);
    let words: Vec<String> = parts.map(|(count, noun)| plural(count, noun)).collect();
    if words.is_empty() { "less than a second".to_owned() } else { words.join(" ") }
}

/// What a challenged person does.
enum Turned {
    /// The place of the card of each row, from 0.
    Cards(Vec<usize>),
    Nothing,
    Late,
    Quit,
}

/// Asks until a person turns over a card in each row, gives up, leaves, or is late.
fn turned(rows: &Table, lines: &Lines, deadline: Option<Instant>) -> anyhow::Result<Turned> {
    loop {
        prompt!("Turn over: ");
        io::stderr().flush()?;
        let line = match lines.next(deadline)? {
            Heard::Line(line) => line,
            Heard::End => return Ok(Turned::Nothing),
            Heard::Late => return Ok(Turned::Late),
        };
        match &*line.trim().to_ascii_lowercase() {
            "quit" => return Ok(Turned::Quit),
            "give up" => return Ok(Turned::Nothing),
            "?" | "help" => output::print(TURNING)?,
            line => match rows.read_turned(line) {
                Ok(turned) => return Ok(Turned::Cards(turned)),
                Err(error) => remark!("sprig: {error}"),
            },
        }
        if let Some(deadline) = deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            output::print(format!("{} left\n", in_minutes(left)))?;
        }
    }
}

/// What a person says.
enum Said {
    Row(Row),
    Challenge,
    Quit,
}

/// Asks until a person lays three cards, challenges, or leaves.
fn ask(game: &Game, lines: &Lines) -> anyhow::Result<Said> {
    loop {
        output::print(format!("your hand: {}\n", written(game.hand())))?;
        prompt!("Your row: ");
        io::stderr().flush()?;
        let Heard::Line(line) = lines.next(None)? else { return Ok(Said::Quit) };
        let line = line.trim();
        if line.eq_ignore_ascii_case("quit") {
            return Ok(Said::Quit);
        }
        if line == "?" || line.eq_ignore_ascii_case("help") {
            output::print(HELP)?;
            continue;
        }
        if line.trim_end_matches('!').eq_ignore_ascii_case("impossible") {
            if !game.table().rows().is_empty() {
                return Ok(Said::Challenge);
            }
            remark!("sprig: there is no row of mine to challenge yet; lay three cards");
            continue;
        }
        match read_cards(line, &Table::default()) {
            Ok(cards) => match <Row>::try_from(&cards[..]) {
                Ok(row) => return Ok(Said::Row(row)),
                Err(_) => remark!("sprig: a row has three cards, not {}", cards.len()),
            },
            Err(error) => remark!("sprig: {error}"),
        }
    }
}

/// Lines of standard input. A thread of their own reads them, so that a clock can end the wait for
/// one.
struct Lines(Receiver<io::Result<String>>);

/// What came of the wait for a line.
enum Heard {
    Line(String),
    /// No line comes any more.
    End,
    /// The time was up before the line was there.
    Late,
}

impl Lines {
    fn of_standard_input() -> Self {
        let (sender, lines) = sync_channel(1);
        // The thread ends with the program, as nothing else can end the wait for a line.
        thread::spawn(move || {
            let mut lines = io::stdin().lock().lines();
            while lines.next().is_some_and(|line| sender.send(line).is_ok()) {}
        });
        Self(lines)
    }

    /// The next line, unless the time is up first.
    fn next(&self, deadline: Option<Instant>) -> io::Result<Heard> {
        let line = match deadline {
            None => self.0.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => self.0.recv_timeout(at.saturating_duration_since(Instant::now())),
        };
        match line {
            Err(RecvTimeoutError::Timeout) => Ok(Heard::Late),
            // A line that was there in time may be read too late.
            _ if deadline.is_some_and(|at| Instant::now() >= at) => Ok(Heard::Late),
            Err(RecvTimeoutError::Disconnected) => Ok(Heard::End),
            Ok(line) => line.map(Heard::Line),
        }
    }
}
