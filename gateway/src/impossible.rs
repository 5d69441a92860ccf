//! A game of Impossible! as its address gives it, and what else is asked about rows of cards.

use std::time::{SystemTime, UNIX_EPOCH};

use sprig_impossible::{Card, Clash, Game, HAND, MAX_ROWS, Player, Row, Table, read_cards};

use crate::problem::{Kind, Problem};
use crate::target::{Target, shown};

/// The parameters that say which card is turned over in each row, by their place.
pub(crate) const TURNED: [&str; MAX_ROWS] = [
    "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11", "t12", "t13", "t14", "t15",
    "t16", "t17",
];

/// The parameters that say which cards of a hand are chosen for a row.
pub(crate) const CHOSEN: [&str; HAND] = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// The other parameters of a game.
const OF_GAMES: [&str; 9] =
    ["seed", "begins", "bluff", "minutes", "rows", "lay", "say", "until", "turn"];

/// The largest seed of an address.
pub(crate) const SEEDS: usize = u32::MAX as usize;

/// What a visitor plays: the cards, the rules of challenges, and the rows so far.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) seed: usize,
    pub(crate) begins: Player,
    /// How often, of 100 rows that can be met, the program challenges one nevertheless.
    pub(crate) bluff: usize,
    /// Minutes for meeting a challenge, 0 for no limit.
    pub(crate) minutes: usize,
    pub(crate) rows: Vec<Row>,
}

/// Where a game stands.
pub(crate) enum Stand {
    /// The program lays a row.
    Programs,
    /// The visitor lays a row or challenges.
    Visitors,
    /// The visitor is challenged, and has until this second, or as long as they like.
    Challenged(Option<u64>),
    /// The game is over.
    Over(End),
}

/// How a game ended: with a challenge.
pub(crate) enum End {
    /// The visitor has challenged the program.
    ByVisitor,
    /// The visitor was challenged, and turned these cards over.
    Turned(Vec<usize>, Vec<Clash>),
    /// The visitor was challenged, and turned nothing over.
    GivenUp,
    /// The visitor was challenged, and the time is up.
    Late,
}

impl Visit {
    /// Reads a visit and lays its rows. None where the address names no seed. A seed that is left
    /// empty, as in a form, is chosen.
    pub(crate) fn of(target: &Target) -> Result<Option<(Self, Game)>, Problem> {
        target.only(&[&OF_GAMES[..], &CHOSEN, &TURNED].concat())?;
        if target.value("seed").is_none() {
            return Ok(None);
        }
        let seed = seed(target)?;
        let who = [("you", Player::Person), ("sprig", Player::Program)];
        let begins = target.word("begins", &who)?;
        let bluff = target.number("bluff", 0..=100, 20)?;
        let minutes = target.number("minutes", 0..=60, 3)?;
        let mut visit = Self { seed, begins, bluff, minutes, rows: Vec::new() };
        let mut game = Game::new(seed as u64, begins);
        let words = target.value("rows").unwrap_or("").split(['.', ' ']);
        for (number, word) in (1..).zip(words.filter(|word| !word.is_empty())) {
            let wrong = |what: String, remedy: &str| {
                Problem::new(Kind::BadParameter, format!("row {number}: {what}"), remedy)
            };
            if visit.is_challenged(&game) {
                let what = format!("`{}` comes after a challenge", shown(word));
                return Err(wrong(what, "take it and all after it out"));
            }
            let row = row(word).map_err(|what| {
                wrong(what, "write rows as in R3B3R0.B0R3B2, with a full stop between two")
            })?;
            if !game.lay(row) {
                let what = format!("`{}` is not held by its player", shown(word));
                return Err(wrong(what, "begin another game, or take it and all after it out"));
            }
            visit.rows.push(row);
        }
        Ok(Some((visit, game)))
    }

    /// The address of the page of the visit.
    pub(crate) fn href(&self) -> String {
        let Self { seed, bluff, minutes, .. } = self;
        let (begins, rows) = (self.beginner(), self.words());
        format!(
            "/impossible/play?seed={seed}&begins={begins}&bluff={bluff}&minutes={minutes}&rows={rows}"
        )
    }

    /// Who begins, as in an address.
    pub(crate) fn beginner(&self) -> &'static str {
        match self.begins {
            Player::Person => "you",
            Player::Program => "sprig",
        }
    }

    /// The rows, as in an address.
    pub(crate) fn words(&self) -> String {
        let word = |row: &Row| row.iter().map(Card::to_string).collect::<String>();
        self.rows.iter().map(word).collect::<Vec<_>>().join(".")
    }

    /// The visit after another row.
    pub(crate) fn with(&self, row: Row) -> Self {
        let mut visit = self.clone();
        visit.rows.push(row);
        visit
    }

    /// The visit before its rows.
    pub(crate) fn again(&self) -> Self {
        Self { rows: Vec::new(), ..self.clone() }
    }

    /// Who laid a row, by its number from 0.
    pub(crate) fn laid_by(&self, row: usize) -> Player {
        if row.is_multiple_of(2) { self.begins } else { self.begins.other() }
    }

    /// Whether the last row of a game is the visitor's, and challenged.
    fn is_challenged(&self, game: &Game) -> bool {
        let is_visitors = game.to_lay() == Player::Program && !game.table().rows().is_empty();
        is_visitors && game.is_challenged(self.bluff as u32)
    }

    /// Where the game stands, at this second.
    pub(crate) fn stand(&self, target: &Target, game: &Game, now: u64) -> Result<Stand, Problem> {
        let says = target.word("say", &[("", false), ("impossible", true)])?;
        let until = match target.value("until") {
            None => None,
            Some(_) => Some(target.number("until", 0..=usize::MAX, 0)? as u64),
        };
        if !self.is_challenged(game) {
            return match game.to_lay() {
                Player::Program => Ok(Stand::Programs),
                Player::Person if says && !self.rows.is_empty() => Ok(Stand::Over(End::ByVisitor)),
                Player::Person if says => {
                    let what = "there is no row of the program to challenge";
                    Err(Problem::new(Kind::BadParameter, what, "lay three cards"))
                }
                Player::Person => Ok(Stand::Visitors),
            };
        }
        match target.value("turn") {
            Some("none") => Ok(Stand::Over(End::GivenUp)),
            Some(text) => {
                let turned = game.table().read_turned(text).map_err(|error| {
                    let remedy = "write the place of one card of each row, as in turn=2.1.3";
                    Problem::new(Kind::BadParameter, format!("`turn`: {error}"), remedy)
                })?;
                let clashes = game.table().clashes(&turned);
                Ok(Stand::Over(End::Turned(turned, clashes)))
            }
            None if until.is_some_and(|until| now > until) => Ok(Stand::Over(End::Late)),
            None => Ok(Stand::Challenged(until)),
        }
    }

    /// The second until which a challenge that is made now must be met; none without a limit.
    pub(crate) fn deadline(&self, now: u64) -> Option<u64> {
        (self.minutes > 0).then(|| now + 60 * self.minutes as u64)
    }
}

/// A row as in an address, R3B3R0.
fn row(word: &str) -> Result<Row, String> {
    let signs: Vec<char> = word.chars().collect();
    let cards: Vec<String> = signs.chunks(2).map(|card| card.iter().collect()).collect();
    let cards = read_cards(&cards.join(" "), &Table::default())
        .map_err(|error| error.mistake.to_string())?;
    <Row>::try_from(&cards[..]).map_err(|_| format!("a row has three cards, not {}", cards.len()))
}

/// The seed of an address; another one every time where it is left empty.
pub(crate) fn seed(target: &Target) -> Result<usize, Problem> {
    match target.value("seed") {
        None | Some("") => Ok(fastrand::usize(..=SEEDS)),
        Some(_) => target.number("seed", 0..=SEEDS, 0),
    }
}

/// The random numbers of a seed.
pub(crate) fn seeded(seed: usize) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed as u64)
}

/// The cards that are turned over, by their places from 0, one in each row. None where the address
/// names none.
pub(crate) fn turned(target: &Target, rows: usize) -> Result<Option<Vec<usize>>, Problem> {
    if TURNED.iter().all(|name| target.value(name).is_none()) {
        return Ok(None);
    }
    if let Some(name) = TURNED[rows..].iter().find(|name| target.value(name).is_some()) {
        let what = format!("`{name}` names a row that is not there");
        return Err(Problem::new(Kind::BadParameter, what, "leave it out"));
    }
    let place = |(number, name): (usize, &&str)| match target.number(name, 1..=3, 0)? {
        0 => {
            let what = format!("no card is turned over in row {}", number + 1);
            let remedy = "go back, and choose one card in each row";
            Err(Problem::new(Kind::BadParameter, what, remedy))
        }
        place => Ok(place - 1),
    };
    TURNED[..rows].iter().enumerate().map(place).collect::<Result<_, _>>().map(Some)
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
