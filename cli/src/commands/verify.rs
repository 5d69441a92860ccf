//! `sprig verify`: checks a certificate.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_verify::{Bases, CheckedBase, Manner, Step, in_words};

use crate::certificate::{Certificate, on_all};
use crate::failure::{Interrupted, one_line};
use crate::output::{self, Answer, Format};
use crate::steps::Steps;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig verify 14.cert                   is the proof right?
  sprig verify 14.cert --json            for programs
  sprig verify certificates/*/*.cert     all of them, a line each, also after one that is wrong
  sprig certify '0*8' --db facts --text -o - | sprig verify -";

/// Check certificates, step by step, with rules that share nothing with the search
///
/// Reads text, packed or not, and the compact form of earlier versions. Says of each file what was proved, or exactly
/// which step is wrong. Needs no database; memory is about 200 bytes a fact and 100 MB for each thread at most, in
/// misère play 300 MB for all threads together. For misère play, the trees of all lands of the certificate's base are
/// found first, once for certificates in a row that name the same.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Verify {
    /// The certificates; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = crate::memory::count)]
    threads: Option<NonZero<u16>>,
    /// Give up after S seconds, all files together
    #[arg(long, value_name = "S")]
    max_seconds: Option<NonZero<u64>>,
    /// Find the trees of a base that is larger than that of six spots, which takes hours and gigabytes
    #[arg(long)]
    large_base: bool,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Verified {
    /// The file, as it was typed.
    file: String,
    position: String,
    game: &'static str,
    play: String,
    claim: String,
    verified: bool,
    facts: u64,
    /// Most lives of a certified land; in misère play of one that is not in the base.
    lives: u32,
    /// Options that were looked at.
    options: u64,
    /// In misère play.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Base>,
    seconds: f64,
    #[serde(skip)]
    words: String,
    /// The play, for people.
    #[serde(skip)]
    played: &'static str,
}

/// What a check found out of a base.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Base {
    position: String,
    lands: u64,
    trees: u64,
    /// Facts with lands that are not in the base.
    facts_with_lands: u64,
}

impl From<CheckedBase> for Base {
    fn from(CheckedBase { position, lands, trees, facts_with_lands }: CheckedBase) -> Self {
        Self { position, lands, trees, facts_with_lands }
    }
}

/// A certificate that proves nothing, while others may.
#[derive(Serialize)]
struct Unverified {
    file: String,
    error: String,
}

impl Answer for Verified {
    fn text(&self) -> String {
        let Self { position, game, facts, lives, options, base, seconds, words, played, .. } = self;
        let base = base.as_ref().map(|base| {
            let Base { position, lands, trees, facts_with_lands } = base;
            format!(
                "with lands  {facts_with_lands} of the facts\n\
                 base        {} of `{position}` with {}, found again\n",
                plural(*lands, "land"),
                plural(*trees, "tree")
            )
        });
        let how = match *game {
            "sprouts" => String::new(),
            other => format!("{other}, "),
        };
        let largest = match lives {
            0 => String::new(),
            lives => format!(", the largest with {lives} lives"),
        };
        format!(
            "proved      `{position}`: {words}, {how}{played} play\nfacts       {facts}{largest}\n\
             {}options     {options}\nseconds     {seconds:.2}\n",
            base.unwrap_or_default()
        )
    }

    fn line(&self) -> String {
        format!("{}\t{}\t{}", self.position, self.play, self.claim)
    }
}

impl Verify {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let cores = || {
            let cores = std::thread::available_parallelism().ok()?.get();
            NonZero::new(u16::try_from(cores).unwrap_or(u16::MAX))
        };
        let threads = self.threads.or_else(cores).map_or(1, |threads| threads.get().into());
        let (begun, stop) = (Instant::now(), Stop::flag(self.max_seconds)?);
        let crew = |work: &(dyn Fn() + Sync)| on_all(threads, work);
        let manner = Manner { crew: &crew, large_base: self.large_base, stop: &stop };
        let mut bases = Bases::default();
        let mut check = |file: &Path| {
            verified(file, &mut bases, &manner).map_err(|error| {
                if !stop.load(Relaxed) {
                    return error;
                }
                let file = file.display();
                match self.max_seconds.map(NonZero::get) {
                    Some(seconds) if begun.elapsed().as_secs() >= seconds => error.context(format!(
                        "{file} could not be checked in {seconds} seconds; --max-seconds allows more"
                    )),
                    _ => Interrupted::new(format!("{file} was not checked to its end")).into(),
                }
            })
        };
        if let [file] = &self.files[..] {
            return output::answer(&self.format, &check(file)?);
        }
        let mut code = ExitCode::SUCCESS;
        for file in &self.files {
            let name = file.display().to_string();
            output::print(match check(file) {
                Ok(answer) if self.format.json => output::json(&answer)?,
                Ok(answer) => format!("{name}\t{}\n", answer.line()),
                // Whoever stops it, or the end of the time, means all files that are left.
                Err(error) if stop.load(Relaxed) => return Err(error),
                Err(error) => {
                    code = ExitCode::FAILURE;
                    let error = one_line(&error);
                    remark!("sprig: {error}");
                    match self.format.json {
                        true => output::json(&Unverified { file: name, error })?,
                        false => format!("{name}\terror\n"),
                    }
                }
            })?;
        }
        Ok(code)
    }
}

fn verified(file: &Path, bases: &mut Bases, manner: &Manner<'_>) -> anyhow::Result<Verified> {
    let start = Instant::now();
    let certificate = Certificate::read(file)?;
    let header = certificate.header();
    let steps = Steps::start(header.facts);
    let checked = certificate.check(bases, manner, |step| match step {
        Step::Fact(done) => steps.show(done),
        Step::Base(done, met) => steps.say(|| format!("trees of {done} of {met} lands")),
    })?;
    Ok(Verified {
        file: file.display().to_string(),
        position: header.position.to_string(),
        game: header.game.name(),
        play: header.play.to_string(),
        claim: header.claim.to_string(),
        verified: true,
        facts: header.facts,
        lives: checked.lives,
        options: checked.options,
        base: checked.base.map(Base::from),
        seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
        words: in_words(header),
        played: header.play.word(),
    })
}
