//! When a service ends by itself, and how long the end may take.

use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use crate::duration::duration;

/// The exit code of a service that ended with work left, so it should be started again
/// (`EX_TEMPFAIL`).
pub const WORK_IS_LEFT: u8 = 75;

/// Pause between two looks whether there is work to do.
const LOOK: Duration = Duration::from_millis(500);

/// When a service ends by itself.
#[derive(Args, Clone, Copy)]
pub struct Leave {
    /// End after this long, as SIGTERM would have it: 90s, 50m, 2h. Exit code 75 says that work was left
    #[arg(long = "for", value_name = "TIME", env = "SPRIG_FOR", value_parser = duration)]
    lifetime: Option<Duration>,
    /// End when there has been nothing to do for this long [without a time: 60s]
    #[arg(
        long,
        value_name = "TIME",
        env = "SPRIG_EXIT_WHEN_IDLE",
        value_parser = duration,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "60s"
    )]
    exit_when_idle: Option<Duration>,
}

/// The notice that the machine gives, for services that hand work back.
#[derive(Args, Clone, Copy)]
pub struct Notice {
    /// How long the end may take after SIGTERM; what cannot be delivered by then is dropped, and searched again by others
    #[arg(long, value_name = "TIME", env = "SPRIG_NOTICE", default_value = "19s", value_parser = duration)]
    pub notice: Duration,
}

/// Watches for how long there has been nothing to do.
pub struct Idle {
    patience: Option<Duration>,
    since: Instant,
    looks: Interval,
}

impl Leave {
    /// The time when the service ends, whether or not there is work.
    pub fn deadline(&self) -> Option<Instant> {
        self.lifetime.map(|lifetime| Instant::now() + lifetime)
    }

    /// A watch over idle time that begins now.
    pub fn idle(&self) -> Idle {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Idle { patience: self.exit_when_idle, since: Instant::now(), looks }
    }
}

impl Idle {
    /// Waits for the time of the next look. The wait has no end if the service stays when it is
    /// idle.
    pub async fn look(&mut self) {
        match self.patience {
            Some(_) => {
                self.looks.tick().await;
            }
            None => std::future::pending().await,
        }
    }

    /// Takes in what a look has shown. True when there has been no work for long enough.
    pub fn is_over(&mut self, is_busy: bool) -> bool {
        if is_busy {
            self.since = Instant::now();
        }
        self.patience.is_some_and(|patience| self.since.elapsed() >= patience)
    }
}
