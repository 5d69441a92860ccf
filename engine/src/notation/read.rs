//! The reader of both styles: one pass over the characters, then a check of the letters of each
//! land.

use std::collections::HashMap;

use super::{MAX_TEXT, NotationError, Problem};
use crate::{Boundary, Land, Letter, Position, Region, Spot, Surface};

/// The largest n in `0*n`.
pub(super) const MAX_REPEAT: usize = 106;

/// A letter's name as typed: the character, and the number in parentheses if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Name(char, Option<u16>);

/// Where both occurrences of a letter stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Boundary,
    Region,
    Land,
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::Boundary => "boundary",
            Self::Region => "region",
            Self::Land => "land",
        }
    }
}

impl Name {
    /// A lower-case letter names nothing more after its boundary, or, from `o` on, after its
    /// region. `n(k)` is an upper-case letter of SPOTS, and GLOP's 13th and later letter of one
    /// region.
    fn scope(self) -> Scope {
        match self {
            Self('n', Some(_)) => Scope::Land,
            Self('o'..='z', _) => Scope::Region,
            Self(c, _) if c.is_ascii_lowercase() => Scope::Boundary,
            _ => Scope::Land,
        }
    }

    /// Whether the name may be given to another letter once it has occurred twice, and the region
    /// has ended.
    fn is_reused(self) -> bool {
        matches!(self, Self('n', Some(_)))
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self(c, None) => write!(f, "{c}"),
            Self(c, Some(k)) => write!(f, "{c}({k})"),
        }
    }
}

/// Where a letter of the current land was seen.
struct Seen {
    name: Name,
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    column: usize,
    region: usize,
}

pub(super) struct Reader {
    chars: Vec<char>,
    at: usize,
    ajs: bool,
    position: Position,
    land: Land,
    land_column: usize,
    region: Region,
    boundary: Boundary,
    /// Letters of the current land, by number.
    letters: Vec<Seen>,
    /// The letters that names stand for at the moment.
    names: HashMap<Name, Letter>,
    /// Whether the surface of the region has been read, after which nothing more of the region may
    /// stand.
    has_surface: bool,
}

impl Reader {
    pub(super) fn new(text: &str) -> Result<Self, NotationError> {
        if text.len() > MAX_TEXT {
            return Err(NotationError { column: 1, problem: Problem::TooLong(text.len()) });
        }
        let chars: Vec<char> = text.chars().collect();
        let ajs = chars.iter().any(|&c| c == '}' || c == ']')
            || (chars.len() > 1 && chars.ends_with(&['!']));
        Ok(Self {
            chars,
            at: 0,
            ajs,
            position: Position::default(),
            land: Land::default(),
            land_column: 1,
            region: Region::default(),
            boundary: Boundary::default(),
            letters: Vec::new(),
            names: HashMap::new(),
            has_surface: false,
        })
    }

    pub(super) fn position(mut self) -> Result<Position, NotationError> {
        match self.chars[..] {
            [] => return Err(self.error_at(1, Problem::EmptyText)),
            ['!'] => return Ok(Position::default()),
            _ => {}
        }
        while let Some(&c) = self.chars.get(self.at) {
            if self.has_surface && !matches!(c, '|' | '+' | '}') {
                return Err(self.error(Problem::BehindSurface(c)));
            }
            match c {
                '0' => self.zeros()?,
                '1' => self.spot(Spot::One)?,
                '2' => self.spot(Spot::Two)?,
                'a'..='z' | 'A'..='Z' => self.letter()?,
                '.' => self.end_boundary()?,
                '|' | '+' if self.ajs => return Err(self.error(Problem::MixedStyles(c))),
                '|' => self.end_region()?,
                '+' => self.end_land()?,
                '}' => self.end_region()?,
                ']' => self.end_land()?,
                '!' => return self.end_of_ajs(),
                '*' => return Err(self.error(Problem::Repeat)),
                '(' | ')' => return Err(self.error(Problem::Parenthesis)),
                '@' if self.ajs => return Err(self.error(Problem::MixedStyles(c))),
                '@' => self.surface(self.at + 1)?,
                '{' if self.ajs => {
                    self.surface(self.at + 1)?;
                    self.at += 1;
                    if self.chars.get(self.at) != Some(&'}') {
                        return Err(self.error(Problem::Surface));
                    }
                }
                c if c.is_whitespace() => return Err(self.error(Problem::WhiteSpace)),
                c => return Err(self.error(Problem::Character(c))),
            }
            self.at += 1;
        }
        if self.ajs {
            return Err(self.error(self.missing().unwrap_or(Problem::MissingTerminator('!'))));
        }
        self.end_land()?;
        Ok(self.position)
    }

    /// The terminator that an unfinished object of AJS style still needs.
    fn missing(&self) -> Option<Problem> {
        let terminator = if !self.boundary.0.is_empty() {
            '.'
        } else if !self.region.0.is_empty() {
            '}'
        } else if !self.land.0.is_empty() {
            ']'
        } else {
            return None;
        };
        Some(Problem::MissingTerminator(terminator))
    }

    fn end_of_ajs(mut self) -> Result<Position, NotationError> {
        if !self.ajs {
            return Err(self.error(Problem::MisplacedEnd));
        }
        if let Some(problem) = self.missing() {
            return Err(self.error(problem));
        }
        self.at += 1;
        if self.at < self.chars.len() {
            return Err(self.error(Problem::MisplacedEnd));
        }
        Ok(self.position)
    }

    fn error(&self, problem: Problem) -> NotationError {
        self.error_at(self.at + 1, problem)
    }

    fn error_at(&self, column: usize, problem: Problem) -> NotationError {
        NotationError { column, problem }
    }

    fn spot(&mut self, spot: Spot) -> Result<(), NotationError> {
        if self.boundary.0 == [Spot::Zero] {
            return Err(self.error(Problem::ZeroNotAlone));
        }
        self.boundary.0.push(spot);
        Ok(())
    }

    /// `0` or `0*n`: n boundaries, the last of which is left open.
    fn zeros(&mut self) -> Result<(), NotationError> {
        if !self.boundary.0.is_empty() {
            return Err(self.error(Problem::ZeroNotAlone));
        }
        let mut times = 1;
        if self.chars.get(self.at + 1) == Some(&'*') {
            self.at += 1;
            times = match self.number(self.at + 1) {
                Some((n, next)) if (1..=MAX_REPEAT).contains(&n) => {
                    self.at = next - 1;
                    n
                }
                Some((0, _)) => return Err(self.error(Problem::NoSpots)),
                Some(_) => return Err(self.error(Problem::TooManySpots)),
                None => return Err(self.error(Problem::Repeat)),
            };
        }
        let zero = Boundary(vec![Spot::Zero]);
        self.region.0.extend(std::iter::repeat_n(zero.clone(), times - 1));
        self.boundary = zero;
        Ok(())
    }

    /// The decimal number that starts at `start`, and the place after it. The number saturates.
    fn number(&self, start: usize) -> Option<(usize, usize)> {
        let digits = self.chars.get(start..)?.iter().map_while(|c| c.to_digit(10));
        let (mut value, mut end) = (0usize, start);
        for digit in digits {
            value = value.saturating_mul(10).saturating_add(digit as usize);
            end += 1;
        }
        (end > start).then_some((value, end))
    }

    /// The genus of the region, which is written from `start` on.
    fn surface(&mut self, start: usize) -> Result<(), NotationError> {
        let is_misplaced = if self.ajs {
            self.region.0.is_empty() || !self.boundary.0.is_empty()
        } else {
            self.boundary.0.is_empty()
        };
        if is_misplaced {
            return Err(self.error(Problem::MisplacedSurface));
        }
        let is_negative = self.chars.get(start) == Some(&'-');
        let number = self.number(start + usize::from(is_negative));
        let Some((genus, end)) = number else { return Err(self.error(Problem::Surface)) };
        let genus = i64::try_from(genus).unwrap_or(i64::MAX);
        let surface = Surface::new(if is_negative { -genus } else { genus });
        self.region.1 = surface.ok_or_else(|| self.error_at(start + 1, Problem::GenusTooLarge))?;
        self.at = end - 1;
        self.has_surface = true;
        Ok(())
    }

    fn letter(&mut self) -> Result<(), NotationError> {
        let column = self.at + 1;
        let mut name = Name(self.chars[self.at], None);
        if self.chars.get(self.at + 1) == Some(&'(') {
            let number =
                self.number(self.at + 2).filter(|&(_, end)| self.chars.get(end) == Some(&')'));
            match number.and_then(|(k, end)| Some((u16::try_from(k).ok()?, end))) {
                Some((k, end)) if matches!(name.0, 'm' | 'n' | 'Z') => {
                    name.1 = Some(k);
                    self.at = end;
                }
                _ => {
                    self.at += 1;
                    return Err(self.error(Problem::Parenthesis));
                }
            }
        }
        let fresh = Letter(self.letters.len().try_into().expect("a text has at most 65536 bytes"));
        let letter = *self.names.entry(name).or_insert(fresh);
        if letter == fresh {
            self.letters.push(Seen { name, places: Vec::new() });
        }
        self.letters[usize::from(letter.0)]
            .places
            .push(Place { column, region: self.land.0.len() });
        self.spot(Spot::Letter(letter))
    }

    fn end_boundary(&mut self) -> Result<(), NotationError> {
        if self.boundary.0.is_empty() {
            return Err(self.error(Problem::EmptyBoundary));
        }
        self.region.0.push(std::mem::take(&mut self.boundary));
        let letters = &self.letters;
        let is_used_up = |letter: &Letter| letters[usize::from(letter.0)].places.len() > 1;
        self.names.retain(|name, letter| match name.scope() {
            Scope::Boundary => false,
            Scope::Region => !is_used_up(letter),
            Scope::Land => true,
        });
        Ok(())
    }

    fn end_region(&mut self) -> Result<(), NotationError> {
        if self.ajs {
            if !self.boundary.0.is_empty() {
                return Err(self.error(Problem::MissingTerminator('.')));
            }
            if self.region.0.is_empty() {
                return Err(self.error(Problem::EmptyRegion));
            }
        } else if self.boundary.0.is_empty() && self.region.0.is_empty() {
            return Err(self.error(Problem::EmptyRegion));
        } else {
            self.end_boundary()?;
        }
        self.land.0.push(std::mem::take(&mut self.region));
        self.has_surface = false;
        let letters = &self.letters;
        self.names.retain(|name, letter| {
            let places = &letters[usize::from(letter.0)].places;
            let is_used_up = matches!(places[..], [a, b] if a.region == b.region);
            name.scope() == Scope::Land && !(is_used_up && name.is_reused())
        });
        Ok(())
    }

    fn end_land(&mut self) -> Result<(), NotationError> {
        if self.ajs {
            match self.missing() {
                Some(Problem::MissingTerminator(']')) => {}
                Some(problem) => return Err(self.error(problem)),
                None => return Err(self.error(Problem::EmptyLand)),
            }
        } else if self.land.0.is_empty() && self.region.0.is_empty() && self.boundary.0.is_empty() {
            return Err(self.error(Problem::EmptyLand));
        } else {
            self.end_region()?;
        }
        let land = std::mem::take(&mut self.land);
        self.check_letters()?;
        if !crate::encode::fits(&land) {
            let (lives, letters, regions) = (land.lives(), self.letters.len(), land.0.len());
            return Err(
                self.error_at(self.land_column, Problem::TooLarge { lives, letters, regions })
            );
        }
        self.letters.clear();
        self.names.clear();
        self.position.0.push(land);
        self.land_column = self.at + 2;
        Ok(())
    }

    fn check_letters(&self) -> Result<(), NotationError> {
        for Seen { name, places } in &self.letters {
            if places.len() != 2 {
                let place = places.get(2).unwrap_or(&places[0]);
                let problem = Problem::LetterCount {
                    name: name.to_string(),
                    times: places.len(),
                    scope: name.scope().name(),
                };
                return Err(self.error_at(place.column, problem));
            }
        }
        Ok(())
    }
}
