//! The text of records: header, moves, result.
//!
//! ```text
//! record = head *( ws move ) [ ws result ]
//! head   = spots ("+" / "-" / "−") [ "(" name [ sep name ] ")" ]     a name may end in "*"
//! move   = spot ["!"] "(" new [ "@" spot ] ")" ["!"] spot [ "[" item *("," item) "]" ]
//! item   = spot [ ("-" / "–") spot ]
//! result = "I" / "II"
//! ```
//!
//! `{..}` and `;` to the end of the line are comments.

use std::fmt;

use sprig_oracle::Card;

use crate::MAX_SPOTS;
use crate::error::{Problem, RecordError};

/// A record as it is written; nothing of it has been played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Number of spots at the start.
    pub spots: u32,
    /// Whether a player who cannot move wins.
    pub misere: bool,
    /// The players, the one who moves first in front; empty if the record names none.
    pub players: Vec<Player>,
    /// The moves, each with its place.
    pub moves: Vec<(Place, Written)>,
    /// The player that has won according to the record, by the last move or because the other one
    /// gave up: 1 or 2.
    pub winner: Option<u8>,
}

/// A player of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Player {
    /// The name.
    pub name: String,
    /// Whether this player has invited the other: the star.
    pub inviting: bool,
}

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
}

/// A move as it is written: `1!(10@4)3[2,5,7-9]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The ends of the curve; `true` where a `!` stands.
    pub ends: [(Card, bool); 2],
    /// The new spot.
    pub new: Card,
    /// The spot after `@`.
    pub at: Option<Card>,
    /// The spots in brackets, in their order there; empty if there are no brackets.
    pub list: Vec<Card>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |marked| if marked { "!" } else { "" };
        let [(from, marked), (to, other)] = self.ends;
        write!(f, "{from}{}({}", mark(marked), self.new)?;
        if let Some(at) = self.at {
            write!(f, "@{at}")?;
        }
        write!(f, "){}{to}", mark(other))?;
        if !self.list.is_empty() {
            write!(f, "[{}]", Items(&self.list))?;
        }
        Ok(())
    }
}

/// A list with ranges: `2,5,7-9`.
struct Items<'a>(&'a [Card]);

impl fmt::Display for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, run) in self.0.chunk_by(|a, b| a + 1 == *b).enumerate() {
            let comma = if number > 0 { "," } else { "" };
            match run {
                [one] => write!(f, "{comma}{one}")?,
                [one, two] => write!(f, "{comma}{one},{two}")?,
                _ => write!(f, "{comma}{}-{}", run[0], run[run.len() - 1])?,
            }
        }
        Ok(())
    }
}

/// Reads the records of a text, one after the other; each begins with its header.
///
/// # Errors
/// [`RecordError`] with the place and the remedy.
pub fn parse(text: &str) -> Result<Vec<Record>, RecordError> {
    let mut reader = Reader::new(text);
    let mut records = Vec::new();
    reader.blanks();
    let (start, may_be_json) = (reader.place, reader.rest.starts_with("{\""));
    reader.skip()?;
    // A comment can begin in the same way, but then a header follows.
    if may_be_json && !reader.is_header() {
        return reader.fail_at(start, Problem::JsonLines);
    }
    loop {
        records.push(reader.record()?);
        if reader.rest.is_empty() {
            return Ok(records);
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { rest, place: Place { line: 1, column: 1 } }
    }

    fn fail<T>(&self, problem: Problem) -> Result<T, RecordError> {
        self.fail_at(self.place, problem)
    }

    fn fail_at<T>(&self, place: Place, problem: Problem) -> Result<T, RecordError> {
        Err(RecordError { line: place.line, column: place.column, problem })
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        if next == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(next)
    }

    fn advance(&mut self, characters: usize) {
        for _ in 0..characters {
            self.next();
        }
    }

    fn take(&mut self, wanted: &[char]) -> bool {
        let found = self.peek().is_some_and(|c| wanted.contains(&c));
        if found {
            self.next();
        }
        found
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    /// Goes over blanks and comments.
    fn skip(&mut self) -> Result<(), RecordError> {
        loop {
            self.blanks();
            let start = self.place;
            if self.take(&[';']) {
                while !matches!(self.next(), None | Some('\n')) {}
            } else if self.take(&['{']) {
                loop {
                    match self.next() {
                        Some('}') => break,
                        Some(_) => {}
                        None => return self.fail_at(start, Problem::OpenComment),
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    /// The text up to the next blank, for messages.
    fn word(&self) -> String {
        let word = self.rest.split_whitespace().next().unwrap_or("");
        word.chars().take(40).collect()
    }

    fn digits(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let digits = &self.rest[..end];
        self.rest = &self.rest[end..];
        self.place.column += end;
        digits
    }

    fn is_header(&self) -> bool {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < self.rest.len() && rest.starts_with(['+', '-', '−'])
    }

    fn record(&mut self) -> Result<Record, RecordError> {
        let start = self.place;
        if !self.is_header() {
            return self.fail(Problem::NoHeader);
        }
        let spots = self.digits().parse().unwrap_or(0);
        if !(1..=MAX_SPOTS).contains(&spots) {
            return self.fail_at(start, Problem::Spots);
        }
        let misere = self.next() != Some('+');
        self.skip()?;
        let players = if self.peek() == Some('(') { self.players()? } else { Vec::new() };
        let mut record = Record { spots, misere, players, moves: Vec::new(), winner: None };
        self.skip()?;
        while self.peek().is_some() && !self.is_header() {
            if record.winner.is_some() {
                return self.fail(Problem::AfterResult);
            }
            match self.word().as_str() {
                result @ ("I" | "II") => {
                    record.winner = Some(if result == "I" { 1 } else { 2 });
                    self.advance(result.len());
                }
                _ => {
                    let place = self.place;
                    let written = self.written(spots + 1 + record.moves.len() as u32)?;
                    record.moves.push((place, written));
                }
            }
            self.skip()?;
        }
        Ok(record)
    }

    fn players(&mut self) -> Result<Vec<Player>, RecordError> {
        let start = self.place;
        self.next();
        let inside = self.place;
        let Some((names, _)) = self.rest.split_once(')').filter(|(n, _)| !n.contains('\n')) else {
            return self.fail_at(start, Problem::OpenNames);
        };
        self.advance(names.chars().count() + 1);
        // A name may hold a hyphen.
        let both = [",", " - ", "-"].iter().find_map(|separator| names.split_once(separator));
        let names = both.map_or(vec![names], |(first, second)| vec![first, second]);
        let mut players = Vec::new();
        for name in names {
            let name = name.trim();
            let inviting = name.ends_with('*');
            let name = name.trim_end_matches('*').trim_end().to_owned();
            if name.is_empty() {
                return self.fail_at(inside, Problem::NoName);
            }
            players.push(Player { name, inviting });
        }
        Ok(players)
    }

    /// A move; `most` is the largest number that a spot can have.
    fn written(&mut self, most: Card) -> Result<Written, RecordError> {
        let (start, word) = (self.place, self.word());
        let no_move = |reader: &Self| reader.fail_at(start, Problem::NoMove(word.clone()));
        let from = self.spot()?;
        let marked = self.take(&['!']);
        if !self.take(&['(']) {
            return no_move(self);
        }
        let new = self.spot()?;
        let at = if self.take(&['@']) { Some(self.spot()?) } else { None };
        if !self.take(&[')']) {
            return no_move(self);
        }
        let other = self.take(&['!']);
        let to = self.spot()?;
        let ends = [(from, marked), (to, other)];
        // Blanks may stand before the list.
        self.skip()?;
        let list = if self.peek() == Some('[') { self.list(most)? } else { Vec::new() };
        Ok(Written { ends, new, at, list })
    }

    fn spot(&mut self) -> Result<Card, RecordError> {
        let (start, word) = (self.place, self.word());
        let digits = self.digits();
        match digits.parse() {
            Ok(spot) => Ok(spot),
            Err(_) if digits.is_empty() => self.fail_at(start, Problem::NoMove(word)),
            Err(_) => self.fail_at(start, Problem::Number(digits.chars().take(40).collect())),
        }
    }

    fn list(&mut self, most: Card) -> Result<Vec<Card>, RecordError> {
        let start = self.place;
        self.next();
        self.blanks();
        if self.peek() == Some(']') {
            return self.fail_at(start, Problem::EmptyList);
        }
        let mut list: Vec<Card> = Vec::new();
        loop {
            self.blanks();
            let place = self.place;
            let first = self.spot()?;
            self.blanks();
            let mut last = first;
            if self.take(&['-', '–', '−']) {
                self.blanks();
                last = self.spot()?;
                self.blanks();
            }
            if last < first {
                return self.fail_at(place, Problem::RangeRunsDown(first, last));
            }
            if last > most {
                return self.fail_at(place, Problem::Number(last.to_string()));
            }
            if let Some(twice) = list.iter().find(|spot| (first..=last).contains(spot)) {
                return self.fail_at(place, Problem::Twice(*twice));
            }
            list.extend(first..=last);
            if self.take(&[']']) {
                return Ok(list);
            }
            if !self.take(&[',']) {
                let word = self.word();
                return self.fail(Problem::NoMove(word));
            }
        }
    }
}
