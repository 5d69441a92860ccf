//! What happens, as it happens. One task looks for all listeners, and tells them by server-sent
//! events that can be resumed.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::body::{Bytes, Frame};
use sprig_ask::JobRow;
use sprig_domain::JobId;
use sprig_proto::Selection;
use tokio::sync::{mpsc, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

use crate::explorer::Explorer;
use crate::source::Source;

/// Pause between two looks at a coordinator.
const PAUSE: Duration = Duration::from_millis(200);
/// Pause between two looks at a database, which is opened again every few seconds.
const QUIET: Duration = Duration::from_secs(1);
/// How many of the latest jobs are looked at.
const JOBS: usize = 50;
/// Events that are kept for listeners who were away.
const KEPT: usize = 1_000;
/// After this long without an event, a comment says that the connection is open.
const SILENCE: Duration = Duration::from_secs(15);

/// The frames of a stream of events.
pub(crate) type Frames = Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, Infallible>> + Send>>;

/// The latest events, and the listeners that wait for the next.
pub(crate) struct Events {
    /// Tells the events of this process from those of an earlier one.
    run: u64,
    told: Mutex<Told>,
    /// How many events there were. Listeners wait for its change.
    count: watch::Sender<u64>,
}

#[derive(Default)]
struct Told {
    /// The latest events with their numbers. The last number is `count`.
    latest: VecDeque<(u64, Event)>,
    /// The latest state of each subject. Empty before the first look.
    now: HashMap<About, Arc<str>>,
    is_looking: bool,
}

/// What an event is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum About {
    Statistics,
    Job(u64),
}

#[derive(Clone)]
struct Event {
    about: About,
    /// The new state of the subject, one line of JSON.
    data: Arc<str>,
}

impl Default for Events {
    fn default() -> Self {
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let run = clock.map_or(0, |since| since.as_secs());
        Self { run, told: Mutex::default(), count: watch::Sender::new(0) }
    }
}

impl Events {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in how everything is now, and tells what has changed.
    fn note(&self, now: Vec<Event>) {
        let mut told = self.told();
        let mut count = *self.count.borrow();
        // A job that is none of the latest any more is not looked at, and would stay as it was.
        told.now.retain(|about, _| now.iter().any(|event| event.about == *about));
        for event in now {
            if told.now.get(&event.about) != Some(&event.data) {
                told.now.insert(event.about, Arc::clone(&event.data));
                count += 1;
                told.latest.push_back((count, event));
            }
        }
        let old = told.latest.len().saturating_sub(KEPT);
        told.latest.drain(..old);
        self.count.send_if_modified(|known| std::mem::replace(known, count) != count);
    }

    /// What comes after event number `after`, and the number of the last event. None if the events
    /// after that number are no longer all kept.
    fn since(&self, after: u64) -> Option<(String, u64)> {
        let told = self.told();
        let count = *self.count.borrow();
        let first = told.latest.front().map_or(count + 1, |(number, _)| *number);
        let later = told.latest.iter().filter(|(number, _)| *number > after);
        let texts = later.map(|(number, event)| self.text(*number, event));
        (after + 1 >= first).then(|| (texts.collect(), count))
    }

    /// How everything is, as events that bear the number of the last one, and that number.
    fn now(&self) -> (String, u64) {
        let told = self.told();
        let count = *self.count.borrow();
        let mut now: Vec<_> = told.now.iter().collect();
        now.sort_by_key(|(about, _)| **about);
        let event = |(&about, data): (&About, &Arc<str>)| {
            self.text(count, &Event { about, data: Arc::clone(data) })
        };
        (now.into_iter().map(event).collect(), count)
    }

    fn text(&self, number: u64, event: &Event) -> String {
        let name = match event.about {
            About::Statistics => "statistics",
            About::Job(_) => "job",
        };
        format!("id: {}-{number}\nevent: {name}\ndata: {}\n\n", self.run, event.data)
    }

    /// The number of the event that a listener has heard last, if it was one of this process.
    fn heard(&self, headers: &HeaderMap) -> Option<u64> {
        let (run, number) = headers.get("last-event-id")?.to_str().ok()?.split_once('-')?;
        let number: u64 = number.parse().ok()?;
        (run.parse() == Ok(self.run) && number <= *self.count.borrow()).then_some(number)
    }
}

impl Explorer {
    /// The events from now on, or those after the one that `headers` name. A listener who is new,
    /// or was away for too long, is told first how everything is.
    pub(crate) fn events(self: &Arc<Self>, headers: &HeaderMap) -> Frames {
        let heard = self.events.heard(headers);
        let (out, frames) = mpsc::channel(4);
        self.look();
        tokio::spawn(tell(Arc::clone(self), heard, out));
        Box::pin(ReceiverStream::new(frames))
    }

    /// Starts the task that looks again and again for as long as there are listeners, unless one
    /// runs.
    fn look(self: &Arc<Self>) {
        if std::mem::replace(&mut self.events.told().is_looking, true) {
            return;
        }
        let explorer = Arc::clone(self);
        let pause = if matches!(self.source, Source::Database(_)) { QUIET } else { PAUSE };
        tokio::spawn(async move {
            loop {
                // A source that does not answer for a moment has no news.
                if let Ok(now) = explorer.as_it_is().await {
                    explorer.events.note(now);
                }
                tokio::time::sleep(pause).await;
                let mut told = explorer.events.told();
                if explorer.events.count.receiver_count() == 0 {
                    told.is_looking = false;
                    return;
                }
            }
        });
    }

    async fn as_it_is(&self) -> Result<Vec<Event>, crate::problem::Problem> {
        let statistics = self.statistics().await?;
        let mut jobs = self.jobs(&Selection::default(), JobId(u64::MAX), JOBS).await?;
        jobs.reverse();
        // The objects hold texts and numbers alone, so they can always be written.
        let data = |json: serde_json::Result<String>| json.unwrap_or_default().into();
        let jobs = jobs.into_iter().map(|job| {
            let about = About::Job(job.id.0);
            Event { about, data: data(serde_json::to_string(&JobRow::from(job))) }
        });
        let first =
            Event { about: About::Statistics, data: data(serde_json::to_string(&statistics)) };
        Ok(std::iter::once(first).chain(jobs).collect())
    }
}

/// Tells one listener until it goes away.
async fn tell(
    explorer: Arc<Explorer>,
    heard: Option<u64>,
    out: mpsc::Sender<Result<Frame<Bytes>, Infallible>>,
) {
    let events = &explorer.events;
    let mut count = events.count.subscribe();
    let mut last = heard;
    loop {
        count.mark_unchanged();
        let (text, number) =
            last.and_then(|last| events.since(last)).unwrap_or_else(|| events.now());
        // Before the first look there is nothing to tell.
        if !text.is_empty() {
            last = Some(number);
            if out.send(Ok(Frame::data(text.into()))).await.is_err() {
                return;
            }
        }
        tokio::select! {
            changed = count.changed() => if changed.is_err() { return },
            () = out.closed() => return,
            () = tokio::time::sleep(SILENCE) => {
                if out.send(Ok(Frame::data(Bytes::from_static(b": here\n\n")))).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(number: u64, data: &str) -> Event {
        Event { about: About::Job(number), data: data.into() }
    }

    #[test]
    fn what_has_changed_is_told_once_and_can_be_heard_again() {
        let events = Events::default();
        events.note(vec![job(1, "waits"), job(2, "waits")]);
        events.note(vec![job(1, "waits"), job(2, "runs")]);
        assert_eq!(*events.count.borrow(), 3);
        let (later, last) = events.since(2).expect("known");
        assert_eq!(last, 3);
        assert!(later.contains("runs") && !later.contains("waits"), "{later}");
        assert_eq!(events.since(3), Some((String::new(), 3)));
        let (now, count) = events.now();
        assert_eq!((count, now.matches("id: ").count()), (3, 2));
        assert!(
            now.contains(&format!("id: {}-3\nevent: job\ndata: runs\n\n", events.run)),
            "{now}"
        );
        // A listener who was away for too long hears how everything is.
        for number in 0..=KEPT {
            events.note(vec![job(1, &number.to_string())]);
        }
        assert_eq!(events.since(3), None);
        let (now, _) = events.now();
        assert_eq!(now.matches("id: ").count(), 1, "the other job is not looked at any more");
        assert!(events.since(4).is_some_and(|(later, _)| later.matches("id: ").count() == KEPT));
    }

    #[test]
    fn only_numbers_of_this_process_count() {
        let events = Events::default();
        events.note(vec![job(1, "waits")]);
        let heard = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("last-event-id", text.parse().expect("a value"));
            events.heard(&headers)
        };
        assert_eq!(heard(&format!("{}-1", events.run)), Some(1));
        for other in [&format!("{}-2", events.run), "1-1", "x", "-", "1-", ""] {
            assert_eq!(heard(other), None, "{other}");
        }
    }
}
