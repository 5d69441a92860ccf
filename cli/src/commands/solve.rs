//! `sprig solve`: who wins.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use sprig_domain::{Game, Goal, NotAsked, Play, Question, Ruleset};
use sprig_engine::{CanonicalPosition, Nimber};
use sprig_worker::Shutdown;

use crate::database::{self, Database};
use crate::embedded::Embedded;
use crate::failure::{Failure, Interrupted, Usage, quote};
use crate::memory::{Bounds, count};
use crate::output::{self, Format};
use crate::positions::{Positions, Several};
use crate::solved::{Show, Solved};
use crate::sums::{WrittenSum, is_sum};
use crate::trees::{Trees, take_over};
use crate::variant::Variant;

const EXAMPLES: &str = "\
Examples:
  sprig solve 14                         who wins 14-spot Sprouts?
  sprig solve 7 8 '0*2.AB|AB'            a line for each
  sprig solve '0*14' --nimber --db facts the nimber too; the proved facts stay in `facts`
  sprig solve '0*2.AB|AB+22' --json      for programs
  sprig solve '0*12' --misere --db facts who wins when the last to move loses?
  sprig solve '0*8+1+{2}' --misere       a position beside the Nim-heap 1 and the tree {2}
  sprig solve '0*9' --heap 3             a position beside the Nim-heap 3, in normal play
  sprig solve 6 --variant black-and-white
                                         the mover may leave the new spot out
  sprig solve --file positions.txt       POSITION<TAB>win or loss for every line
  seq -f '0*%g' 1 12 | sprig solve --file - --json";

/// Prove who wins a position: win or loss for the player to move
///
/// Runs a coordinator and workers inside this process, on the same protocol and database as a cluster. With --db,
/// what is known is answered at once, and what is proved is kept for the next time, also after Ctrl-C.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Solve {
    #[command(flatten)]
    positions: Positions,
    /// Find the nimber too
    #[arg(long)]
    nimber: bool,
    /// Who cannot move wins. The first time, the trees of all small lands are found (seconds); --db keeps them, too
    #[arg(long, conflicts_with = "nimber")]
    misere: bool,
    /// Who wins the position beside a Nim-heap of this size? If it is a loss, N is the nimber of the position
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["nimber", "misere"])]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=63))]
    heap: u8,
    /// For --misere: folder of another database whose trees to start from
    #[arg(long, value_name = "DIR", requires = "misere")]
    base: Option<PathBuf>,
    #[command(flatten)]
    variant: Variant,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    format: Format,
}

/// How to search, for `solve` and `nimber`.
#[derive(Args)]
pub struct Search {
    /// Folder of the database; it is made where there is none [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    /// Workers inside this process
    #[arg(long, value_name = "W", default_value = "1", value_parser = count)]
    workers: NonZero<u16>,
    #[command(flatten)]
    bounds: Bounds,
}

impl Search {
    /// Proves the goal that `asks` makes of each position, in a database that gets the trees of the
    /// one in `base`.
    ///
    /// # Errors
    /// As [`Positions::answer`], and when the database or the cluster inside fails.
    pub fn run(
        &self,
        positions: &Positions,
        format: &Format,
        base: Option<&Path>,
        asks: impl Fn(CanonicalPosition) -> Result<Goal, NotAsked>,
        show: Show,
    ) -> anyhow::Result<ExitCode> {
        // The cluster is started after the first position has been read, so that a mistake makes no
        // database.
        let mut cluster = None;
        let code = positions.answer(format, |typed, position| {
            let goal = asks(CanonicalPosition::of(position))
                .map_err(|why| Failure::Position(why.into()))?;
            self.cluster(&mut cluster, base)?.prove(typed, goal, show)
        });
        // After a failure the coordinator may be gone, so workers deliver nothing.
        let how = match &code {
            Err(error) if !error.is::<Interrupted>() => Shutdown::Drop,
            _ => Shutdown::Finish,
        };
        let end = cluster.map_or(Ok(()), |cluster: Embedded| cluster.end(how));
        let code = code?;
        end.map(|()| code)
    }

    /// Proves goals, each with its name, one after the other in one database. Each answer is told
    /// as it comes.
    ///
    /// # Errors
    /// When one goal is not proved, and when the database or the cluster inside fails.
    pub fn each(
        &self,
        goals: impl IntoIterator<Item = (String, Goal)>,
        mut tell: impl FnMut(Solved),
    ) -> anyhow::Result<()> {
        let mut cluster = None;
        let solved = goals.into_iter().try_for_each(|(typed, goal)| {
            let solved = self.cluster(&mut cluster, None)?.prove(&typed, goal, Show::Both);
            tell(solved.map_err(|failure| failure.about(&typed))?);
            anyhow::Ok(())
        });
        let how = match &solved {
            Err(error) if !error.is::<Interrupted>() => Shutdown::Drop,
            _ => Shutdown::Finish,
        };
        let end = cluster.map_or(Ok(()), |cluster: Embedded| cluster.end(how));
        solved?;
        end
    }

    /// Says whose limit sets the memory, if a person would not expect it.
    fn say_memory(&self) {
        if let Some(notice) = self.bounds.notice(self.workers) {
            remark!("sprig: {notice}");
        }
    }

    fn cluster<'a>(
        &self,
        cluster: &'a mut Option<Embedded>,
        base: Option<&Path>,
    ) -> anyhow::Result<&'a mut Embedded> {
        if let Some(cluster) = cluster {
            return Ok(cluster);
        }
        self.say_memory();
        let base = base.filter(|&base| self.db.as_deref() != Some(base));
        let base = base.map(database::read_to_answer).transpose()?;
        let memory = self.bounds.of_database(self.workers);
        let database = Database::open_to_answer(self.db.as_deref(), memory)?;
        if let Some(base) = base {
            take_over(&database.store, &base)?;
        }
        let limits = || self.bounds.of_one(self.workers, memory);
        Ok(cluster.insert(Embedded::start(database, self.workers, limits)?))
    }
}

impl Solve {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(written) = self.positions.written(is_sum) {
            return self.sums(&written);
        }
        let Self { positions, nimber, misere, heap, base, variant, search, format } = &self;
        let heap = Nimber::new((*heap).into()).map_err(|error| Usage(error.to_string()))?;
        let (question, show) = if *nimber {
            (Question::Nimber, Show::Both)
        } else {
            (Question::Outcome { heap }, Show::Outcome)
        };
        let play = if *misere { Play::Misere } else { Play::Normal };
        let ruleset = Ruleset { game: variant.game(), play };
        let asks = |position| Goal::new(ruleset, position, question);
        search.run(positions, format, base.as_deref(), asks, show)
    }

    /// Solves sums of positions and trees, one after the other.
    fn sums(&self, written: &[String]) -> anyhow::Result<ExitCode> {
        let sum = written.iter().find(|typed| is_sum(typed)).map_or("", String::as_str);
        let refuse = |what: &str| Err(Usage(format!("{}: {what}", quote(sum))).into());
        if !self.misere {
            return refuse("trees are of misère play: add --misere");
        }
        if self.variant.game() != Game::Sprouts || self.base.is_some() {
            return refuse("sums with trees are solved without --variant and --base");
        }
        let read: Vec<_> =
            written.iter().map(|typed| WrittenSum::read(typed)).collect::<Result<_, _>>()?;
        let one = NonZero::<u16>::MIN;
        let limits = self.search.bounds.of_one(one, self.search.bounds.of_database(one))?;
        let db = self.search.db.as_deref();
        let mut trees = Trees::open(db, limits.threads)?;
        let lost = trees.lost_nodes()?;
        if let [sum] = &read[..] {
            let solved = sum.solve(&mut trees, lost, limits);
            return output::answer(
                &self.format,
                &solved.map_err(|failure| failure.about(&sum.typed))?,
            );
        }
        let mut several = Several { format: &self.format, code: ExitCode::SUCCESS };
        for sum in &read {
            several.print(
                sum.typed.as_bytes(),
                None,
                sum.solve(&mut trees, lost.clone(), limits),
            )?;
        }
        Ok(several.code)
    }
}
