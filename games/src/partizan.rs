//! Values of partizan games: canonical forms, sums, numbers, and temperatures.
//!
//! As in J. H. Conway, *On Numbers and Games* (1976), and E. Berlekamp, J. H. Conway, R. Guy,
//! *Winning Ways* (1982): a game is two sets of games, the options of Left and of Right. Every
//! short game has one canonical form, without dominated options and reversible moves, so that equal
//! games have equal [`Value`]s here.

mod thermograph;

use std::fmt;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::TooLarge;

pub use thermograph::Heat;

/// A game in canonical form, by its number in [`Values`]. Equal games have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(u32);

/// A dyadic fraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fraction {
    /// Above the line; odd, unless the denominator is 1.
    pub numerator: i64,
    /// Below the line; a power of two.
    pub denominator: i64,
}

/// Who wins with best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Left wins, no matter who begins.
    Left,
    /// Right wins, no matter who begins.
    Right,
    /// The player who begins wins.
    Next,
    /// The player who does not begin wins.
    Previous,
}

/// Canonical forms that are known, and how they compare and add up.
pub struct Values {
    forms: Vec<Form>,
    numbers: HashMap<Form, Value, FxBuildHasher>,
    ordered: HashMap<(Value, Value), bool, FxBuildHasher>,
    sums: HashMap<(Value, Value), Value, FxBuildHasher>,
    heats: HashMap<Value, thermograph::Walls, FxBuildHasher>,
    comparisons: usize,
}

/// The options of both players, each sorted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Form {
    left: Vec<Value>,
    right: Vec<Value>,
}

/// Most comparisons of games, and most canonical forms.
const COMPARISONS: usize = 20_000_000;
const FORMS: usize = 200_000;

impl Class {
    /// The class, from whether Left wins when Left begins, and whether Left wins when Right begins.
    #[must_use]
    pub fn new(left_wins_first: bool, left_wins_second: bool) -> Self {
        match (left_wins_first, left_wins_second) {
            (true, true) => Self::Left,
            (true, false) => Self::Next,
            (false, true) => Self::Previous,
            (false, false) => Self::Right,
        }
    }
}

/// `L`, `R`, `N` or `P`.
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Left => "L",
            Self::Right => "R",
            Self::Next => "N",
            Self::Previous => "P",
        })
    }
}

impl Fraction {
    fn new(numerator: i64, denominator: i64) -> Self {
        let shift = numerator.trailing_zeros().min(denominator.trailing_zeros());
        Self { numerator: numerator >> shift, denominator: denominator >> shift }
    }

    fn integer(numerator: i64) -> Self {
        Self { numerator, denominator: 1 }
    }

    fn plus(self, other: Self) -> Self {
        let denominator = self.denominator.max(other.denominator);
        let over = |f: Self| f.numerator * (denominator / f.denominator);
        Self::new(over(self) + over(other), denominator)
    }

    fn half(self) -> Self {
        Self::new(self.numerator, 2 * self.denominator)
    }

    fn is_below(self, other: Self) -> bool {
        self.numerator * other.denominator < other.numerator * self.denominator
    }
}

/// `-3/4`.
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => self.numerator.fmt(f),
            below => write!(f, "{}/{below}", self.numerator),
        }
    }
}

impl Value {
    /// The game in which neither player can move.
    pub const ZERO: Self = Self(0);
}

impl Default for Values {
    fn default() -> Self {
        let forms = vec![Form::default()];
        let numbers = [(Form::default(), Value::ZERO)].into_iter().collect();
        let (ordered, sums, heats) = (HashMap::default(), HashMap::default(), HashMap::default());
        Self { forms, numbers, ordered, sums, heats, comparisons: 0 }
    }
}

/// A game that is known, or the one that is being made.
#[derive(Clone, Copy)]
enum Side<'a> {
    Known(Value),
    New(&'a Form),
}

impl Values {
    /// The value of the game with these options.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn of(&mut self, left: Vec<Value>, right: Vec<Value>) -> Result<Value, TooLarge> {
        let mut form = Form { left, right };
        loop {
            self.drop_dominated(&mut form.left, |values, a, b| values.at_most(a, b))?;
            self.drop_dominated(&mut form.right, |values, a, b| values.at_most(b, a))?;
            if !self.bypass(&mut form)? {
                break;
            }
        }
        if let Some(&known) = self.numbers.get(&form) {
            return Ok(known);
        }
        if self.forms.len() >= FORMS {
            return Err(TooLarge { limit: FORMS, what: "canonical forms" });
        }
        let value = Value(u32::try_from(self.forms.len()).expect("few forms"));
        self.forms.push(form.clone());
        self.numbers.insert(form, value);
        Ok(value)
    }

    /// Sorts options and drops those that are no better for their player than another one.
    fn drop_dominated(
        &mut self,
        options: &mut Vec<Value>,
        mut is_no_better: impl FnMut(&mut Self, Value, Value) -> Result<bool, TooLarge>,
    ) -> Result<(), TooLarge> {
        options.sort_unstable();
        options.dedup();
        let mut i = 0;
        while i < options.len() {
            let mut dominated = false;
            for j in 0..options.len() {
                if i != j && is_no_better(self, options[i], options[j])? {
                    dominated = true;
                    break;
                }
            }
            if dominated {
                options.remove(i);
            } else {
                i += 1;
            }
        }
        Ok(())
    }

    /// Replaces one reversible option by what the answer to it leaves, if there is one.
    fn bypass(&mut self, form: &mut Form) -> Result<bool, TooLarge> {
        for i in 0..form.left.len() {
            for answer in self.forms[form.left[i].0 as usize].right.clone() {
                if self.compare(Side::Known(answer), Side::New(form))? {
                    form.left.swap_remove(i);
                    form.left.extend_from_slice(&self.forms[answer.0 as usize].left);
                    return Ok(true);
                }
            }
        }
        for i in 0..form.right.len() {
            for answer in self.forms[form.right[i].0 as usize].left.clone() {
                if self.compare(Side::New(form), Side::Known(answer))? {
                    form.right.swap_remove(i);
                    form.right.extend_from_slice(&self.forms[answer.0 as usize].right);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a ≤ b: Right does no worse in a than in b.
    fn at_most(&mut self, a: Value, b: Value) -> Result<bool, TooLarge> {
        self.compare(Side::Known(a), Side::Known(b))
    }

    /// a ≤ b unless a left option of a is ≥ b, or a right option of b is ≤ a.
    fn compare(&mut self, a: Side<'_>, b: Side<'_>) -> Result<bool, TooLarge> {
        let pair = match (a, b) {
            (Side::Known(a), Side::Known(b)) if a == b => return Ok(true),
            (Side::Known(a), Side::Known(b)) => Some((a, b)),
            _ => None,
        };
        if let Some(&known) = pair.and_then(|pair| self.ordered.get(&pair)) {
            return Ok(known);
        }
        self.comparisons += 1;
        if self.comparisons > COMPARISONS {
            return Err(TooLarge { limit: COMPARISONS, what: "comparisons of games" });
        }
        let (left, right) = (self.options(a).left.clone(), self.options(b).right.clone());
        let mut holds = true;
        for option in left {
            holds = holds && !self.compare(b, Side::Known(option))?;
        }
        for option in right {
            holds = holds && !self.compare(Side::Known(option), a)?;
        }
        if let Some(pair) = pair {
            self.ordered.insert(pair, holds);
        }
        Ok(holds)
    }

    fn options<'a>(&'a self, side: Side<'a>) -> &'a Form {
        match side {
            Side::Known(value) => &self.forms[value.0 as usize],
            Side::New(form) => form,
        }
    }

    /// The sum of two games.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn sum(&mut self, a: Value, b: Value) -> Result<Value, TooLarge> {
        if a == Value::ZERO {
            return Ok(b);
        }
        if b == Value::ZERO {
            return Ok(a);
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.sums.get(&pair) {
            return Ok(known);
        }
        let (one, other) = (self.forms[a.0 as usize].clone(), self.forms[b.0 as usize].clone());
        let mut both = |one: &[Value], other: &[Value]| {
            let one = one.iter().map(|&option| (option, b));
            let other = other.iter().map(|&option| (a, option));
            one.chain(other).map(|(a, b)| self.sum(a, b)).collect::<Result<Vec<_>, _>>()
        };
        let left = both(&one.left, &other.left)?;
        let right = both(&one.right, &other.right)?;
        let value = self.of(left, right)?;
        self.sums.insert(pair, value);
        Ok(value)
    }

    /// Who wins it in normal play.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn class(&mut self, value: Value) -> Result<Class, TooLarge> {
        let left_first = !self.at_most(value, Value::ZERO)?;
        let left_second = self.at_most(Value::ZERO, value)?;
        Ok(Class::new(left_first, left_second))
    }

    /// The number that it is, if it is one.
    #[must_use]
    pub fn number(&self, value: Value) -> Option<Fraction> {
        let Form { left, right } = &self.forms[value.0 as usize];
        match (&left[..], &right[..]) {
            ([], []) => Some(Fraction::integer(0)),
            (&[one], []) => Some(self.number(one)?.plus(Fraction::integer(1))),
            ([], &[one]) => Some(self.number(one)?.plus(Fraction::integer(-1))),
            (&[one], &[other]) => {
                let (one, other) = (self.number(one)?, self.number(other)?);
                one.is_below(other).then(|| one.plus(other).half())
            }
            _ => None,
        }
    }

    /// A number and a nimber whose sum it is, if there are such.
    #[must_use]
    pub fn number_and_nimber(&self, value: Value) -> Option<(Fraction, usize)> {
        if let Some(number) = self.number(value) {
            return Some((number, 0));
        }
        let Form { left, right } = &self.forms[value.0 as usize];
        if left != right {
            return None;
        }
        let mut options = left
            .iter()
            .map(|&option| self.number_and_nimber(option))
            .collect::<Option<Vec<_>>>()?;
        options.sort_unstable_by_key(|&(_, nimber)| nimber);
        let &(number, _) = options.first()?;
        let is_heap = options.iter().enumerate().all(|(i, &option)| option == (number, i));
        is_heap.then_some((number, options.len()))
    }

    /// Its canonical form as text: a number, a number and a nimber (`1*`, `*2`), a switch (`±1`),
    /// or the options of both in braces. `None` if that is longer than `longest`, in bytes.
    #[must_use]
    pub fn text(&self, value: Value, longest: usize) -> Option<String> {
        if let Some((number, nimber)) = self.number_and_nimber(value) {
            let star = match nimber {
                0 => return Some(number.to_string()),
                1 => "*".to_owned(),
                nimber => format!("*{nimber}"),
            };
            let is_zero = number == Fraction::integer(0);
            return Some(if is_zero { star } else { format!("{number}{star}") });
        }
        let Form { left, right } = &self.forms[value.0 as usize];
        if let (&[one], &[other]) = (&left[..], &right[..])
            && let (Some(one), Some(other)) = (self.number(one), self.number(other))
            && one.plus(other) == Fraction::integer(0)
        {
            return Some(format!("±{one}"));
        }
        let list = |options: &[Value], longest: usize| {
            let mut text = String::new();
            for (i, &option) in options.iter().enumerate() {
                text += if i > 0 { ", " } else { "" };
                text += &self.text(option, longest.checked_sub(text.len())?)?;
            }
            Some(text)
        };
        let left = list(left, longest)?;
        let right = list(right, longest.checked_sub(left.len())?)?;
        let text = format!("{{{left} | {right}}}");
        (text.len() <= longest).then_some(text)
    }

    /// How many canonical forms are known.
    #[must_use]
    pub fn known(&self) -> usize {
        self.forms.len()
    }
}

#[cfg(test)]
mod tests;
