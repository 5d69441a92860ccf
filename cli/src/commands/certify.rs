//! `sprig certify`: a small proof that anyone can check.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};
use clap::Args;
use serde::Serialize;
use sprig_certificate::{Claim, Fact, Facts, Form, Header, Loss, Play};
use sprig_certify::{CertifyError, Extract, Losses, Nimbers, Rules, Settings, Written};
use sprig_domain::Game;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position, Watched, notation};
use sprig_store::{Kind, Reader, Status, Value};
use sprig_verify::in_words;

use crate::certificate::Certificate;
use crate::counted::counted;
use crate::database;
use crate::draft;
use crate::duration::duration;
use crate::output::{self, Answer, Format};
use crate::positions::OnePosition;
use crate::steps::Steps;
use crate::stop::Stop;
use crate::strategy::{base_of, written_canonically};
use crate::variant::{Variant, certified};

/// Changes that are tried between two looks at the clock.
const STEPS: u64 = 64;

/// The temperature at the start: a proof with one fact more is accepted one time in e. It falls to
/// 0.
const TEMPERATURE: f64 = 1.0;

const EXAMPLES: &str = "\
Examples:
  sprig solve '0*14' --db facts && sprig certify '0*14' --db facts -o 14.cert
  sprig certify '0*14' --db facts -o 14.cert --minimize 10m
                                         look for a smaller one for ten minutes
  sprig certify '0*14' --db facts -o 14.cert --from 14.cert --minimize 1h
                                         go on from there
  sprig certify '0*5' --db facts -o 5.txt --text --nimber
                                         the exact nimber, to be read by a person
  sprig solve '0*9' --misere --db facts && sprig certify '0*9' --misere --db facts -o 9.cert
                                         who wins when the last to move loses
  sprig certify '0*4' --variant black-and-white --db facts -o 4.cert
                                         of another game";

/// Write a certificate: few facts that prove the outcome or nimber
///
/// The facts come out of a database into which the position has been solved; the more of other positions it holds, the smaller
/// the certificate becomes. `sprig verify` checks it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Certify {
    #[command(flatten)]
    position: OnePosition,
    /// Folder of a database
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// The file to write; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Prove the exact nimber; without it, a win is no more than a win
    #[arg(long)]
    nimber: bool,
    /// Prove who wins when the last to move loses
    #[arg(long, conflicts_with_all = ["nimber", "small"])]
    misere: bool,
    #[command(flatten)]
    variant: Variant,
    /// For --misere: lands of the game tree of this position stand for their trees, which `sprig verify` finds again
    /// [default: 0*5 for lands of up to 33 lives, else 0*6]
    #[arg(long, value_name = "POSITION", requires = "misere")]
    base: Option<String>,
    /// Write the text alone, for people; without it, the text compressed by gzip
    #[arg(long)]
    text: bool,
    /// Look for smaller proofs for so long, as in 90s, 10m or 2h; Ctrl-C ends it earlier
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5s")]
    minimize: Duration,
    /// Time to look, afterwards, for a number of facts below which no proof can be made
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s")]
    bound: Duration,
    /// Begin with the facts of another certificate
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Find the nimbers of all lands of at most LIVES lives, whether or not the database knows them
    #[arg(long, value_name = "LIVES", default_value = "9")]
    small: u16,
    /// What random choices start from
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Threads that work out what facts need, in normal play [default: all cores]
    #[arg(long, value_name = "T", value_parser = crate::memory::count)]
    threads: Option<NonZero<u16>>,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Certified {
    position: String,
    game: &'static str,
    play: String,
    claim: String,
    /// In misère play.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    facts: u64,
    /// Of fewer facts, the command can make no proof from what it knows; none if that was not looked for, or not found.
    bound: Option<u64>,
    bytes: u64,
    seconds: f64,
    #[serde(skip)]
    words: String,
}

impl Answer for Certified {
    fn text(&self) -> String {
        let Self { words, facts, bound, bytes, seconds, .. } = self;
        let bound = bound.map_or_else(String::new, |bound| {
            format!("bound       {bound}: certify can make no proof of fewer from what it knows\n")
        });
        format!(
            "proves      {words}\nfacts       {facts}\n{bound}bytes       {bytes}\nseconds     {seconds:.2}\n"
        )
    }

    fn line(&self) -> String {
        format!("{} {}", self.claim, self.facts)
    }
}

impl Certify {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let start = Instant::now();
        let (typed, position) = self.position.read()?;
        if self.output != Path::new("-") {
            draft::check(&self.output)?;
        }
        let (header, facts, bound) = if self.misere {
            self.losses(&typed, position)?
        } else {
            self.nimbers(&typed, position)?
        };
        let bytes = self.write(&header, &facts)?;
        if self.output == Path::new("-") {
            return Ok(ExitCode::SUCCESS);
        }
        let base = match &header.play {
            Play::Normal => None,
            Play::Misere { base } => Some(base.to_string()),
        };
        output::answer(
            &self.format,
            &Certified {
                position: typed,
                game: header.game.name(),
                play: header.play.to_string(),
                claim: header.claim.to_string(),
                base,
                facts: header.facts,
                bound: (bound > 0).then_some(bound),
                bytes,
                seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
                words: in_words(&header),
            },
        )
    }

    fn nimbers(&self, typed: &str, position: Position) -> anyhow::Result<(Header, Facts, u64)> {
        let mut known = BTreeMap::new();
        let first = self.first_nimbers(&mut known)?;
        let read = AtomicU64::new(0);
        counted(
            "facts read",
            || read.load(Relaxed),
            || {
                for stored in self.database()?.facts(Kind::Nimber) {
                    let fact = stored?.fact;
                    if let (Value::Nimber(nimber), Status::Verified) = (fact.value, fact.status) {
                        known.insert(fact.subject, nimber);
                    }
                    read.fetch_add(1, Relaxed);
                }
                anyhow::Ok(())
            },
        )?;
        let claim =
            if self.nimber { sprig_certify::Claim::Nimber } else { sprig_certify::Claim::Outcome };
        let canonical = CanonicalPosition::of(&position);
        let extract = self.first_proof(|settings| {
            Extract::<Nimbers>::new(known, &first, &canonical, claim, settings)
        });
        let mut extract = extract.map_err(|error| self.unproved(typed, error))?;
        let bound = self.minimize(&mut extract)?;
        let claim = match extract.nimber() {
            None => Claim::Win,
            Some(Nimber::ZERO) => Claim::Loss,
            Some(nimber) => Claim::Nimber(nimber),
        };
        let fact = |(land, nimber): (CanonicalLand, _)| Fact { land: written([&land]), nimber };
        let facts = Facts::Nimbers(extract.facts().map(fact).collect());
        let header = Header {
            game: self.game(),
            play: Play::Normal,
            position,
            claim,
            facts: extract.size() as u64,
        };
        Ok((header, facts, bound))
    }

    fn losses(&self, typed: &str, position: Position) -> anyhow::Result<(Header, Facts, u64)> {
        let canonical = CanonicalPosition::of(&position);
        let named = self
            .base
            .as_ref()
            .map(|base| notation::read(base).map_err(|error| anyhow!("base `{base}`: {error}")));
        let named = named
            .transpose()?
            .unwrap_or_else(|| Position::start(sprig_misere::base_of(&canonical)));
        let first = self.first_losses()?;
        let known = database::lost_nodes(&self.database()?)?;
        let losses = Losses::new(base_of(self.variant.game(), &named)?, known, &first)?;
        let extract =
            self.first_proof(|settings| Extract::<Losses>::new(losses, &canonical, settings));
        let mut extract = extract.map_err(|error| self.unproved(typed, error))?;
        let bound = self.minimize(&mut extract)?;
        let claim = if extract.is_loss() { Claim::Loss } else { Claim::Win };
        let loss = |node: Written| Loss {
            lands: written(node.lands.lands()),
            sums: node.sums.iter().map(|sum| written(sum.lands())).collect(),
        };
        let losses: Vec<Loss> = extract.facts()?.into_iter().map(loss).collect();
        let play = Play::Misere { base: named };
        let header =
            Header { game: self.game(), play, position, claim, facts: losses.len() as u64 };
        Ok((header, Facts::Losses(losses), bound))
    }

    /// The facts of the game in the database.
    fn database(&self) -> anyhow::Result<Reader> {
        Ok(database::read_to_answer(&self.db)?.of(self.variant.game()))
    }

    /// The name of the game in certificates.
    fn game(&self) -> sprig_certificate::Game {
        certified(self.variant.game())
    }

    /// Makes the first proof, and shows how far that is. It has no flag to stop, as Ctrl-C ends only
    /// the search for a smaller proof.
    fn first_proof<T>(&self, make: impl FnOnce(Settings) -> T) -> T {
        let Self { small, seed, .. } = *self;
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let threads = self.threads.map_or(cores, NonZero::from);
        let watched = Arc::<Watched>::default();
        let game = self.variant.game();
        let settings = Settings { game, small, seed, threads, watched: watched.clone() };
        counted("moves answered", || watched.steps(), || make(settings))
    }

    fn unproved(&self, typed: &str, error: CertifyError) -> anyhow::Error {
        let CertifyError::Missing(_) = error else { return error.into() };
        let play = match (self.nimber, self.misere) {
            (true, _) => " --nimber",
            (_, true) => " --misere",
            _ => "",
        };
        let game = match self.variant.game() {
            Game::Sprouts => String::new(),
            other => format!(" --variant {other}"),
        };
        let how = play.to_owned() + &game;
        let db = self.db.display();
        anyhow!(
            "the facts in {db} do not prove `{typed}`; run `sprig solve '{typed}'{how} --db {db}` first"
        )
    }

    /// The lands of the certificate to begin with. Its facts are added to the known ones.
    fn first_nimbers(
        &self,
        known: &mut BTreeMap<Box<[u8]>, Nimber>,
    ) -> anyhow::Result<Vec<CanonicalLand>> {
        let Some(path) = &self.from else { return Ok(Vec::new()) };
        let mut first = Vec::new();
        for fact in self.of_this_play(path)?.facts() {
            let Fact { land, nimber } = fact?;
            for land in CanonicalPosition::of(&land).lands() {
                known.insert(land.key().into(), nimber);
                first.push(land.clone());
            }
        }
        Ok(first)
    }

    /// The lost nodes of the certificate to begin with.
    fn first_losses(&self) -> anyhow::Result<Vec<Written>> {
        let Some(path) = &self.from else { return Ok(Vec::new()) };
        let certificate = self.of_this_play(path)?;
        certificate.losses().map(|loss| Ok(written_canonically(&loss?))).collect()
    }

    fn of_this_play(&self, path: &Path) -> anyhow::Result<Certificate> {
        let certificate = Certificate::read(path)?;
        let is_misere = matches!(certificate.header().play, Play::Misere { .. });
        let play = certificate.header().play.word();
        ensure!(
            is_misere == self.misere && certificate.header().game == self.game(),
            "{} is a certificate of {}, {play} play: begin with one of the same game and play",
            path.display(),
            certificate.header().game
        );
        Ok(certificate)
    }

    /// Looks for a smaller proof, and then for a number of facts below which there is none.
    fn minimize<R: Rules>(&self, extract: &mut Extract<R>) -> anyhow::Result<u64> {
        let stop = Stop::flag(None)?;
        let (start, tenths) = (Instant::now(), |time: Duration| (time.as_secs_f64() * 10.0) as u64);
        let progress = Steps::start(tenths(self.minimize));
        while start.elapsed() < self.minimize && !stop.load(Relaxed) {
            let gone = start.elapsed().as_secs_f64() / self.minimize.as_secs_f64();
            extract.minimize(STEPS, TEMPERATURE * (1.0 - gone) * (1.0 - gone))?;
            progress.show(tenths(start.elapsed()));
            progress.say(|| format!("{} facts", extract.size()));
        }
        // What goes to standard output comes alone.
        let time = if self.output == Path::new("-") { Duration::ZERO } else { self.bound };
        progress.say(|| format!("{} facts, and a bound", extract.size()));
        let start = Instant::now();
        Ok(extract.bound(|| start.elapsed() < time && !stop.load(Relaxed)) as u64)
    }

    /// Writes the certificate and returns its length.
    fn write(&self, header: &Header, facts: &Facts) -> anyhow::Result<u64> {
        let form = if self.text { Form::Text } else { Form::Gzip };
        let mut bytes = Vec::new();
        sprig_certificate::write(header, facts, form, &mut bytes)?;
        if self.output == Path::new("-") {
            output::print(&bytes)?;
        } else {
            draft::write(&self.output, &bytes)?;
        }
        Ok(bytes.len() as u64)
    }
}

/// Lands as a written position.
fn written<'a>(lands: impl IntoIterator<Item = &'a CanonicalLand>) -> Position {
    Position(lands.into_iter().map(CanonicalLand::to_land).collect())
}
