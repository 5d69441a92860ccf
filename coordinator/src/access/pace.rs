//! How fast a caller may go.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A bucket of tokens: `rate` a second flow in, up to `burst`.
#[derive(Debug)]
pub(crate) struct Pace {
    rate: f64,
    burst: f64,
    /// Tokens, and when they were counted. There is a lock because calls of one connection run side
    /// by side.
    level: Mutex<(f64, Instant)>,
}

impl Pace {
    pub(crate) fn new(rate: u32, burst: u32) -> Self {
        let burst = f64::from(burst);
        Self { rate: rate.into(), burst, level: Mutex::new((burst, Instant::now())) }
    }

    /// Takes a token. The error is the time until there is one.
    pub(crate) fn take(&self) -> Result<(), Duration> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Result<(), Duration> {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let (tokens, then) = *level;
        let tokens = (tokens + self.rate * now.saturating_duration_since(then).as_secs_f64())
            .min(self.burst);
        let enough = tokens >= 1.0;
        *level = (if enough { tokens - 1.0 } else { tokens }, now);
        if enough { Ok(()) } else { Err(Duration::from_secs_f64((1.0 - tokens) / self.rate)) }
    }

    /// Waits for a token.
    pub(crate) async fn wait(&self) {
        while let Err(pause) = self.take() {
            tokio::time::sleep(pause).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_the_rate_holds() {
        let pace = Pace::new(10, 3);
        let begun = Instant::now();
        assert_eq!((0..5).filter(|_| pace.take_at(begun).is_ok()).count(), 3);
        let pause = pace.take_at(begun).unwrap_err();
        assert!(pause <= Duration::from_millis(101), "{pause:?}");
        let later = begun + pause;
        assert_eq!(pace.take_at(later), Ok(()));
        assert!(pace.take_at(later).is_err());
        // However long it was quiet, there is no more than a burst.
        let much_later = begun + Duration::from_secs(1000);
        assert_eq!((0..9).filter(|_| pace.take_at(much_later).is_ok()).count(), 3);
    }
}
