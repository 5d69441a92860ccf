//! What the rest of a campaign may cost.

/// One start position that a campaign has solved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Done {
    /// Its spots.
    pub spots: u16,
    /// Seconds that it took, from its start to its answer.
    pub seconds: f64,
}

/// Seconds that the rest of a campaign may take: a range, since single positions vary by a factor
/// of ten.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// Half of all campaigns that look like this one should take longer than this.
    pub likely: f64,
    /// It should rarely be faster than this.
    pub low: f64,
    /// It should rarely take longer than this.
    pub high: f64,
}

/// Positions that took less than this say nothing about the large ones.
const NOTABLE: f64 = 0.05;
/// No forecast rests on fewer notable positions.
const LEAST: usize = 6;
/// A forecast rests on the last ones only: growth changes with size.
const LATEST: usize = 18;
/// Growth for each further spot lies between these: a chain never gets cheaper for long, and
/// nothing that was ever measured grows by more than a factor of 5 for six spots.
const GROWTH: (f64, f64) = (1.0, 1.31);

impl Forecast {
    /// What `rest` may take, judged by `done`; `None` as long as too little is known.
    ///
    /// Fits the logarithm of the seconds by a line in the number of spots (least squares) over the
    /// latest notable positions, and adds up the line over `rest`. The range comes from the spread
    /// of the single positions around the line.
    #[must_use]
    pub fn of(done: &[Done], rest: impl IntoIterator<Item = u16>) -> Option<Self> {
        let notable: Vec<&Done> = done.iter().filter(|done| done.seconds >= NOTABLE).collect();
        let latest = &notable[notable.len().saturating_sub(LATEST)..];
        if latest.len() < LEAST {
            return None;
        }
        let count = latest.len() as f64;
        let point = |done: &&Done| (f64::from(done.spots), done.seconds.ln());
        let (sum_x, sum_y) =
            latest.iter().map(point).fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        let (mean_x, mean_y) = (sum_x / count, sum_y / count);
        let (mut covariance, mut variance) = (0.0, 0.0);
        for (x, y) in latest.iter().map(point) {
            covariance += (x - mean_x) * (y - mean_y);
            variance += (x - mean_x) * (x - mean_x);
        }
        let slope = if variance == 0.0 { 0.0 } else { covariance / variance };
        let slope = slope.clamp(GROWTH.0.ln(), GROWTH.1.ln());
        let line = |x: f64| mean_y + slope * (x - mean_x);
        let residues = latest.iter().map(point).map(|(x, y)| (y - line(x)).powi(2));
        let spread = (residues.sum::<f64>() / (count - 2.0)).sqrt();
        // The mean of a log-normal variable lies above its median by half of its variance.
        let mean = (spread * spread / 2.0).min(1.5);
        let (mut likely, mut positions) = (0.0_f64, 0.0_f64);
        for spots in rest {
            likely += (line(f64::from(spots)) + mean).exp();
            positions += 1.0;
        }
        if positions == 0.0 {
            return None;
        }
        // The largest few make up most of the sum, so it varies almost like a single position.
        let factor = (2.0 * spread / positions.min(4.0).sqrt()).exp().max(1.5);
        Some(Self { likely, low: likely / factor, high: likely * factor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(factor: f64, spots: std::ops::RangeInclusive<u16>) -> Vec<Done> {
        spots.map(|spots| Done { spots, seconds: factor.powi(spots.into()) }).collect()
    }

    #[test]
    fn steady_growth_goes_on() {
        let forecast = Forecast::of(&grown(1.2, 10..=30), 31..=32).expect("enough is known");
        let truth = 1.2_f64.powi(31) + 1.2_f64.powi(32);
        assert!((forecast.likely / truth - 1.0).abs() < 0.01, "{forecast:?} for {truth}");
        assert!(forecast.low < truth && truth < forecast.high);
    }

    #[test]
    fn nothing_is_promised_from_nothing() {
        assert_eq!(Forecast::of(&grown(1.2, 10..=14), 15..=16), None);
        let quick: Vec<Done> = (2..20).map(|spots| Done { spots, seconds: 0.01 }).collect();
        assert_eq!(Forecast::of(&quick, 20..=30), None);
        assert_eq!(Forecast::of(&grown(1.2, 10..=30), []), None);
    }

    #[test]
    fn scattered_positions_widen_the_range() {
        let scattered: Vec<Done> = grown(1.2, 10..=30)
            .into_iter()
            .map(|done| Done {
                seconds: done.seconds * if done.spots % 2 == 0 { 4.0 } else { 0.25 },
                ..done
            })
            .collect();
        let steady = Forecast::of(&grown(1.2, 10..=30), 31..=40).expect("enough is known");
        let wide = Forecast::of(&scattered, 31..=40).expect("enough is known");
        assert!(wide.high / wide.low > 2.0 * steady.high / steady.low);
    }
}
