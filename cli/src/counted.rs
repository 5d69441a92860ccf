//! Progress of work whose amount is not known beforehand. It shows only if standard error is a
//! terminal.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// How often the progress of work is looked at whose amount is not known.
const LOOK: Duration = Duration::from_millis(100);

/// Does `work` of an amount that is not known beforehand, and shows meanwhile for how long, and how
/// far it is: `what`, with the count in front.
pub fn counted<T>(what: &str, count: impl Fn() -> u64 + Send, work: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new_spinner();
    if bar.is_hidden() {
        return work();
    }
    let style = ProgressStyle::with_template("{elapsed}  {spinner} {msg}");
    bar.set_style(style.expect("the template is well-formed"));
    std::thread::scope(|scope| {
        let (busy, done) = channel::<()>();
        scope.spawn(move || {
            while done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(format!("{} {what}", HumanCount(count())));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(busy);
        result
    })
}
