//! Lists and the positions that they stand for.

use std::collections::BTreeMap;

use sprig_engine::{Boundary, Land, Letter, Position, Region, Spot, notation};

use crate::ListError;

/// What is written behind a spot in a short list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// `o`: alone in its boundary, although of degree 1.
    Once,
    /// `t`: of degree 2, and listed once.
    Twice,
}

/// One occurrence of a spot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Card {
    /// The number of the spot.
    pub spot: u32,
    /// Its mark.
    pub mark: Option<Mark>,
    /// The column where it stands, counted from 1.
    pub column: usize,
}

/// A boundary list: regions of boundaries of spots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List {
    pub(crate) regions: Vec<Vec<Vec<Card>>>,
}

impl List {
    /// Regions, boundaries, spots.
    #[must_use]
    pub fn regions(&self) -> &[Vec<Vec<Card>>] {
        &self.regions
    }

    pub(crate) fn cards(&self) -> impl Iterator<Item = (usize, &[Card], &Card)> {
        let stacks = self.regions.iter().enumerate();
        let stacks =
            stacks.flat_map(|(region, stacks)| stacks.iter().map(move |s| (region, &s[..])));
        stacks.flat_map(|(region, stack)| stack.iter().map(move |card| (region, stack, card)))
    }

    /// How often each spot is listed.
    pub(crate) fn times(&self) -> BTreeMap<u32, usize> {
        let mut times = BTreeMap::new();
        for (_, _, card) in self.cards() {
            *times.entry(card.spot).or_default() += 1;
        }
        times
    }

    /// The position. A list that is a drawing is taken as a full one, any other list as a short
    /// one.
    ///
    /// # Errors
    /// [`ListError`] when it is neither a drawing nor a short list.
    pub fn position(&self) -> Result<Position, ListError> {
        if self.check().is_err() {
            self.check_short()?;
        }
        let times = self.times();
        let mut letters = BTreeMap::new();
        let mut spot = |stack: &[Card], card: &Card| match (times[&card.spot], card.mark) {
            (3.., _) => None,
            (2, _) => {
                let next = u16::try_from(letters.len()).unwrap_or(u16::MAX);
                Some(Spot::Letter(*letters.entry(card.spot).or_insert(Letter(next))))
            }
            (_, Some(Mark::Twice)) => Some(Spot::Two),
            (_, None) if stack.len() == 1 => Some(Spot::Zero),
            _ => Some(Spot::One),
        };
        let mut land = Land::default();
        for stacks in &self.regions {
            let boundaries = stacks
                .iter()
                .map(|stack| Boundary(stack.iter().filter_map(|card| spot(stack, card)).collect()));
            let boundaries: Vec<_> = boundaries.filter(|boundary| !boundary.0.is_empty()).collect();
            if !boundaries.is_empty() {
                land.0.push(Region::spherical(boundaries));
            }
        }
        let position = if land.0.is_empty() { Position::default() } else { Position(vec![land]) };
        // What notation refuses, such as lands that are too large, is refused here, too.
        match notation::read(&position.to_string()) {
            Ok(_) => Ok(position),
            Err(error) => Err(ListError::Refused(error.problem.to_string())),
        }
    }

    fn check_short(&self) -> Result<(), ListError> {
        let times = self.times();
        let mut places: BTreeMap<u32, (usize, *const Card, usize)> = BTreeMap::new();
        for (region, stack, card) in self.cards() {
            let Card { spot, mark, column } = *card;
            let wrong = |what| Err(ListError::Short { column, spot, what });
            match (times[&spot], mark) {
                (3.., _) => return wrong("is dead: leave it out, or list everything"),
                (2, Some(_)) => {
                    return wrong("is listed twice and needs no mark; take the mark out");
                }
                (1, Some(Mark::Once)) if stack.len() > 1 => {
                    return wrong("is not alone in its boundary and needs no `o`; take it out");
                }
                (2, None) => match places.insert(spot, (region, stack.as_ptr(), stack.len())) {
                    Some((there, other, _)) if there == region && other != stack.as_ptr() => {
                        return wrong(
                            "stands in two boundaries of one region, which cannot happen on the sphere",
                        );
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(())
    }
}
