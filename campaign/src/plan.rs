//! What solving a start position may cost, judged by those that were measured.
//!
//! How hard a start position of normal play is depends on its number of spots modulo 6 as much as
//! on its size: 33 spots take seven times as long as 40. So each remainder has a line of its own,
//! the logarithm of the expansions over the spots. Its slope lies between that of its own points
//! and that of all points; the more its own points say, the nearer to theirs (a mixed model with
//! random slopes). The range is the prediction interval of that model, and wider the further it
//! reaches.

use std::collections::BTreeMap;

/// What was measured: spots, expansions, seconds of a processor, peak memory in MB.
const MEASURED: &str = include_str!("measured.tsv");

/// A start position of normal play that was solved from an empty database.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Its spots.
    pub spots: u16,
    /// Expansions that it took.
    pub expansions: f64,
    /// Seconds of one core and bytes of memory, if they are known.
    pub needs: Option<(f64, f64)>,
}

/// A number that is known up to a factor: with nine chances in ten it lies between `likely /
/// factor` and `likely * factor`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// As likely too low as too high.
    pub likely: f64,
    /// At least 1.
    pub factor: f64,
}

/// What a start position may take.
#[derive(Clone, PartialEq, Debug)]
pub struct Effort {
    /// Expansions.
    pub expansions: Estimate,
    /// Hours of one core like those that were measured.
    pub core_hours: Estimate,
    /// Bytes for the tables of a search that never has to forget.
    pub memory: Estimate,
    /// The measured start positions of its kind.
    pub kin: Vec<u16>,
    /// Whether it is one of them.
    pub is_measured: bool,
}

/// Nothing of its kind was measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "no start position was measured whose number of spots is {} modulo 6, as that of {} is, so nothing can be said; solve a smaller \
     one of them with `sprig bench N` and give its expansions, as in --measured {}=33568", .0 % 6, .0, smaller(*.0)
)]
pub struct Unmeasured(pub u16);

/// A smaller number of spots of the same kind that is quickly solved.
fn smaller(spots: u16) -> u16 {
    if spots % 6 < 2 { 24 + spots % 6 } else { 18 + spots % 6 }
}

/// The time of several searches together, as a power of their number: races of two and four workers
/// on 40, 41, 46 and 47 spots (docs/scale.md, "Real races") give 0.44 to 0.91 and 0.43 to 0.72,
/// sixteen in lockstep 0.34 to 0.36; two threads of one worker, which share their tables, 0.28 to
/// 1.2.
const SPEED_UP: (f64, f64) = (0.55, 0.25);
/// Repeated searches of one position differ by no more than this, nine times in ten.
const REPEATED: f64 = 1.6;
/// Standard deviation of the slopes of the remainders: 0.18, 0.19 and 0.20 a spot for 4, 5 and 3
/// modulo 6, 0.35 for 0.
const SLOPES: f64 = 0.08;
/// What the slope may change by, a spot beyond the largest that was measured. Nothing says how
/// much; this is a judgement.
const BEYOND: f64 = 0.02;
/// Quantile of Student's distribution for nine in ten, with eleven degrees of freedom and more.
const QUANTILE: f64 = 1.8;

impl Estimate {
    /// It should rarely be less.
    #[must_use]
    pub fn low(self) -> f64 {
        self.likely / self.factor
    }

    /// It should rarely be more.
    #[must_use]
    pub fn high(self) -> f64 {
        self.likely * self.factor
    }

    /// The product with another estimate that is independent of this one.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let factor = self.factor.ln().hypot(other.factor.ln()).exp();
        Self { likely: self.likely * other.likely, factor }
    }

    /// The product with a number that is known.
    #[must_use]
    pub fn scaled(self, by: f64) -> Self {
        Self { likely: self.likely * by, ..self }
    }

    /// The geometric mean of some numbers, and how far they scatter.
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let logarithms: Vec<f64> = numbers.map(f64::ln).collect();
        let count = logarithms.len().max(1) as f64;
        let mean = logarithms.iter().sum::<f64>() / count;
        let squares = logarithms.iter().map(|l| (l - mean).powi(2)).sum::<f64>();
        let spread = (squares / (count - 1.0).max(1.0)).sqrt();
        Self { likely: mean.exp(), factor: (QUANTILE * spread).exp() }
    }
}

/// The start positions that were measured for this program.
///
/// # Panics
/// Never: a test reads them.
#[must_use]
pub fn measured() -> Vec<Measured> {
    let lines = MEASURED.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let mut fields = line.split('\t').map(str::parse::<f64>);
        let mut next = || fields.next().expect("a field").expect("a number");
        let (spots, expansions) = (next() as u16, next());
        Measured { spots, expansions, needs: Some((next(), next() * 1e6)) }
    };
    lines.map(read).collect()
}

/// What `spots` spots may take, judged by `measured`.
///
/// # Errors
/// When nothing of its kind was measured.
pub fn effort(spots: u16, measured: &[Measured]) -> Result<Effort, Unmeasured> {
    let mut kinds = BTreeMap::<u16, Vec<(f64, f64)>>::new();
    for one in measured {
        let point = (f64::from(one.spots), one.expansions.ln());
        kinds.entry(one.spots % 6).or_default().push(point);
    }
    let kin = kinds.get(&(spots % 6)).ok_or(Unmeasured(spots))?;
    let lines = Lines::through(&kinds);
    let same = || measured.iter().filter(|one| one.spots == spots);
    let is_measured = same().next().is_some();
    let expansions = if is_measured {
        Estimate { factor: REPEATED, ..Estimate::of(same().map(|one| one.expansions)) }
    } else {
        lines.at(f64::from(spots), kin)
    };
    let needs = |of: fn((f64, f64)) -> f64| {
        let each = measured.iter().filter_map(|one| Some(of(one.needs?) / one.expansions));
        expansions.times(Estimate::of(each))
    };
    // Small searches need memory before they begin, so that only the large ones say what an
    // expansion takes.
    let large = measured.iter().filter(|one| one.expansions > 2e5);
    let bytes = Estimate::of(large.filter_map(|one| Some(one.needs?.1 / one.expansions)));
    let mut kin: Vec<u16> =
        measured.iter().map(|one| one.spots).filter(|one| one % 6 == spots % 6).collect();
    kin.sort_unstable();
    kin.dedup();
    let core_hours = needs(|(seconds, _)| seconds).scaled(1.0 / 3600.0);
    Ok(Effort { expansions, core_hours, memory: expansions.times(bytes), kin, is_measured })
}

/// Hours by the clock, of `cores` cores that are `speed` times as fast as those that were measured.
#[must_use]
pub fn hours(effort: &Effort, cores: f64, speed: f64) -> Estimate {
    let (likely, scatter) = SPEED_UP;
    let gain = Estimate { likely: cores.powf(-likely), factor: cores.powf(scatter) };
    effort.core_hours.times(gain).scaled(1.0 / speed)
}

/// The lines of all kinds.
struct Lines {
    /// The slope of all points, each around the mean of its kind.
    slope: f64,
    /// Variance of the points around the lines of their kinds.
    spread: f64,
}

/// Sums of the points of one kind around their mean.
struct Centred {
    x: f64,
    y: f64,
    /// Sums of the squares of the first coordinate, and of the products of both.
    squares: f64,
    products: f64,
}

impl Centred {
    fn of(points: &[(f64, f64)]) -> Self {
        let (x, y) = mean(points);
        let sum = |of: fn(f64, f64) -> f64| points.iter().map(|p| of(p.0 - x, p.1 - y)).sum();
        Self { x, y, squares: sum(|x, _| x * x), products: sum(|x, y| x * y) }
    }

    /// The slope of these points alone, if there are two sizes.
    fn slope(&self) -> Option<f64> {
        (self.squares > 0.0).then(|| self.products / self.squares)
    }
}

impl Lines {
    fn through(kinds: &BTreeMap<u16, Vec<(f64, f64)>>) -> Self {
        let (mut products, mut squares, mut around, mut freedom) = (0.0, 0.0, 0.0, 0.0);
        for points in kinds.values() {
            let kin = Centred::of(points);
            let Some(slope) = kin.slope() else { continue };
            (products, squares) = (products + kin.products, squares + kin.squares);
            let off = |(x, y): &(f64, f64)| (y - kin.y - slope * (x - kin.x)).powi(2);
            around += points.iter().map(off).sum::<f64>();
            freedom += points.len() as f64 - 2.0;
        }
        let slope = if squares > 0.0 { products / squares } else { 0.0 };
        Self { slope, spread: around / freedom.max(1.0) }
    }

    /// What the line of these points says at `x`.
    fn at(&self, x: f64, points: &[(f64, f64)]) -> Estimate {
        let kin = Centred::of(points);
        // How far the slope of these points is believed, and how uncertain it still is.
        let evidence = SLOPES.powi(2) * kin.squares;
        let own = if evidence > 0.0 { evidence / (evidence + self.spread) } else { 0.0 };
        let slope = self.slope + own * (kin.slope().unwrap_or(self.slope) - self.slope);
        let doubt = SLOPES.powi(2) * (1.0 - own);
        let largest = points.iter().map(|point| point.0).fold(0.0, f64::max);
        let beyond = BEYOND * (x - largest).max(0.0);
        let distance = x - kin.x;
        // Points are no closer to a line than repeated searches to each other.
        let least = (REPEATED.ln() / QUANTILE).powi(2);
        let near = self.spread.max(least) * (1.0 + 1.0 / points.len() as f64);
        let variance = near + distance * distance * doubt + beyond * beyond;
        let likely = (kin.y + slope * distance).exp();
        Estimate { likely, factor: (QUANTILE * variance.sqrt()).exp() }
    }
}

fn mean(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    (x / count, y / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(spots: u16) -> Vec<Measured> {
        measured().into_iter().filter(|one| one.spots != spots).collect()
    }

    #[test]
    fn what_was_measured_is_within_the_range_of_what_the_others_foretell() {
        let mut outside = 0;
        for one in measured() {
            let Ok(effort) = effort(one.spots, &without(one.spots)) else { continue };
            assert!(!effort.is_measured);
            let Estimate { likely, factor } = effort.expansions;
            let off = (one.expansions / likely).ln().abs();
            outside += usize::from(off > factor.ln());
            assert!(off < 2.0 * factor.ln(), "{}: {:?}", one.spots, effort.expansions);
        }
        // Nine in ten of 26.
        assert!(outside <= 4, "{outside}");
    }

    #[test]
    fn further_away_is_less_certain_and_a_measured_one_is_most_certain() {
        let factor = |spots| effort(spots, &measured()).expect("of a kind").expansions.factor;
        assert!(factor(41) < factor(53) && factor(53) < factor(95));
        let known = effort(33, &measured()).expect("measured");
        let own = measured().into_iter().find(|one| one.spots == 33).expect("it is").expansions;
        assert!(known.is_measured && (known.expansions.likely / own - 1.0).abs() < 1e-9);
        assert_eq!(known.kin, [21, 27, 33]);
    }

    #[test]
    fn a_kind_that_was_not_measured_is_refused_until_it_is() {
        let others: Vec<_> = measured().into_iter().filter(|one| one.spots % 6 != 1).collect();
        let error = effort(49, &others).expect_err("nothing is known of 1 modulo 6");
        assert!(error.to_string().contains("--measured 25=33568"), "{error}");
        let more = Measured { spots: 25, expansions: 33568.0, needs: None };
        let known: Vec<_> = others.into_iter().chain([more]).collect();
        let effort = effort(49, &known).expect("something is");
        assert!(effort.expansions.likely > 33568.0 && effort.core_hours.likely > 0.0);
    }

    #[test]
    fn more_cores_take_less_time_and_more_of_it_in_all() {
        let effort = effort(47, &measured()).expect("measured");
        let (one, many) = (hours(&effort, 1.0, 1.0), hours(&effort, 16.0, 1.0));
        assert!(many.likely < one.likely && 16.0 * many.likely > one.likely);
        assert!(many.factor > one.factor);
        assert!((hours(&effort, 1.0, 2.0).likely * 2.0 / one.likely - 1.0).abs() < 1e-9);
        // Measured: 37 seconds of a processor, 407 MB.
        let seconds = effort.core_hours.likely * 3600.0;
        assert!((20.0..60.0).contains(&seconds), "{seconds}");
        assert!((2e8..8e8).contains(&effort.memory.likely), "{:?}", effort.memory);
    }
}
