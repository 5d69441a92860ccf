//! What searches see, and what people wish of them, as commands and `/v1` show it.

use serde::Serialize;
use sprig_domain::{Branch, Goal, Place, View, Wish};
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
    /// The wish that has sent it there; none: it works at the goal of the job.
    pub wish: Option<u32>,
    /// Expansions since it started.
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

/// A goal in words.
fn place(goal: &Goal) -> String {
    Place::Goal(goal.clone()).to_string()
}

impl From<Sight> for SightRow {
    fn from(Sight { job, lookers }: Sight) -> Self {
        let wishes = job.wishes.iter().map(WishRow::from).collect();
        let workers = lookers.into_iter().map(LookerRow::from).collect();
        Self { job: job.into(), wishes, workers }
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
