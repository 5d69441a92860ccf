//! A hand and the loops around its steps.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::Pace;

/// The function with which a hand tells what has come of a step.
pub type Tell<'a, N> = &'a mut dyn FnMut(N);

/// Work that goes on for as long as orders come, one step at a time. A step blocks; between steps
/// the hand waits for orders, and for what is due.
pub trait Hand: Send + 'static {
    /// What it is asked to do.
    type Order: Send + 'static;
    /// What it tells.
    type News: Send + 'static;
    /// Most orders that it takes at once.
    const GROUP: usize = 1;

    /// When it goes on without an order; `None` while it waits for one.
    fn due(&self) -> Option<Instant> {
        None
    }

    /// Does these orders, or, if there are none, what is due. `begun` is when the step began; the
    /// time since then is what it has taken. That holds in a simulation, too, where the time passes
    /// before the step and not inside of it.
    fn step(
        &mut self,
        orders: Vec<Self::Order>,
        begun: Instant,
        tell: Tell<'_, Self::News>,
    ) -> ControlFlow<()>;

    /// Says its last words, after the last step.
    fn end(self, _tell: Tell<'_, Self::News>)
    where
        Self: Sized,
    {
    }
}

/// Why a hand goes on.
enum Call<O> {
    Order(O),
    Due,
    /// All senders of orders are gone.
    Over,
}

/// Steps until all senders of orders are gone, or the hand breaks off. Runs on a thread of its own.
pub(crate) fn work<H: Hand>(
    mut hand: H,
    mut orders: mpsc::UnboundedReceiver<H::Order>,
    news: &mpsc::Sender<H::News>,
) {
    // Fails only when the receiver is gone.
    let tell = &mut |word| drop(news.blocking_send(word));
    loop {
        let group = match wait(&mut orders, hand.due()) {
            Call::Order(first) => group::<H>(first, &mut orders),
            Call::Due => Vec::new(),
            Call::Over => break,
        };
        if hand.step(group, Instant::now(), tell).is_break() {
            break;
        }
    }
    hand.end(tell);
}

/// Steps in the same way in simulated time: before each step there is a pause, in which other tasks
/// run.
pub(crate) async fn rehearse<H: Hand>(
    mut hand: H,
    mut orders: mpsc::UnboundedReceiver<H::Order>,
    news: mpsc::Sender<H::News>,
    name: &'static str,
    pace: &Pace,
) {
    let mut words = Vec::new();
    loop {
        let group = match call(&mut orders, hand.due()).await {
            Call::Order(first) => group::<H>(first, &mut orders),
            Call::Due => Vec::new(),
            Call::Over => break,
        };
        let begun = Instant::now();
        tokio::time::sleep(pace(name)).await;
        let flow = hand.step(group, begun, &mut |word| words.push(word));
        for word in words.drain(..) {
            let _ = news.send(word).await;
        }
        if flow.is_break() {
            break;
        }
    }
    hand.end(&mut |word| words.push(word));
    for word in words {
        let _ = news.send(word).await;
    }
}

/// The first order, and all that wait behind it, up to the size of a group.
fn group<H: Hand>(
    first: H::Order,
    orders: &mut mpsc::UnboundedReceiver<H::Order>,
) -> Vec<H::Order> {
    let others = std::iter::from_fn(|| orders.try_recv().ok());
    std::iter::once(first).chain(others.take(H::GROUP - 1)).collect()
}

/// Waits in simulated time for an order or for what is due; an order comes first.
async fn call<O>(orders: &mut mpsc::UnboundedReceiver<O>, due: Option<Instant>) -> Call<O> {
    let told = |order: Option<O>| order.map_or(Call::Over, Call::Order);
    let Some(due) = due else { return told(orders.recv().await) };
    tokio::select! {
        biased;
        order = orders.recv() => told(order),
        () = tokio::time::sleep_until(due) => Call::Due,
    }
}

/// The thread that waits.
struct Sleeper(Thread);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks until there is an order or something is due; an order comes first.
fn wait<O>(orders: &mut mpsc::UnboundedReceiver<O>, due: Option<Instant>) -> Call<O> {
    let waker = Waker::from(Arc::new(Sleeper(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(order) = orders.poll_recv(&mut context) {
            return order.map_or(Call::Over, Call::Order);
        }
        match due {
            None => std::thread::park(),
            Some(due) => {
                let left = due.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Call::Due;
                }
                std::thread::park_timeout(left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Blocking;

    /// Says what it was told, and every ten milliseconds, three times, that time has passed.
    #[derive(Default)]
    struct Parrot {
        due: Option<Instant>,
        ticks: u32,
    }

    #[derive(Debug, PartialEq, Eq)]
    enum Word {
        Said(Vec<u32>),
        Tick,
        Bye,
    }

    impl Hand for Parrot {
        type Order = u32;
        type News = Word;
        const GROUP: usize = 3;

        fn due(&self) -> Option<Instant> {
            self.due
        }

        fn step(
            &mut self,
            orders: Vec<u32>,
            begun: Instant,
            tell: Tell<'_, Word>,
        ) -> ControlFlow<()> {
            if orders.is_empty() {
                self.ticks += 1;
                tell(Word::Tick);
            } else {
                tell(Word::Said(orders));
            }
            self.due = (self.ticks < 3).then(|| begun + Duration::from_millis(10));
            ControlFlow::Continue(())
        }

        fn end(self, tell: Tell<'_, Word>) {
            tell(Word::Bye);
        }
    }

    /// What a parrot says to five orders, and when its last word came.
    async fn heard(blocking: Blocking) -> (Vec<Word>, Duration) {
        let (orders, queue) = mpsc::unbounded_channel();
        // More than it has to say, so that it is told everything before its word is received.
        let (news, mut words) = mpsc::channel(8);
        (1..=5).for_each(|order| orders.send(order).expect("it listens"));
        let begun = Instant::now();
        let running = blocking.start("parrot", Parrot::default(), queue, news).expect("a thread");
        let mut heard = Vec::new();
        while heard.len() < 5 {
            heard.push(words.recv().await.expect("it goes on"));
        }
        let time = begun.elapsed();
        drop(orders);
        heard.push(words.recv().await.expect("it has last words"));
        assert!(words.recv().await.is_none() && running.ends_within(Duration::from_secs(10)));
        (heard, time)
    }

    fn expected() -> Vec<Word> {
        let said = [vec![1, 2, 3], vec![4, 5]].map(Word::Said);
        said.into_iter().chain([Word::Tick, Word::Tick, Word::Tick, Word::Bye]).collect()
    }

    #[tokio::test]
    async fn a_thread_takes_groups_and_wakes_for_what_is_due() {
        let (words, time) = heard(Blocking::Threads).await;
        assert_eq!(words, expected());
        assert!(time >= Duration::from_millis(30), "{time:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_steps_are_made_in_simulated_time() {
        let pace = |name: &str| {
            assert_eq!(name, "parrot");
            Duration::from_secs(100)
        };
        let (words, time) = heard(Blocking::Simulated(Arc::new(pace))).await;
        assert_eq!(words, expected());
        assert_eq!(time, Duration::from_secs(500), "each of five steps has its pause");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_called_once_has_its_pause_too() {
        let begun = Instant::now();
        let simulated = Blocking::Simulated(Arc::new(|_| Duration::from_secs(7)));
        assert_eq!(simulated.call("sum", || 2 + 2).await.expect("no panic"), 4);
        assert_eq!(begun.elapsed(), Duration::from_secs(7));
        assert_eq!(Blocking::Threads.call("sum", || 2 + 3).await.expect("no panic"), 5);
        assert!(Blocking::Threads.call("panic", || panic!("on purpose")).await.is_err());
    }

    #[tokio::test]
    async fn a_hand_that_does_not_end_is_not_waited_for_for_ever() {
        let (orders, queue) = mpsc::unbounded_channel();
        let (news, _words) = mpsc::channel(1);
        let start = Blocking::Threads.start("parrot", Parrot::default(), queue, news);
        assert!(!start.expect("a thread").ends_within(Duration::from_millis(20)));
        drop(orders);
    }
}
