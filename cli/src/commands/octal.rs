//! `sprig octal`: heaps of tokens under the rules of an octal game.

use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use sprig_calculator::Genera;
use sprig_domain::Outcome;
use sprig_misere::{Limits, Observer, OutcomeError, Search, Sum};
use sprig_octal::{Code, Heaps, MOST_TOKENS, Nimbers, Period, SmallHeaps, land};

use crate::duration::some_time;
use crate::failure::{Failure, Interrupted, Usage, quote};
use crate::memory::Bounds;
use crate::output::{self, Answer, Format};
use crate::positions::Several;
use crate::watching::Watching;

const EXAMPLES: &str = "\
Examples:
  sprig octal 0.77 40 7+12               Kayles: one row of 40 pins, and rows of 7 and 12
  sprig octal 0.77 --up-to 100           the nimbers of all heaps to 100, and their period
  sprig octal 0.137 --up-to 70 --json    Dawson's chess, for programs
  sprig octal 0.77 12+9 --misere         who wins when the last to move loses, genus and tree
  sprig octal 0.07 --misere --up-to 20   a line for each heap, in misère play
  sprig octal 4.4 9                      heaps that may be split as they are
  sprig octal 0.3.. 5+3                  Nim: the last digit goes on without end

Digit k after the point says what may become of a heap of which a move takes k tokens: \
1 nothing, 2 one heap, 4 two heaps, or
a sum of these. 4 before the point: a heap may be split in two. See docs/octal.md.";

/// Longest tree that is written as nested sets.
const LONGEST: usize = 60;

/// Octal games, such as Kayles: who wins sums of heaps, nimbers and periods, and misère play
///
/// A game is named by a code of digits. Nimbers are worked out; a period is said only where the theorem of Guy and
/// Smith proves it. In misère play small heaps have their trees, and larger ones are searched.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Octal {
    /// The code of the game; 0.77 is Kayles
    #[arg(value_name = "CODE")]
    code: OsString,
    /// Sums of heaps: numbers of tokens with + between them; 0 is the empty one
    #[arg(value_name = "POSITION", required_unless_present = "up_to", conflicts_with = "up_to")]
    positions: Vec<OsString>,
    /// All heaps from 0 to N tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_TOKENS)))]
    up_to: Option<u32>,
    /// Who cannot move wins. There are no nimbers then, but the genus and the tree where they are small
    #[arg(long)]
    misere: bool,
    /// Leave a position of misère play open after this time, as in 30s or 2h
    #[arg(long, value_name = "TIME", value_parser = some_time, requires = "misere")]
    budget: Option<Duration>,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    format: Format,
}

/// A sum of heaps. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Found {
    position: String,
    /// The code of the game, in its shortest form.
    code: String,
    play: &'static str,
    /// Tokens of each heap, the small ones first.
    heaps: Vec<u32>,
    outcome: String,
    /// In normal play.
    #[serde(skip_serializing_if = "Option::is_none")]
    nimber: Option<u32>,
    /// The nimber of each heap, in normal play.
    #[serde(skip_serializing_if = "Option::is_none")]
    nimbers: Option<Vec<u32>>,
    /// In misère play, where the tree is small: the nimber in normal play, and those in misère play beside 0, 1, 2,
    /// .. heaps of 2, of which the last two go on in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    genus: Option<String>,
    /// In misère play, where the tree is small: nested sets, if they are short enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    rct: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl Answer for Found {
    fn text(&self) -> String {
        let mut text = format!("outcome     {} for the player to move\n", self.outcome);
        if let Some(nimber) = self.nimber {
            text += &format!("nimber      {nimber}\n");
        }
        if let Some(nimbers) = self.nimbers.as_ref().filter(|nimbers| nimbers.len() > 1) {
            let each = self.heaps.iter().zip(nimbers);
            let each: Vec<_> = each.map(|(heap, nimber)| format!("{heap} has {nimber}")).collect();
            text += &format!("heaps       {}\n", each.join(", "));
        }
        if let Some(genus) = &self.genus {
            text += &format!("genus       {genus}\n");
        }
        if let Some(tree) = self.rct.as_ref().or(self.key.as_ref()) {
            text += &format!("tree        {tree}\n");
        }
        text
    }

    fn line(&self) -> String {
        let nimber = self.nimber.map(|nimber| format!(", nimber {nimber}"));
        let genus = self.genus.as_ref().map(|genus| format!(", genus {genus}"));
        let tree = self.rct.as_ref().or(self.key.as_ref()).map(|tree| format!(", tree {tree}"));
        [nimber, genus, tree]
            .into_iter()
            .flatten()
            .fold(self.outcome.clone(), |line, part| line + &part)
    }
}

/// The nimbers of all heaps up to a size. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Sequence {
    /// The code of the game, in its shortest form.
    code: String,
    play: &'static str,
    /// Tokens of the largest heap that was asked for.
    up_to: u32,
    /// The nimbers of heaps of 0, 1, 2, .. tokens.
    nimbers: Vec<u32>,
    /// None where none is proved.
    period: Option<Proved>,
    /// Heaps up to this size were worked out to prove a period.
    worked_out: u32,
}

/// A period that is proved: heaps of n and of n + `length` tokens have equal nimbers for all n from `from` on.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Proved {
    /// Tokens from a heap to the next one with its nimber.
    length: u32,
    /// The smallest heap of the period.
    from: u32,
    /// The nimbers of heaps up to this size prove it.
    proved_by: u32,
}

impl Answer for Sequence {
    fn text(&self) -> String {
        // Rows of whole periods, so that columns show them.
        let length = self.period.as_ref().map_or(0, |period| period.length as usize);
        let row = match length {
            1..=40 => length * (20 / length).max(1),
            _ => 20,
        };
        let digits = |number: u32| number.to_string().len();
        let wide = self.nimbers.iter().map(|&nimber| digits(nimber)).max().unwrap_or(1);
        let mut text = String::new();
        for (number, nimbers) in self.nimbers.chunks(row).enumerate() {
            let nimbers: Vec<_> = nimbers.iter().map(|nimber| format!("{nimber:wide$}")).collect();
            let first = format!("{:1$}", number * row, digits(self.up_to));
            text += &format!("{first}  {}\n", nimbers.join(" "));
        }
        text + &match &self.period {
            Some(Proved { length, from, proved_by }) => {
                format!("period      {length}, from {from} on; heaps to {proved_by} prove it\n")
            }
            None => format!("period      none is proved by heaps to {}\n", self.worked_out),
        }
    }

    fn line(&self) -> String {
        self.nimbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
    }
}

impl Octal {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let code: Code = read("code", &self.code)?.1;
        let positions = match self.up_to {
            Some(most) => {
                (0..=most).map(|heap| (heap.to_string(), Heaps::from_iter([heap]))).collect()
            }
            None => self
                .positions
                .iter()
                .map(|typed| read("position", typed))
                .collect::<Result<Vec<_>, _>>()?,
        };
        let largest = positions.iter().map(|(_, heaps)| heaps.largest()).max().unwrap_or(0);
        if self.misere {
            let limits = self.bounds.of_one(NonZero::<u16>::MIN, 0)?;
            let misere = Arc::new(Mutex::new(Misere::new(code, largest, limits)));
            let watching = Watching::new("heaps and lost sums found");
            return self.answer(&positions, |typed, heaps| {
                self.searched(&misere, &watching, typed, heaps)
            });
        }
        let nimbers = worked_out(&code, largest)?;
        let nimber = |heap: u32| nimbers.get(heap).expect("the largest heap was worked out");
        if let Some(up_to) = self.up_to {
            let proved = |Period { length, from, proved_by }| Proved { length, from, proved_by };
            let sequence = Sequence {
                code: code.to_string(),
                play: "normal",
                up_to,
                nimbers: (0..=up_to).map(nimber).collect(),
                period: nimbers.period().map(proved),
                worked_out: nimbers.worked_out(),
            };
            return output::answer(&self.format, &sequence);
        }
        self.answer(&positions, |typed, heaps| {
            let nimbers: Vec<u32> = heaps.heaps().iter().map(|&heap| nimber(heap)).collect();
            let sum = nimbers.iter().fold(0, |sum, nimber| sum ^ nimber);
            let outcome = Outcome::from(sum != 0);
            let found = found(&code, "normal", typed, heaps, outcome);
            Ok(Found { nimber: Some(sum), nimbers: Some(nimbers), ..found })
        })
    }

    /// Prints what `answer` says of each position: a single one gets the whole answer, several get
    /// a line each.
    fn answer(
        &self,
        positions: &[(String, Heaps)],
        mut answer: impl FnMut(&str, &Heaps) -> Result<Found, Failure>,
    ) -> anyhow::Result<ExitCode> {
        if let ([(typed, heaps)], None) = (positions, self.up_to) {
            let answer = answer(typed, heaps).map_err(|failure| failure.about(typed))?;
            return output::answer(&self.format, &answer);
        }
        let mut several = Several { format: &self.format, code: ExitCode::SUCCESS };
        for (typed, heaps) in positions {
            several.print(typed.as_bytes(), None, answer(typed, heaps))?;
        }
        Ok(several.code)
    }

    /// What misère play on a sum is worth, while a person can see how far it is and stop it.
    fn searched(
        &self,
        misere: &Arc<Mutex<Misere>>,
        watching: &Watching,
        typed: &str,
        heaps: &Heaps,
    ) -> Result<Found, Failure> {
        if watching.is_stopped() {
            return Err(Interrupted::new("what was found is printed".into()).into());
        }
        let until = self.budget.map(|budget| Instant::now() + budget);
        let told = Told { found: watching.done(), until };
        let (misere, heaps) = (misere.clone(), heaps.clone());
        let (asked, sum) = (typed.to_owned(), heaps.clone());
        let work = move || misere.lock().expect("nobody has panicked").found(&asked, &sum, &told);
        let known = || "who wins is not found yet, and nothing is kept".to_owned();
        let found = watching.over(&format!("{heaps} in misère play"), work, known)?;
        found.map_err(Failure::Position)
    }
}

/// Reads an argument.
fn read<T: FromStr<Err: std::fmt::Display>>(
    what: &str,
    typed: &OsStr,
) -> Result<(String, T), Usage> {
    let typed = typed.to_string_lossy().into_owned();
    let wrong = |error| Usage(format!("{what} {}: {error}", quote(&typed)));
    let read = typed.parse().map_err(wrong)?;
    Ok((typed, read))
}

/// The nimbers of heaps, while a person can see how far it is and stop it.
fn worked_out(code: &Code, largest: u32) -> anyhow::Result<Nimbers> {
    let watching = Watching::new("heaps worked out").of(largest.into());
    let (about, done, code) = (format!("nimbers of {code}"), watching.done(), code.clone());
    let work = move || Nimbers::up_to(&code, largest, &done);
    watching.over(&about, work, || "no period is proved yet".to_owned())
}

/// What is known of any sum. The other fields stay empty.
fn found(code: &Code, play: &'static str, typed: &str, heaps: &Heaps, outcome: Outcome) -> Found {
    Found {
        position: typed.to_owned(),
        code: code.to_string(),
        play,
        heaps: heaps.heaps().to_vec(),
        outcome: outcome.to_string(),
        nimber: None,
        nimbers: None,
        genus: None,
        rct: None,
        key: None,
    }
}

/// Misère play of one game.
struct Misere {
    code: Code,
    /// The largest heap that will be asked for.
    largest: u32,
    limits: Limits,
    /// Made with the first question.
    small: Option<SmallHeaps>,
    genera: Genera,
    /// Made with the first sum that has no small tree.
    search: Option<Search<Code>>,
}

/// Hears what a search finds, and ends it with its budget.
struct Told {
    /// How much was found.
    found: Arc<AtomicU64>,
    until: Option<Instant>,
}

impl Observer<Sum> for Told {
    fn stop(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn proved(&self, _lost: Sum) {
        self.found.fetch_add(1, Relaxed);
    }
}

impl Misere {
    fn new(code: Code, largest: u32, limits: Limits) -> Self {
        Self { code, largest, limits, small: None, genera: Genera::default(), search: None }
    }

    /// The outcome of a sum, with its genus and its tree if that is small.
    fn found(&mut self, typed: &str, heaps: &Heaps, told: &Told) -> anyhow::Result<Found> {
        let Self { code, largest, limits, small, genera, search } = self;
        let small = small.get_or_insert_with(|| {
            SmallHeaps::up_to(code, *largest, || {
                told.found.fetch_add(1, Relaxed);
                !told.stop()
            })
        });
        if let Some(tree) = small.tree(heaps.heaps()) {
            let forest = small.forest();
            let found = found(code, "misere", typed, heaps, forest.outcome(tree));
            return Ok(Found {
                genus: Some(genera.of(forest, tree).to_string()),
                rct: forest.nested(tree, LONGEST),
                key: Some(forest.key(tree).to_string()),
                ..found
            });
        }
        let search = search.get_or_insert_with(|| Search::taught(small.base(), *limits, &[]));
        let lands = heaps.heaps().iter().filter(|&&heap| code.has_moves(heap));
        let lands: Vec<[u8; 4]> = lands.map(|&heap| land(heap)).collect();
        let lands: Vec<&[u8]> = lands.iter().map(|land| &land[..]).collect();
        let outcome = search.outcome(&lands, told).map_err(|error| match error {
            OutcomeError::Memory { .. } => anyhow!("{error}, with --memory"),
            error => error.into(),
        })?;
        let open = || anyhow!("it is still open after its budget; give a larger --budget");
        Ok(found(code, "misere", typed, heaps, outcome.ok_or_else(open)?))
    }
}
