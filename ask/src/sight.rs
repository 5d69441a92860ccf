//! What searches see, and what people wish of them, as commands and `/v1` show it.

use serde::Serialize;
use sprig_campaign::MAX_SPOTS;
use sprig_campaign::plan::{effort, measured};
use sprig_domain::{Branch, Goal, Place, Question, Ruleset, View, Wish};
use sprig_proto::{Job, Looker, Sight};

use crate::JobRow;

/// A job with its wishes, and what its searches see of a place.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct SightRow {
    /// The job.
    pub job: JobRow,
    /// Where people want its searches to go: the wishes that hold, and the latest that do not.
    pub wishes: Vec<WishRow>,
    /// Its workers, the oldest lease first.
    pub workers: Vec<LookerRow>,
    /// What the job may take in all; none unless it asks for the outcome of a start position whose
    /// like was measured.
    pub expected: Option<ExpectedRow>,
}

/// Expansions that one search may need for a start position that begins with nothing, judged by
/// start positions that were measured. Several workers repeat some of each other's work, and known
/// facts save some.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug, schemars::JsonSchema)]
pub struct ExpectedRow {
    /// It is rarely less: nine times in ten the truth lies between this and `high`.
    pub low: u64,
    /// As likely too low as too high.
    pub likely: u64,
    /// It is rarely more.
    pub high: u64,
}

impl ExpectedRow {
    /// What a job with this goal may take.
    fn of(goal: &Goal) -> Option<Self> {
        let starts = |spots: u16| goal.position().to_string() == format!("0*{spots}");
        let asks = goal.ruleset() == Ruleset::NORMAL && goal.question() == Question::OUTCOME;
        let spots = asks.then(|| (1..=MAX_SPOTS).find(|&spots| starts(spots))).flatten()?;
        let expected = effort(spots, &measured()).ok()?.expansions;
        let [low, likely, high] =
            [expected.low(), expected.likely, expected.high()].map(|number| rounded(number as u64));
        Some(Self { low, likely, high })
    }
}

/// A job with its wishes.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct WishesRow {
    /// The job.
    pub job: JobRow,
    /// The wishes for it: those that hold, and the latest that do not.
    pub wishes: Vec<WishRow>,
}

/// A wish.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct WishRow {
    /// Its number within the job.
    pub number: u32,
    /// `pin`, `boost` or `ban`.
    pub kind: &'static str,
    /// The position of its place, in canonical form.
    pub position: String,
    /// The heap beside it.
    pub heap: u8,
    /// Who has made it.
    pub by: Option<String>,
    /// When, in milliseconds of Unix time.
    pub made: u64,
    /// When it ends, in milliseconds of Unix time; none: when its place is decided.
    pub until: Option<u64>,
    /// Expansions that workers have spent on it.
    pub expansions: u64,
    /// How it ended; none while it holds.
    pub end: Option<String>,
}

/// A worker of a job.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct LookerRow {
    /// A fingerprint of its identity.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it works at.
    pub at: String,
    /// The wish that has sent it there; none: it works at the goal of the job, or at a leaf of it.
    pub wish: Option<u32>,
    /// Expansions for this job since it got it.
    pub expansions: u64,
    /// How long ago it said so, in milliseconds.
    pub age: u64,
    /// What it sees; none if it has not come there, knows the answer, or did not answer in time.
    pub view: Option<ViewRow>,
}

/// What a search sees of a place.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct ViewRow {
    /// The place.
    pub at: BranchRow,
    /// Where the search goes from there: an option of it, an option of that, and so on.
    pub line: Vec<BranchRow>,
    /// Its first open options in the order of the search.
    pub options: Vec<BranchRow>,
    /// How many options are open.
    pub open: u32,
}

/// A place, and what a search guesses of it.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct BranchRow {
    /// The place in words: a position, `POSITION + *HEAP`, or a node of misère play.
    pub place: String,
    /// Its position, if it is one.
    pub position: Option<String>,
    /// The heap beside the position.
    pub heap: Option<u8>,
    /// Work left to prove that the player to move wins, as it seems.
    pub proof: u32,
    /// Work left to prove that the player to move loses, as it seems.
    pub disproof: u32,
    /// Threads of the search that are at work there.
    pub walks: u32,
}

/// A guess, to two digits.
fn rounded(guess: u64) -> u64 {
    let unit = 10u64.pow(guess.checked_ilog10().unwrap_or(0).saturating_sub(1));
    guess / unit * unit
}

/// A goal in words.
fn place(goal: &Goal) -> String {
    Place::Goal(goal.clone()).to_string()
}

impl From<Sight> for SightRow {
    fn from(Sight { job, lookers }: Sight) -> Self {
        let wishes = job.wishes.iter().map(WishRow::from).collect();
        let workers = lookers.into_iter().map(LookerRow::from).collect();
        let expected = ExpectedRow::of(&job.goal);
        Self { job: job.into(), wishes, workers, expected }
    }
}

impl From<Job> for WishesRow {
    fn from(job: Job) -> Self {
        let wishes = job.wishes.iter().map(WishRow::from).collect();
        Self { wishes, job: job.into() }
    }
}

impl From<&Wish> for WishRow {
    fn from(wish: &Wish) -> Self {
        let Wish { number, kind, at, by, made, until, expansions, end } = wish;
        Self {
            number: *number,
            kind: kind.word(),
            position: at.position().to_string(),
            heap: at.question().heap().get(),
            by: Some(by.clone()).filter(|by| !by.is_empty()),
            made: *made,
            until: *until,
            expansions: *expansions,
            end: end.as_ref().map(ToString::to_string),
        }
    }
}

impl From<Looker> for LookerRow {
    fn from(looker: Looker) -> Self {
        let Looker { worker, name, goal, wish, expansions, age, view } = looker;
        let (id, at, view) = (worker.to_string(), place(&goal), view.map(ViewRow::from));
        Self { id, name, at, wish, expansions, age, view }
    }
}

impl From<View> for ViewRow {
    fn from(View { at, line, options, open }: View) -> Self {
        let rows = |branches: Vec<Branch>| branches.into_iter().map(BranchRow::from).collect();
        Self { at: at.into(), line: rows(line), options: rows(options), open }
    }
}

impl From<Branch> for BranchRow {
    fn from(branch: Branch) -> Self {
        let Branch { place, proof, disproof, walks } = branch;
        let goal = place.goal();
        Self {
            place: place.to_string(),
            position: goal.map(|goal| goal.position().to_string()),
            heap: goal.map(|goal| goal.question().heap().get()),
            proof,
            disproof,
            walks,
        }
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::{CanonicalPosition, Position};

    use super::*;

    #[test]
    fn only_start_positions_whose_like_was_measured_have_a_forecast() {
        let position = |text: &str| CanonicalPosition::of(&text.parse::<Position>().expect("one"));
        let of = |text| ExpectedRow::of(&Goal::normal(position(text), Question::OUTCOME));
        let expected = of("0*47").expect("it was measured");
        let ExpectedRow { low, likely, high } = expected;
        assert!(low < likely && likely < high, "{expected:?}");
        assert!((500_000..5_000_000).contains(&likely), "{expected:?}");
        assert!(of("0*53").expect("its like was measured").likely > likely);
        assert_eq!((of("0*2.AB|0*4.AB"), of("0*2+0*3")), (None, None));
        assert_eq!([0, 9, 10, 99, 12_345].map(rounded), [0, 9, 10, 99, 12_000]);
        let nimber = Goal::normal(position("0*47"), Question::Nimber);
        assert_eq!(ExpectedRow::of(&nimber), None);
    }
}
