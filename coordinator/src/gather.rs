//! How long is gathered before a message is sent. Facts that come late are proved twice, but messages
//! cost the coordinator. So these waits grow with the number of workers.

use std::time::Duration;

/// How long each of these many workers gathers what it reports: all together report 4,000 times a
/// second, from 40 workers on.
#[must_use]
pub fn before_reports(workers: usize) -> Duration {
    Duration::from_millis((workers / 4).clamp(10, 1_000) as u64)
}

/// How long the stream of facts for each of these many workers gathers what it tells: there are 1,000
/// messages of facts a second, from ten workers to a thousand.
#[must_use]
pub fn before_news(workers: usize) -> Duration {
    Duration::from_millis(workers.clamp(10, 1_000) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_there_are_the_longer_each_waits() {
        let waits =
            |workers| [before_reports(workers), before_news(workers)].map(|it| it.as_millis());
        assert_eq!([1, 40, 400].map(waits), [[10, 10], [10, 40], [100, 400]]);
        assert_eq!(waits(usize::MAX), [1_000, 1_000]);
    }
}
