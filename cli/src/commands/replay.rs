//! `sprig replay`: a record of a game, with the value of every position.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_domain::{Outcome, Play};
use sprig_engine::{CanonicalPosition, Nimber, notation};
use sprig_oracle::Table;
use sprig_records::{Dialect, Ending, Record, Replayed, Writer, lengths, options, parse, replay};
use sprig_sketch::{Look, Picture, Sheet};

use crate::drawings;
use crate::failure::escaped;
use crate::image;
use crate::judge::{Judge, Sources, Worth};
use crate::output::{self, Format};
use crate::table::table;
use crate::text::read;

const EXAMPLES: &str = "\
Examples:
  sprig replay game.txt                  every position of a record
  sprig replay game.txt --solve          who was winning, and where a won game was given away
  sprig replay game.txt --db facts       by what a database knows
  sprig replay game.txt --draw game.svg  the drawing after every move, on one sheet
  sprig replay game.txt --draw game.svg --equivalent
                                         its canonical forms, without dead spots
  echo '2+ 1(3)2 1(4)2 1(5)4 2(6)3' | sprig replay - --hoey
                                         the boundary lists of the full drawing

A record is `8+ (First, Second*) 1(9)2 1(10)1[2,3] .. II`: spots and `+` (normal) or `-` (misère play),
the players, the moves, and who has won. See docs/records.md.";

/// Most moves among which a winning one is looked for.
const MOST_OPTIONS: usize = 20_000;

/// Most winning moves that are named.
const MOST_NAMED: usize = 3;

/// Replay records of games: every position, who was winning, and what would have won
///
/// Reads records as the World Game of Sprouts Association writes them. Records of people leave marks and spots out; all
/// drawings that fit are followed until a move refutes them, and the one that leaves least out is shown.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Replay {
    /// The records; `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// Refuse records with missing marks or spots, or with more than one meaning
    #[arg(long)]
    strict: bool,
    /// Draw the games into FILE.svg or FILE.png: after each move the whole drawing, with numbers and dead spots. At
    /// the end survivors, their dead neighbours and pharisees are told apart
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,
    /// Draw the canonical form of each position instead, as `sprig draw` does
    #[arg(long, requires = "draw")]
    equivalent: bool,
    /// How many pictures stand beside each other
    #[arg(long, value_name = "COUNT", requires = "draw", default_value = "6",
        value_parser = clap::value_parser!(u16).range(1..=100))]
    columns: u16,
    /// Show boundary lists, with dead spots, for positions
    #[arg(long)]
    hoey: bool,
    #[command(flatten)]
    sources: Sources,
    #[command(flatten)]
    format: Format,
}

/// A replayed record. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Game {
    /// Spots of the start position.
    spots: u32,
    play: &'static str,
    /// Both players, the first first.
    players: Vec<Player>,
    /// Before the first move.
    start: Seen,
    /// The moves.
    moves: Vec<Played>,
    /// Whether no move is left.
    over: bool,
    /// Who has won, by the rules; none if the game is not over.
    winner: Option<u8>,
    /// Who has won, by the record.
    claimed: Option<u8>,
    /// What the claim is worth: `right`, `wrong` or `unknown`; none if there is no claim.
    claim: Option<&'static str>,
    /// Spots that are alive at the end.
    survivors: Vec<u32>,
    /// None before the game is over.
    pharisees: Option<Vec<u32>>,
    /// Drawings that fit the record.
    readings: Vec<Meaning>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Player {
    name: String,
    /// Whether this player has invited the other.
    inviting: bool,
}

/// A position and what it is worth for the player to move.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Seen {
    position: String,
    /// The position as a short boundary list.
    hoey: String,
    outcome: Option<String>,
    nimber: Option<u8>,
    /// Least and most moves that the whole game will have had.
    lengths: [u32; 2],
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Played {
    /// Counted from 1.
    number: usize,
    /// Who has moved, 1 or 2.
    player: u8,
    #[serde(rename = "move")]
    written: String,
    #[serde(flatten)]
    seen: Seen,
    /// Whether a won game was given away.
    gives_away: bool,
    /// What would have won instead.
    winning: Vec<Better>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Better {
    /// None if no short record says it.
    #[serde(rename = "move")]
    written: Option<String>,
    position: String,
}

/// A position that the record may have led to.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Meaning {
    position: String,
    /// What the record leaves out, if it means this: 1 for a mark, 10 for a spot.
    cost: u32,
    outcome: Option<String>,
}

impl Replay {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let picture = self.draw.as_deref().map(image::File::of).transpose()?;
        let (name, text) = read(&self.file)?;
        let dialect = if self.strict { Dialect::Strict } else { Dialect::Lenient };
        let records = parse(&text).with_context(|| name.clone())?;
        // All records are read before the first is answered, so that a wrong one is found at once.
        let replayed: Result<Vec<_>, _> = records.iter().map(|r| replay(r, dialect)).collect();
        let (mut said, mut drawn) = (false, Vec::new());
        for (record, replayed) in records.iter().zip(replayed.with_context(|| name.clone())?) {
            let play = if record.misere { Play::Misere } else { Play::Normal };
            let mut judge = self.sources.open(play)?;
            let game = Game::of(record, &replayed, &mut judge);
            judge.end()?;
            let game = game?;
            if picture.is_some() {
                let tables = replayed.readings.cheapest().tables();
                drawn.extend(match self.equivalent {
                    true => game.equivalent()?,
                    false => game.drawings(&tables)?,
                });
            }
            if self.format.json {
                output::print(output::json(&game)?)?;
            } else {
                let blank = if said { "\n" } else { "" };
                output::print(format!(
                    "{blank}{}",
                    game.text(self.hoey, self.sources.are_named())
                ))?;
            }
            if game.claim == Some("wrong") && game.over {
                remark!(
                    "sprig: the record says that {} has won, and the game says otherwise",
                    roman(game.claimed)
                );
            }
            said = true;
        }
        if let Some(file) = picture {
            let (title, columns) = (format!("Games of {name}"), usize::from(self.columns));
            let sheet = Sheet { title, entries: drawn, columns };
            file.write(&sheet.svg(&Look::default()), None)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Game {
    fn of(record: &Record, replayed: &Replayed, judge: &mut Judge) -> anyhow::Result<Self> {
        let tables = replayed.readings.cheapest().tables();
        let positions: Vec<_> =
            tables.iter().map(|table| CanonicalPosition::of(&table.to_position())).collect();
        // Late positions are small, and what is learned from them helps with the early ones.
        let mut worths = Vec::new();
        for position in positions.iter().rev() {
            worths.push(judge.worth(position)?);
        }
        worths.reverse();
        let see =
            |made: usize| Seen::new(&tables[made], &positions[made], &worths[made], record, made);
        let mut moves = Vec::new();
        for (number, (_, written)) in (1..).zip(&record.moves) {
            let outcomes = [worths[number - 1].outcome, worths[number].outcome];
            let gives_away = outcomes == [Some(Outcome::Win); 2];
            let winning = match gives_away {
                true => better(&tables[number - 1], judge.winning(&positions[number - 1])?),
                false => Vec::new(),
            };
            let (player, written) = (mover(number), written.to_string());
            moves.push(Played { number, player, written, seen: see(number), gives_away, winning });
        }
        let mut readings = Vec::new();
        for (reading, position) in replayed.readings.classes() {
            let outcome = judge.worth(&position)?.outcome.map(|outcome| outcome.to_string());
            readings.push(Meaning {
                position: position.to_string(),
                cost: reading.cost(),
                outcome,
            });
        }
        let (last, made) = (&tables[record.moves.len()], record.moves.len());
        let ending = Ending::of(last);
        let winner =
            replayed.over.then(|| if record.misere { mover(made + 1) } else { mover(made) });
        let favours = winner.or(worths[made].outcome.map(|outcome| match outcome {
            Outcome::Win => mover(made + 1),
            Outcome::Loss => mover(made),
        }));
        let claim = record.winner.map(|claimed| match favours {
            Some(player) if player == claimed => "right",
            Some(_) => "wrong",
            None => "unknown",
        });
        Ok(Self {
            spots: record.spots,
            play: if record.misere { Play::Misere } else { Play::Normal }.name(),
            players: players(record),
            start: see(0),
            moves,
            over: replayed.over,
            winner,
            claimed: record.winner,
            claim,
            survivors: ending.survivors,
            pharisees: replayed.over.then_some(ending.pharisees),
            readings,
        })
    }

    /// The play, for people.
    fn played(&self) -> &'static str {
        let is_normal = self.play == Play::Normal.name();
        let play = if is_normal { Play::Normal } else { Play::Misere };
        play.word()
    }

    /// The captions of the pictures: the move that led to each position, and its value.
    fn captions(&self) -> impl Iterator<Item = (&Seen, String)> {
        let start = format!("{}, {} play", plural(self.spots, "spot"), self.played());
        let moves = self.moves.iter().map(|made| {
            let mark = if made.gives_away { " ?!" } else { "" };
            let caption = format!("{}. {}{mark}", made.number, made.written);
            (&made.seen, caption)
        });
        std::iter::once((&self.start, start)).chain(moves).map(|(seen, caption)| {
            let worth = seen.outcome.as_ref().map_or(String::new(), |worth| format!(": {worth}"));
            (seen, caption + &worth)
        })
    }

    /// The picture of the canonical form of each position.
    fn equivalent(&self) -> anyhow::Result<Vec<(Picture, String)>> {
        let pictures = self.captions().map(|(seen, caption)| {
            let position = CanonicalPosition::of(&notation::read(&seen.position)?);
            let picture = Picture::of(&position);
            Ok((picture.with_context(|| format!("cannot draw `{position}`"))?, caption))
        });
        pictures.collect()
    }

    /// The whole drawing at the start and after each move, and that of the end with what has become
    /// of the spots.
    fn drawings(&self, tables: &[Table]) -> anyhow::Result<Vec<(Picture, String)>> {
        let drawn = drawings::of_tables(tables)
            .context("--equivalent draws the canonical forms of the positions instead")?;
        let ending = tables.last().zip(drawn.last());
        let ending = ending.and_then(|(table, last)| drawings::ending(table, last));
        let captions = self.captions().map(|(_, caption)| caption);
        let mut entries: Vec<_> = drawn.into_iter().zip(captions).collect();
        let over = plural(self.moves.len(), "move");
        let over = format!("over after {over}: {} wins", roman(self.winner));
        entries.extend(ending.map(|picture| (picture, over)));
        Ok(entries)
    }

    fn text(&self, hoey: bool, valued: bool) -> String {
        let mut text = format!("{}, {} play", plural(self.spots, "spot"), self.played());
        if !self.players.is_empty() {
            let star = |player: &Player| if player.inviting { "*" } else { "" };
            let names = self.players.iter().map(|p| format!("{}{}", escaped(&p.name), star(p)));
            text += &format!(": {}", names.collect::<Vec<_>>().join(", "));
        }
        text.push('\n');
        let shown = |seen: &Seen| if hoey { seen.hoey.clone() } else { seen.position.clone() };
        let value = |seen: &Seen| match (&seen.outcome, seen.nimber) {
            (Some(outcome), Some(nimber)) => format!("{outcome}, nimber {nimber}"),
            (Some(outcome), None) => outcome.clone(),
            (None, _) if valued => "unknown".to_owned(),
            (None, _) => "-".to_owned(),
        };
        let start = ["0".into(), "-".into(), "-".into(), value(&self.start), shown(&self.start)];
        let rows = self.moves.iter().map(|made| {
            let mark = if made.gives_away { " ?!" } else { "" };
            [
                made.number.to_string(),
                roman(Some(made.player)).to_owned(),
                format!("{}{mark}", made.written),
                value(&made.seen),
                shown(&made.seen),
            ]
        });
        let heading = ["MOVE", "BY", "RECORD", "NEXT TO MOVE", "POSITION"];
        text += &table(heading, &[], std::iter::once(start).chain(rows));
        for made in self.moves.iter().filter(|made| made.gives_away) {
            let better = made.winning.iter().map(|better| match &better.written {
                Some(written) => format!("{written} to {}", better.position),
                None => format!("the move to {}", better.position),
            });
            let better: Vec<_> = better.collect();
            let instead = match better.is_empty() {
                true => "which move would have won is not known".to_owned(),
                false => format!("what would have won: {}", better.join("; ")),
            };
            text += &format!("move {} gave a won game away; {instead}\n", made.number);
        }
        text + &self.end(valued)
    }

    /// The text on the end of the game, after the last move.
    fn end(&self, valued: bool) -> String {
        let list = |spots: &[u32]| match spots {
            [] => "none".to_owned(),
            spots => spots.iter().map(u32::to_string).collect::<Vec<_>>().join(" "),
        };
        let mut text = String::new();
        if let Some(winner) = self.winner {
            let which = if self.play == "normal" { "made the last move" } else { "could not move" };
            text += &format!(
                "over        after {}; {} {which} and wins\n",
                plural(self.moves.len(), "move"),
                roman(Some(winner))
            );
            text += &format!("survivors   {}\n", list(&self.survivors));
            text +=
                &format!("pharisees   {}\n", list(self.pharisees.as_deref().unwrap_or_default()));
        } else {
            let last = self.moves.last().map_or(&self.start, |made| &made.seen);
            let [least, most] = last.lengths;
            text += &format!(
                "open        after {}; the game lasts {least} to {most}\n",
                plural(self.moves.len(), "move")
            );
            text += &format!("living      {}\n", list(&self.survivors));
        }
        if let (Some(claimed), Some(claim)) = (self.claimed, self.claim) {
            let why = match (claim, self.over) {
                ("right", _) => "that is right",
                ("wrong", true) => "that is wrong",
                ("wrong", false) => "but the other player was winning and gave the game up",
                _ if valued => "whether that is right is not known",
                _ => "not checked; add --solve or --db DIR",
            };
            text += &format!("result      {} is said to have won: {why}\n", roman(Some(claimed)));
        }
        if self.readings.len() > 1 {
            for Meaning { position, cost, outcome } in &self.readings {
                let outcome =
                    outcome.as_ref().map_or(String::new(), |outcome| format!(", {outcome}"));
                text += &format!("may mean    {position} (cost {cost}{outcome})\n");
            }
        }
        text
    }
}

impl Seen {
    fn new(
        table: &Table,
        position: &CanonicalPosition,
        worth: &Worth,
        record: &Record,
        made: usize,
    ) -> Self {
        let made = u32::try_from(made).unwrap_or(u32::MAX);
        let bounds = lengths(table, record.spots, made);
        Self {
            position: position.to_string(),
            hoey: table.to_string(),
            outcome: worth.outcome.map(|outcome| outcome.to_string()),
            nimber: worth.nimber.map(Nimber::get),
            lengths: [*bounds.start(), *bounds.end()],
        }
    }
}

/// Winning moves, in the notation of a record.
fn better(table: &Table, winning: Vec<CanonicalPosition>) -> Vec<Better> {
    let options = if winning.is_empty() { None } else { options(table, MOST_OPTIONS) };
    let named = winning.into_iter().map(|position| {
        let made = options.as_ref().and_then(|options| options.get(&position));
        let written = made.and_then(|made| Writer::of(table.clone()).write(made).ok());
        Better { written: written.map(|text| text.to_string()), position: position.to_string() }
    });
    let mut named: Vec<_> = named.collect();
    named.sort_by_key(|better| better.written.is_none());
    named.truncate(MOST_NAMED);
    named
}

fn players(record: &Record) -> Vec<Player> {
    let player = |p: &sprig_records::Player| Player { name: p.name.clone(), inviting: p.inviting };
    record.players.iter().map(player).collect()
}

/// The player who makes the move of this number.
fn mover(number: usize) -> u8 {
    if number % 2 == 1 { 1 } else { 2 }
}

/// A player as records name them.
fn roman(player: Option<u8>) -> &'static str {
    match player {
        Some(1) => "I",
        Some(2) => "II",
        _ => "-",
    }
}
