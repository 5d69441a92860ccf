//! What wishes would gain: a search whose first options are pinned or banned, one at a time.

use serde::Serialize;
use sprig_domain::{Goal, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_search::{Limits, Solver};

/// Expansions after which the options are looked at that are wished for.
const BEFORE: u64 = 500;

/// A search alone, and with each wish.
#[derive(Serialize)]
pub struct Wishes {
    /// The position.
    pub position: String,
    /// Expansions of the search without a wish.
    pub expansions: u64,
    /// The options of the start, the first in the order of the search first.
    pub options: Vec<Wished>,
}

/// An option that is wished for from the beginning.
#[derive(Serialize)]
pub struct Wished {
    /// The option.
    pub place: String,
    /// The outcome of the option, for the opponent.
    pub win: bool,
    /// Expansions when it is decided first, and then the position.
    pub pinned: u64,
    /// Expansions when it is banned; `None` for a sum of lands.
    pub banned: Option<u64>,
}

/// Solves a position alone, and with each of its first options pinned, and banned.
///
/// # Errors
/// When a search gives up, in words.
pub fn wishes(position: &CanonicalPosition, count: usize) -> Result<Wishes, String> {
    let limits = Limits { memory: 4 << 30, threads: 1 };
    let solve = |solver: &Solver, position: &CanonicalPosition, question, expansions| {
        solver.solve(position, question, expansions, &()).map_err(|error| error.to_string())
    };
    let alone = Solver::new(limits);
    solve(&alone, position, Question::OUTCOME, BEFORE)?;
    let view = alone.view(position, Question::OUTCOME, count);
    let verdict = solve(&alone, position, Question::OUTCOME, u64::MAX)?;
    let places = view.into_iter().flat_map(|view| view.options);
    let goals: Vec<Goal> = places.filter_map(|option| option.place.goal().cloned()).collect();
    let mut options = Vec::new();
    for goal in goals {
        let pinned = Solver::new(limits);
        let decided = solve(&pinned, goal.position(), goal.question(), u64::MAX)?;
        if solve(&pinned, position, Question::OUTCOME, u64::MAX)? != verdict {
            return Err(format!("a pin has changed the answer of {position}"));
        }
        let banned = match goal.position().lands() {
            [land] => Some(banned(position, land, &goal, verdict, limits)?),
            _ => None,
        };
        options.push(Wished {
            place: sprig_domain::Place::Goal(goal.clone()).to_string(),
            win: decided == Verdict::Win,
            pinned: pinned.figures().expansions,
            banned,
        });
    }
    let expansions = alone.figures().expansions;
    Ok(Wishes { position: position.to_string(), expansions, options })
}

fn banned(
    position: &CanonicalPosition,
    land: &CanonicalLand,
    goal: &Goal,
    verdict: Verdict,
    limits: Limits,
) -> Result<u64, String> {
    let solver = Solver::new(limits);
    solver.avoid([(land, goal.question().heap())]);
    let found = solver.solve(position, Question::OUTCOME, u64::MAX, &());
    if found.map_err(|error| error.to_string())? != verdict {
        return Err(format!("a ban has changed the answer of {position}"));
    }
    Ok(solver.figures().expansions)
}
