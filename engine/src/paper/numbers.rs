//! Moves in numbers of spots: `1-4`, `3-3 around 2, 5`, `4-6 in region 2`.

use std::collections::BTreeSet;

use super::course::subsets;
use super::words::{BARE, manner};
use super::{Course, Face, Number, Paper, Place, Witness};

/// Why words are no move, or more than one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unclear {
    /// No two numbers with a dash between them.
    #[error(
        "column {0}: a move is two spots and what the curve goes around, as in `1-4` or `3-3 around 2, 5`"
    )]
    Grammar(usize),
    /// A spot that is not on the paper, or dead.
    #[error("column {column}: there is no living spot {number}")]
    NoSpot {
        /// Where the number stands, from 1.
        column: usize,
        /// The number.
        number: u64,
    },
    /// A region that is not there.
    #[error("column {column}: there is no region {number}")]
    NoRegion {
        /// Where the number stands, from 1.
        column: usize,
        /// The number.
        number: u64,
    },
    /// A new spot with another number than the next.
    #[error("column {column}: the new spot is {next}, not {number}")]
    NewSpot {
        /// Where the number stands, from 1.
        column: usize,
        /// The number.
        number: u64,
        /// The number it must have.
        next: Number,
    },
    /// A curve from a spot with one life to itself.
    #[error("spot {0} has one life; a curve to itself takes two")]
    OneLife(Number),
    /// Spots that share no region.
    #[error("spots {0} and {1} share no region")]
    Apart(Number, Number),
    /// A list that is no side of any such curve.
    #[error("no curve from {from} to {to} has these spots, and no others, on one side")]
    NoSide {
        /// Where the curve begins.
        from: Number,
        /// Where it ends.
        to: Number,
    },
    /// No curve between these ends runs like that.
    #[error(
        "no curve from {from} to {to} runs so: `{manner}`; the list of moves says how curves can run"
    )]
    Manner {
        /// Where the curve begins.
        from: Number,
        /// Where it ends.
        to: Number,
        /// What was said of its course.
        manner: String,
    },
    /// Too little is said.
    #[error(
        "spots {from} and {to} are on one boundary: say which spots the curve goes around, as in \
         `{from}-{to} around {example}`"
    )]
    Sides {
        /// Where the curve begins.
        from: Number,
        /// Where it ends.
        to: Number,
        /// Spots that it may go around.
        example: String,
    },
}

/// Most boundaries that one curve turns in words that are understood.
const MOST_TURNED: usize = 12;

/// Most boundaries without a spot of their own for which words are understood.
const MOST_DOUBLE: usize = 8;

/// What was typed, taken apart.
struct Typed {
    from: Number,
    to: Number,
    around: Option<BTreeSet<Number>>,
    /// Counted from 1.
    region: Option<usize>,
    /// How the curve runs, as [`manner`] says it.
    manner: String,
    /// Whether its new spot is left out.
    is_bare: bool,
}

impl Paper {
    /// A move in numbers of spots: its ends; if the curve divides a region, the living spots on the
    /// side that has fewer of them, if it has any; and where there is a choice, the region, counted
    /// from 1.
    ///
    /// # Panics
    /// When the move is none of this paper.
    #[must_use]
    pub fn numbers(&self, witness: &Witness) -> String {
        let [from, to] = self.ends(witness);
        let surface = self.regions[witness.region].surface;
        let [first, second] = self.sides(witness).unwrap_or_default();
        // The course is described for the side that is named.
        let (around, course) = match second.len() < first.len() {
            true => (second, witness.course.clone().exchanged(surface)),
            false => (first, witness.course.clone()),
        };
        let around: Vec<_> = around.iter().map(Number::to_string).collect();
        let mut text = format!("{from}-{to}");
        if !around.is_empty() {
            text = text + " around " + &around.join(", ");
        }
        let has_both = |boundaries: &[Vec<Number>]| {
            [from, to].iter().all(|&end| !places(boundaries, end).is_empty())
        };
        if self.regions().filter(|boundaries| has_both(boundaries)).count() > 1 {
            text += &format!(" in region {}", witness.region + 1);
        }
        let boundaries = &self.regions[witness.region].boundaries;
        let name = |boundary: usize| boundaries[boundary][0].to_string();
        text + &manner(witness, &course, surface, &name)
    }

    /// The spots at the ends of a curve.
    ///
    /// # Panics
    /// When the move is none of this paper.
    #[must_use]
    pub fn ends(&self, witness: &Witness) -> [Number; 2] {
        witness.ends.map(|p| self.spot(witness.region, p).expect("the move is one of this paper"))
    }

    /// The living spots on each side of a curve that are not on the other side too, without its
    /// ends; `None` if it separates nothing.
    ///
    /// # Panics
    /// When the move is none of this paper.
    #[must_use]
    pub fn sides(&self, witness: &Witness) -> Option<[BTreeSet<Number>; 2]> {
        witness.separates().then(|| {
            let [first, second] = self.reaches(witness);
            [&first - &second, &second - &first]
        })
    }

    /// The living spots on each side of a curve that divides, without its ends.
    fn reaches(&self, witness: &Witness) -> [BTreeSet<Number>; 2] {
        let [from, to] = witness.ends;
        let boundaries = &self.regions[witness.region].boundaries;
        let mut sides = [BTreeSet::new(), BTreeSet::new()];
        for (spot, &number) in boundaries[from.boundary].iter().enumerate() {
            let between = if from.spot <= to.spot {
                (from.spot..to.spot).contains(&spot)
            } else {
                spot >= from.spot || spot < to.spot
            };
            sides[usize::from(!between)].insert(number);
        }
        for (boundary, walk) in boundaries.iter().enumerate().filter(|(b, _)| *b != from.boundary) {
            sides[usize::from(!witness.along.contains(&boundary))].extend(walk);
        }
        let ends = self.ends(witness);
        sides.map(|side| side.into_iter().filter(|number| !ends.contains(number)).collect())
    }

    /// The moves that these words can mean. There are several only where spots share several
    /// regions or occur more than once on one boundary. `1(6)4 [2, 3]`, with the number of the new
    /// spot and the spots on one side, is understood too. Behind that may stand how the curve runs,
    /// as [`Paper::numbers`] says it.
    ///
    /// # Errors
    /// [`Unclear`], with the place and the remedy.
    pub fn meant(&self, text: &str) -> Result<Vec<Witness>, Unclear> {
        let Typed { from, to, around, region: wanted, manner: run, is_bare } = self.parse(text)?;
        if from == to && self.degree(from) > 1 {
            return Err(Unclear::OneLife(from));
        }
        let mut meant = Vec::new();
        let mut divisions = Vec::new();
        let regions = self.regions().enumerate();
        let is_wanted = |region: usize| wanted.is_none_or(|wanted| wanted == region + 1);
        for (region, boundaries) in regions.filter(|&(region, _)| is_wanted(region)) {
            let [starts, ends] = [from, to].map(|number| places(boundaries, number));
            for &a in &starts {
                for &b in ends.iter().filter(|&&b| from != to || a == b) {
                    let curve =
                        |along| Witness { is_bare, ..Witness::plain(region, [a, b], along) };
                    if a.boundary != b.boundary || run.starts_with(", through") {
                        // Such a curve has no sides.
                        let plain = around.is_none().then(|| curve(Vec::new()));
                        meant.extend(
                            plain.iter().flat_map(|plain| self.running(plain, &run, false)),
                        );
                        continue;
                    }
                    let others = (0..boundaries.len()).filter(|&other| other != a.boundary);
                    let around = around.clone().unwrap_or_default();
                    // On other surfaces a boundary may have no spot that no other boundary has.
                    let (double, single): (Vec<_>, Vec<_>) =
                        others.partition(|&other| is_double(boundaries, other));
                    if double.len() > MOST_DOUBLE {
                        continue;
                    }
                    let is_in =
                        |&other: &usize| boundaries[other].iter().any(|n| around.contains(n));
                    let (inside, outside): (Vec<_>, Vec<_>) = single.into_iter().partition(is_in);
                    let sides = subsets(&double).flat_map(|some| {
                        let with = |single: &[usize]| {
                            let mut along = [single, &some].concat();
                            along.sort_unstable();
                            along
                        };
                        [(with(&inside), 0), (with(&outside), 1)]
                    });
                    for (along, side) in sides {
                        let witness = curve(along);
                        let reaches = self.reaches(&witness);
                        // What is on both sides need not be named.
                        let alone = &reaches[side] - &reaches[1 - side];
                        if alone.is_subset(&around) && around.is_subset(&reaches[side]) {
                            meant.extend(self.running(&witness, &run, side == 1));
                        } else {
                            divisions.extend(reaches);
                        }
                    }
                }
            }
        }
        if !meant.is_empty() {
            meant.sort();
            meant.dedup();
            return Ok(meant);
        }
        if !run.is_empty() {
            let manner = run.trim_start_matches(", ").escape_debug().to_string();
            return Err(Unclear::Manner { from, to, manner });
        }
        match (divisions.into_iter().find(|side| !side.is_empty()), around) {
            (Some(example), None) => {
                let example: Vec<_> = example.iter().map(Number::to_string).collect();
                Err(Unclear::Sides { from, to, example: example.join(", ") })
            }
            (_, Some(_))
                if self.regions().any(|b| [from, to].iter().all(|&n| !places(b, n).is_empty())) =>
            {
                Err(Unclear::NoSide { from, to })
            }
            _ => Err(Unclear::Apart(from, to)),
        }
    }

    /// The curve with each of its courses that these words describe. They describe the second side
    /// if `is_second`.
    fn running(&self, plain: &Witness, run: &str, is_second: bool) -> Vec<Witness> {
        let Face { boundaries, surface, .. } = &self.regions[plain.region];
        let name = |boundary: usize| boundaries[boundary][0].to_string();
        // Boundaries that are not named are not turned.
        let named = run.split_once("turning ").map_or("", |(_, names)| names);
        let is_named = |b: usize| named.split(" and ").any(|word| word == name(b));
        let turning: Vec<usize> = (0..boundaries.len())
            .filter(|&b| b != plain.ends[0].boundary && boundaries[b].len() > 2 && is_named(b))
            .collect();
        if turning.len() > MOST_TURNED {
            return Vec::new();
        }
        let courses = if plain.divides() {
            let sides = turning.iter().partition(|other| plain.along.contains(other));
            let open = plain.along.is_empty().then(|| Course::of_openings(*surface, &turning));
            let sides = Course::of_divisions(*surface, &<[_; 2]>::from(sides));
            sides.into_iter().chain(open.into_iter().flatten()).collect()
        } else {
            Course::of_joins(*surface)
        };
        let is_said = |course: &Course| {
            let told = if is_second { course.clone().exchanged(*surface) } else { course.clone() };
            let with_spot = Witness { is_bare: false, ..plain.clone() };
            manner(&with_spot, &told, *surface, &name) == run
        };
        let said = courses.into_iter().filter(is_said);
        said.map(|course| Witness { course, ..plain.clone() }).collect()
    }

    fn parse(&self, text: &str) -> Result<Typed, Unclear> {
        let mut tokens = Tokens { chars: text.chars().collect(), at: 0 };
        let from = self.living(&mut tokens)?;
        let has_spot = tokens.take('(');
        if has_spot {
            let (column, number) = tokens.number()?;
            if number != u64::from(self.next_number()) {
                return Err(Unclear::NewSpot { column, number, next: self.next_number() });
            }
            if !tokens.take(')') {
                return Err(tokens.wrong());
            }
        } else if !tokens.take('-') && !tokens.word("to") {
            return Err(tokens.wrong());
        }
        let to = self.living(&mut tokens)?;
        let bracket = tokens.take('[');
        let mut around = None;
        if bracket || tokens.word("around") {
            let mut spots = BTreeSet::new();
            loop {
                let first = self.living(&mut tokens)?;
                let last = if tokens.take('-') { self.living(&mut tokens)? } else { first };
                // A range names the living spots in it.
                let lives = |&number: &Number| self.degree(number) < 3;
                spots.extend((first.min(last)..=first.max(last)).filter(lives));
                if !tokens.has_number_behind_comma() {
                    break;
                }
                tokens.take(',');
            }
            if bracket && !tokens.take(']') {
                return Err(tokens.wrong());
            }
            around = Some(spots);
        }
        let mut region = None;
        if tokens.word("in") {
            if !tokens.word("region") {
                return Err(tokens.wrong());
            }
            let (column, number) = tokens.number()?;
            let found = usize::try_from(number).ok();
            region = found.filter(|region| (1..=self.regions.len()).contains(region));
            if region.is_none() {
                return Err(Unclear::NoRegion { column, number });
            }
        }
        let end = tokens.at;
        let manner = match tokens.peek() {
            None => String::new(),
            Some(',') => tokens.rest(),
            Some(_) => return Err(tokens.wrong()),
        };
        let rest = manner.strip_suffix(BARE).and_then(|rest| rest.strip_suffix(", "));
        if rest.is_some() && has_spot {
            return Err(Unclear::Grammar(end + 1));
        }
        let (is_bare, manner) = (rest.is_some(), rest.unwrap_or(&manner).to_owned());
        Ok(Typed { from, to, around, region, manner, is_bare })
    }

    fn living(&self, tokens: &mut Tokens) -> Result<Number, Unclear> {
        let (column, number) = tokens.number()?;
        let spot =
            Number::try_from(number).ok().filter(|&spot| spot > 0 && spot < self.next_number());
        let there = |&spot: &Number| self.regions().flatten().flatten().any(|&other| other == spot);
        spot.filter(there).ok_or(Unclear::NoSpot { column, number })
    }
}

/// Whether all spots of a boundary stand on other boundaries of the region, too.
fn is_double(boundaries: &[Vec<Number>], boundary: usize) -> bool {
    let others = || boundaries.iter().enumerate().filter(|(b, _)| *b != boundary);
    boundaries[boundary].iter().all(|spot| others().any(|(_, walk)| walk.contains(spot)))
}

/// Where a spot stands in a region.
fn places(boundaries: &[Vec<Number>], number: Number) -> Vec<Place> {
    let walks = boundaries.iter().enumerate();
    let places = walks.flat_map(|(boundary, walk)| {
        let there = walk.iter().enumerate().filter(move |&(_, &other)| other == number);
        there.map(move |(spot, _)| Place { boundary, spot })
    });
    places.collect()
}

/// Reads words from left to right.
struct Tokens {
    chars: Vec<char>,
    at: usize,
}

impl Tokens {
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek().is_some_and(|c| c == wanted || (wanted == '-' && "–—".contains(c)));
        self.at += usize::from(found);
        found
    }

    /// Whether a comma and a number follow.
    fn has_number_behind_comma(&mut self) -> bool {
        let at = self.at;
        let is_list = self.take(',') && self.peek().is_some_and(|c| c.is_ascii_digit());
        self.at = at;
        is_list
    }

    /// All that follows, with one blank between words.
    fn rest(&mut self) -> String {
        let rest: String = self.chars[self.at..].iter().collect();
        self.at = self.chars.len();
        rest.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn word(&mut self, word: &str) -> bool {
        self.peek();
        let length = word.len();
        let there = self.chars.get(self.at..self.at + length);
        let found = there.is_some_and(|t| t.iter().collect::<String>().eq_ignore_ascii_case(word));
        self.at += if found { length } else { 0 };
        found
    }

    /// The column of a number, and the number, which saturates.
    fn number(&mut self) -> Result<(usize, u64), Unclear> {
        self.peek();
        let column = self.at + 1;
        let digits = self.chars[self.at..].iter().map_while(|c| c.to_digit(10));
        let mut value: Option<u64> = None;
        for digit in digits {
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit.into()));
            self.at += 1;
        }
        value.map(|value| (column, value)).ok_or_else(|| self.wrong())
    }

    fn wrong(&self) -> Unclear {
        Unclear::Grammar(self.at + 1)
    }
}
