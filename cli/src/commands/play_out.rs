//! `sprig play-out`: how to win against every reply.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use sprig_certificate::Play as Certified;
use sprig_certify::Losses;
use sprig_domain::{Game, Play};
use sprig_engine::{CanonicalPosition, Position};

use crate::certificate::Certificate;
use crate::draft;
use crate::failure::{Usage, quote};
use crate::output::{self, Answer, Format};
use crate::play::written;
use crate::positions::OnePosition;
use crate::strategy::{Facts, Known, Strategy, base_of, written_canonically};
use crate::variant::{Variant, certified};

const EXAMPLES: &str = "\
Examples:
  sprig play-out '0*5' --certificate certificates/normal/5.cert
                                         a winning move, every reply, and the answer to it
  sprig play-out '0*5' --db facts --depth 3
                                         three moves deep
  sprig play-out '0*9' --certificate certificates/normal/9.cert --interactive
                                         you play the losing side
  sprig play-out 5 --certificate 5.cert --interactive --record game.txt
                                         keeps the game, for `sprig replay`
  sprig play-out '0*9' --misere --certificate certificates/misere/9.cert
                                         when the last to move loses
  sprig play-out '0*4' --variant black-and-white --certificate certificates/black-and-white/normal/4.cert
                                         where the mover may leave the new spot out";

/// Show how to win: a winning move, and the answer to every reply
///
/// Where the player to move loses, every move is answered. The facts come from a certificate, which one had better verify first, or
/// from a database into which the position was solved. Deeper trees grow fast: ask for one move at a time.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct PlayOut {
    #[command(flatten)]
    position: OnePosition,
    #[command(flatten)]
    variant: Variant,
    #[command(flatten)]
    source: Source,
    /// Play so that the last to move loses
    #[arg(long)]
    misere: bool,
    /// How many of the winner's moves are answered and answered again; 0 shows only the first
    #[arg(long, value_name = "MOVES", default_value = "1")]
    depth: u32,
    /// Play against the winner: choose each move by its number
    #[arg(long, conflicts_with_all = ["depth", "json"])]
    interactive: bool,
    /// With --interactive: keep the game in a new file, as the World Game of Sprouts Association writes games
    #[arg(long, value_name = "FILE.txt", requires = "interactive")]
    record: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// Where facts come from.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// A certificate of the position
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Folder of a database
    #[cfg(feature = "coordinator")]
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
}

impl Answer for Strategy {
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.line());
        self.winning.as_deref().unwrap_or(self).print(2, &mut text);
        text
    }

    fn line(&self) -> String {
        match &self.winning {
            Some(winning) => format!("win: {} -> {}", self.position, winning.position),
            None if self.outcome == "win" => format!("win: {}; no move is left", self.position),
            None => format!("loss: {}; every move has an answer", self.position),
        }
    }
}

impl PlayOut {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let position = CanonicalPosition::of(&position);
        self.variant.check(&position)?;
        let game = self.variant.game();
        let mut known = Known { game, facts: self.source.facts(game, self.misere)? };
        if self.interactive {
            if self.record.is_some() && game != Game::Sprouts {
                let reason = format!("a record of the association knows no {game}");
                return Err(Usage(format!("{reason}; leave out --record")).into());
            }
            let minutes = self.record.map(|file| Minutes::begin(file, &position, self.misere));
            return play(&mut known, position, minutes.transpose()?);
        }
        let strategy = known.strategy(&position, self.depth)?;
        let strategy = strategy.ok_or_else(|| {
            let remedy = match &self.source.certificate {
                Some(_) => "give a certificate of this position; `sprig certify` makes one",
                None => "solve it into the same database",
            };
            anyhow!("the facts do not say who wins `{typed}`; {remedy}")
        })?;
        output::answer(&self.format, &strategy)
    }
}

impl Source {
    fn facts(&self, game: Game, misere: bool) -> anyhow::Result<Facts> {
        #[cfg(feature = "coordinator")]
        if let Some(folder) = &self.db {
            let reader = crate::database::read_to_answer(folder)?.of(game);
            return if misere {
                stored_losses(&reader)
            } else {
                Ok(Facts::Stored(Box::new(reader)))
            };
        }
        let path = self.certificate.as_deref().expect("one of both is required");
        let certificate = Certificate::read(path)?;
        let about = certificate.header().game;
        if about != certified(game) {
            bail!("{} is about {about}, not {game}: say --variant {about}", path.display());
        }
        match &certificate.header().play {
            Certified::Misere { base } if misere => certified_losses(game, &certificate, base),
            Certified::Normal if !misere => certified_nimbers(&certificate),
            Certified::Normal => {
                bail!("{} is about normal play: leave out --misere", path.display())
            }
            Certified::Misere { .. } => {
                bail!("{} is about misère play: add --misere", path.display())
            }
        }
    }
}

fn certified_nimbers(certificate: &Certificate) -> anyhow::Result<Facts> {
    let mut facts = HashMap::new();
    for fact in certificate.facts() {
        let fact = fact?;
        let lands = CanonicalPosition::of(&fact.land);
        facts.extend(lands.lands().iter().map(|land| (land.clone(), fact.nimber)));
    }
    Ok(Facts::Certified(facts))
}

fn certified_losses(game: Game, certificate: &Certificate, of: &Position) -> anyhow::Result<Facts> {
    let losses = certificate.losses().map(|loss| Ok(written_canonically(&loss?)));
    let losses = losses.collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Facts::Losses(Box::new(Losses::new(base_of(game, of)?, [], &losses)?)))
}

#[cfg(feature = "coordinator")]
fn stored_losses(reader: &sprig_store::Reader) -> anyhow::Result<Facts> {
    let known = crate::database::lost_nodes(reader)?;
    Ok(Facts::Losses(Box::new(Losses::new(sprig_audit::base_of(reader)?, known, &[])?)))
}

/// The record of a game.
struct Minutes {
    file: PathBuf,
    spots: u32,
    play: Play,
    /// Whether the program makes the first move.
    is_first: bool,
    positions: Vec<CanonicalPosition>,
}

impl Minutes {
    fn begin(file: PathBuf, start: &CanonicalPosition, misere: bool) -> anyhow::Result<Self> {
        if file.exists() {
            let file = file.display();
            let remedy = "name another one, or move it away";
            return Err(Usage(format!("{file} is there already, and is kept; {remedy}")).into());
        }
        let spots = written::spots(start);
        let spots = spots.map_err(|error| Usage(format!("{error}; leave out --record")))?;
        let play = if misere { Play::Misere } else { Play::Normal };
        Ok(Self { file, spots, play, is_first: false, positions: Vec::new() })
    }

    /// Writes the whole record anew. `wins` says whether the program has won.
    fn write(&self, wins: Option<bool>) -> anyhow::Result<()> {
        let names = if self.is_first { ["Sprig", "Person"] } else { ["Person", "Sprig"] };
        let moves = written::followed(self.spots, &self.positions)?;
        let first_wins = wins.map(|wins| wins == self.is_first);
        let text = written::text(self.spots, self.play, names, moves, first_wins);
        draft::write(&self.file, text.as_bytes()).context("the record of the game ends here")
    }
}

/// Adds a position to the record, if one is kept.
fn note(minutes: &mut Option<Minutes>, position: &CanonicalPosition) -> anyhow::Result<()> {
    let Some(minutes) = minutes else { return Ok(()) };
    minutes.positions.push(position.clone());
    minutes.write(None)
}

/// Ends the record.
fn close(minutes: &Option<Minutes>, wins: Option<bool>) -> anyhow::Result<()> {
    minutes.as_ref().map_or(Ok(()), |minutes| minutes.write(wins))
}

/// Plays the winner against a person.
fn play(
    known: &mut Known,
    mut position: CanonicalPosition,
    mut minutes: Option<Minutes>,
) -> anyhow::Result<ExitCode> {
    let mut lines = std::io::stdin().lock().lines();
    if let Some(winning) = known.winning_move(&position)? {
        output::print(format!("I move to {winning}\n"))?;
        position = winning;
        if let Some(minutes) = &mut minutes {
            minutes.is_first = true;
        }
        note(&mut minutes, &position)?;
    }
    loop {
        let moves = known.game.children(&position)?;
        if moves.is_empty() {
            let end = if known.is_misere() { "win, against what was proved" } else { "lose" };
            close(&minutes, Some(!known.is_misere()))?;
            output::print(format!("You have no move left: you {end}.\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let listed = moves.iter().enumerate().map(|(i, child)| format!("  {} {child}\n", i + 1));
        output::print(listed.collect::<String>())?;
        let chosen = loop {
            prompt!("Your move, 1 to {}: ", moves.len());
            std::io::stderr().flush()?;
            let Some(line) = lines.next().transpose()? else {
                remark!("");
                close(&minutes, None)?;
                return Ok(ExitCode::SUCCESS);
            };
            let number = line.trim().parse::<usize>().ok();
            if let Some(child) = number.and_then(|n| moves.get(n.checked_sub(1)?)) {
                break child;
            }
            let remedy = "say the number of a move; Ctrl-D leaves, `sprig play` can do more";
            remark!("sprig: {} is no move here: {remedy}", quote(line.trim()));
        };
        note(&mut minutes, chosen)?;
        if known.is_misere() && chosen.lands().is_empty() {
            close(&minutes, Some(true))?;
            output::print("I have no move left: you lose.\n")?;
            return Ok(ExitCode::SUCCESS);
        }
        let answer = known.winning_move(chosen)?;
        position =
            answer.ok_or_else(|| anyhow!("the facts do not say how to answer `{chosen}`"))?;
        note(&mut minutes, &position)?;
        output::print(format!("I move to {position}\n"))?;
    }
}
