//! What a record may mean: all drawings that fit it so far.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use sprig_engine::CanonicalPosition;
use sprig_oracle::{Card, Move, Table};

use crate::drawing::{degree, drawing, reached, written};
use crate::error::MoveProblem;
use crate::way::{Side, Way};
use crate::{MAX_READINGS, Written};

/// How exactly a record is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Every mark and every list is complete, and the whole record leaves one position.
    Strict,
    /// A record as people write it: a missing `!` costs 1, a spot missing in a list 10. One spot
    /// may stand for its piece.
    Lenient,
}

/// One reading of a record so far.
#[derive(Clone)]
pub struct Reading {
    cost: u32,
    table: Table,
    trail: Rc<Trail>,
}

/// How a reading came about. Many share their first moves, and tables are large.
enum Trail {
    Start(Table),
    Made { made: Move, before: Rc<Trail> },
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {}", self.table(), self.cost)
    }
}

impl Reading {
    /// The cost of what is missing in the record, if this is the reading that is meant.
    #[must_use]
    pub fn cost(&self) -> u32 {
        self.cost
    }

    /// The table now.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The table at the start and after each move.
    ///
    /// # Panics
    /// When a move of the reading cannot be made.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let (mut moves, mut trail) = (Vec::new(), &self.trail);
        let start = loop {
            match &**trail {
                Trail::Start(start) => break start,
                Trail::Made { made, before } => {
                    moves.push(made);
                    trail = before;
                }
            }
        };
        let mut tables = vec![start.clone()];
        for made in moves.into_iter().rev() {
            let after = tables[tables.len() - 1].play(made);
            tables.push(after.expect("it was made before"));
        }
        tables
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> CanonicalPosition {
        position(&self.table)
    }
}

/// The position on a table.
pub(crate) fn position(table: &Table) -> CanonicalPosition {
    CanonicalPosition::of(&table.to_position())
}

/// All drawings that fit a record so far, the cheapest first.
#[derive(Clone, Debug)]
pub struct Readings {
    dialect: Dialect,
    readings: Vec<Reading>,
}

/// Where a move can lead in one of the readings.
struct Candidate {
    cost: u32,
    table: Table,
    made: Move,
    /// The live spots of the region in which the curve runs.
    region: Vec<Card>,
    before: Rc<Trail>,
}

impl Readings {
    /// The one reading of a game that has not begun.
    #[must_use]
    pub fn start(spots: u32, dialect: Dialect) -> Self {
        Self::of(Table::start(spots), dialect)
    }

    /// A full table as the only reading.
    #[must_use]
    pub fn of(table: Table, dialect: Dialect) -> Self {
        let trail = Rc::new(Trail::Start(table.clone()));
        Self { dialect, readings: vec![Reading { cost: 0, table, trail }] }
    }

    /// The cheapest reading.
    #[must_use]
    pub fn cheapest(&self) -> &Reading {
        &self.readings[0]
    }

    /// The cheapest reading of each position, the cheapest first.
    #[must_use]
    pub fn classes(&self) -> Vec<(&Reading, CanonicalPosition)> {
        let mut seen = BTreeSet::new();
        let all = self.readings.iter().map(|reading| (reading, reading.position()));
        all.filter(|(_, position)| seen.insert(position.clone())).collect()
    }

    /// Whether all readings show one drawing, and one of them is this table with its dead spots.
    pub(crate) fn are_all(&self, table: &Table) -> bool {
        let (shown, wanted) = (drawing(table), written(table));
        self.readings.iter().all(|reading| drawing(reading.table()) == shown)
            && self.readings.iter().any(|reading| written(reading.table()) == wanted)
    }

    /// The readings after a move. Those that the move refutes are gone.
    ///
    /// # Errors
    /// Why no reading is left.
    pub fn after(&self, played: &Written) -> Result<Self, MoveProblem> {
        self.check_numbers(played)?;
        let fitting = self.fitting(played)?;
        if fitting.is_empty() {
            return Err(self.diagnosis(played));
        }
        let mut cheapest: BTreeMap<_, Reading> = BTreeMap::new();
        for Candidate { cost, table, made, before, .. } in fitting {
            let key = written(&table);
            if cheapest.get(&key).is_none_or(|known| cost < known.cost) {
                let trail = Rc::new(Trail::Made { made, before });
                cheapest.insert(key, Reading { cost, table, trail });
            }
            if cheapest.len() > MAX_READINGS {
                return Err(MoveProblem::TooMany);
            }
        }
        let mut readings: Vec<Reading> = cheapest.into_values().collect();
        readings.sort_by_key(|reading| reading.cost);
        Ok(Self { dialect: self.dialect, readings })
    }

    /// What can be told from numbers alone: degrees are the same in all readings.
    fn check_numbers(&self, played: &Written) -> Result<(), MoveProblem> {
        let table = self.cheapest().table();
        let degrees: BTreeMap<Card, u8> = table.degrees().collect();
        let last = degrees.last_key_value().map_or(0, |(&card, _)| card);
        if self.readings.iter().all(|reading| is_over(reading.table())) {
            return Err(MoveProblem::Over);
        }
        if played.new != last + 1 {
            return Err(MoveProblem::NewSpot(last + 1));
        }
        let named = played.ends.iter().map(|end| end.0).chain(played.at);
        for card in named {
            match degrees.get(&card) {
                None if Some(card) == played.at && card == played.new => {
                    return Err(MoveProblem::AtItself(card));
                }
                None => return Err(MoveProblem::NoSpot(card, last)),
                Some(3) => return Err(MoveProblem::Dead(card)),
                Some(_) => {}
            }
        }
        let [(from, _), (to, _)] = played.ends;
        if from == to && degrees[&from] == 2 {
            return Err(MoveProblem::NoLoop(from));
        }
        let idle = |end: &&(Card, bool)| end.1 && degrees[&end.0] < 2;
        if let Some((card, _)) = played.ends.iter().find(idle) {
            return Err(MoveProblem::IdleMark(*card));
        }
        let late = played.list.windows(2).find(|pair| pair[0] > pair[1]);
        if let (Dialect::Strict, Some(pair)) = (self.dialect, late) {
            return Err(MoveProblem::NotAscending(pair[1]));
        }
        Ok(())
    }

    /// The candidates of all readings that marks and lists allow.
    fn fitting(&self, played: &Written) -> Result<Vec<Candidate>, MoveProblem> {
        let mut fitting = Vec::new();
        for reading in &self.readings {
            let table = reading.table();
            each_way(table, played, |way| {
                let Some(marks) = self.marks(played, way) else { return };
                for (list, made) in self.moves(played, way) {
                    let after = table.play(&made).expect("the curve ends at live spots");
                    let (cost, before) = (reading.cost + marks + list, reading.trail.clone());
                    let region = way.region();
                    fitting.push(Candidate { cost, table: after, made, region, before });
                }
            });
            // Several candidates may be the same.
            if fitting.len() > 4 * MAX_READINGS {
                return Err(MoveProblem::TooMany);
            }
        }
        if let Some(at) = played.at {
            fitting.retain(|candidate| reached(&candidate.table, played.new).contains(&at));
        } else if self.dialect == Dialect::Strict {
            keep_least_reach(&mut fitting, played.new);
        }
        Ok(fitting)
    }

    /// What the marks cost; `None` if they do not fit.
    fn marks(&self, played: &Written, way: &Way<'_>) -> Option<u32> {
        let mut cost = 0;
        for (wanted, (_, marked)) in way.marks().into_iter().zip(played.ends) {
            match (wanted, marked) {
                (true, false) if self.dialect == Dialect::Lenient => cost += 1,
                (wanted, marked) if wanted != marked => return None,
                _ => {}
            }
        }
        Some(cost)
    }

    /// The moves of this way that the list allows, each with what the list costs.
    fn moves(&self, played: &Written, way: &Way<'_>) -> Vec<(u32, Move)> {
        if let Some(joining) = way.joining() {
            return if played.list.is_empty() { vec![(0, joining)] } else { Vec::new() };
        }
        let sides = [Side::Taken, Side::Left].into_iter();
        sides.filter_map(|side| self.divided(&played.list, way, side)).collect()
    }

    /// The move that has the spots of the list on one side.
    fn divided(&self, list: &[Card], way: &Way<'_>, side: Side) -> Option<(u32, Move)> {
        let named = |card: &Card| list.contains(card);
        let mut all = way.own(side);
        let mut pieces = Vec::new();
        for (stack, cards) in way.pieces() {
            if cards.iter().any(named) {
                pieces.push(stack);
                all.extend(cards);
            }
        }
        if list.iter().any(|card| !all.contains(card)) {
            return None;
        }
        let missing = u32::try_from(all.len() - list.len()).expect("a table of cards");
        // A record without a list means that there is nothing to list.
        if missing > 0 && (self.dialect == Dialect::Strict || list.is_empty()) {
            return None;
        }
        Some((10 * missing, way.with(side, &pieces)?))
    }

    /// Why no reading takes a move whose numbers are right.
    fn diagnosis(&self, played: &Written) -> MoveProblem {
        let [(from, _), (to, _)] = played.ends;
        let (mut joins, mut divides, mut marked, mut sides) =
            (false, false, false, BTreeSet::new());
        for reading in &self.readings {
            each_way(reading.table(), played, |way| {
                joins |= way.joining().is_some();
                divides |= way.joining().is_none();
                let fits = !self.moves(played, way).is_empty();
                marked |= fits && self.marks(played, way).is_none();
                if way.joining().is_none() && sides.len() < 4 {
                    sides.insert(separable(way));
                }
            });
        }
        if !joins && !divides {
            return MoveProblem::Apart(from, to);
        }
        let anywhere = Written { at: None, ..played.clone() };
        if let Some(at) =
            played.at.filter(|_| self.fitting(&anywhere).is_ok_and(|fitting| !fitting.is_empty()))
        {
            return MoveProblem::At(at);
        }
        if marked {
            return MoveProblem::Marks;
        }
        if !divides {
            return MoveProblem::ListOnJoining(from, to);
        }
        MoveProblem::List(format!(
            "the list fits no side of the curve; it separates {}{}",
            sides.into_iter().collect::<Vec<_>>().join(", or "),
            match self.dialect {
                Dialect::Strict => "; name all live spots of one side, dead ones not",
                Dialect::Lenient => "; name at least one live spot of each piece of one side",
            }
        ))
    }
}

/// The spots that a dividing curve has on its sides, for messages.
fn separable(way: &Way<'_>) -> String {
    let show = |cards: &[Card]| match cards {
        [] => "nothing".to_owned(),
        cards => cards.iter().map(Card::to_string).collect::<Vec<_>>().join(","),
    };
    let (taken, left) = (way.own(Side::Taken), way.own(Side::Left));
    let pieces: Vec<String> = way.pieces().iter().take(8).map(|piece| show(&piece.1)).collect();
    let free = match pieces.is_empty() {
        true => String::new(),
        false => format!(" (and on either side {})", pieces.join(" | ")),
    };
    format!("{} from {}{free}", show(&taken), show(&left))
}

fn each_way(table: &Table, played: &Written, mut visit: impl FnMut(&Way<'_>)) {
    let degree = |card| degree(table, card);
    let lives = |card| degree(card) < 3;
    let ends = played.ends.map(|end| end.0);
    for way in Way::all(table, ends, &lives, &degree) {
        visit(&way);
    }
}

/// If the new spot can lie in several regions, it is taken to lie where it reaches least: `@` tells
/// the others.
fn keep_least_reach(candidates: &mut Vec<Candidate>, new: Card) {
    if candidates.iter().all(|c| c.region == candidates[0].region) {
        return;
    }
    let reach: BTreeSet<_> = candidates.iter().map(|c| reached(&c.table, new)).collect();
    let is_least = |own: &BTreeSet<Card>| !reach.iter().any(|r| r.is_subset(own) && r != own);
    candidates.retain(|candidate| is_least(&reached(&candidate.table, new)));
}

/// Whether no move is left on a full table.
pub(crate) fn is_over(table: &Table) -> bool {
    table.clone().reduced().rows().is_empty()
}
