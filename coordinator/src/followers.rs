//! The followers, which keep copies of the database, and what is not acknowledged before enough of
//! them have it on disk.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sprig_proto::{Ban, FollowerStatus, OnDisk};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use tracing::{info, warn};

use crate::backlog::Backlog;
use crate::driver::Inbound;
use crate::machine::Reply;

/// How long acknowledgements may wait before a warning.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long they may wait when the coordinator ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// All followers.
#[derive(Debug)]
pub(crate) struct Followers {
    /// How many followers must have on disk what is acknowledged.
    wanted: usize,
    /// There is a lock because the services and the driver meet here for a moment.
    all: Mutex<All>,
    reached: watch::Sender<Reached>,
    is_withheld: AtomicBool,
}

#[derive(Debug, Default)]
struct All {
    next: u64,
    followers: BTreeMap<u64, Follower>,
}

#[derive(Debug)]
struct Follower {
    name: String,
    build: String,
    on_disk: OnDisk,
}

/// How far enough of them have come.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    /// The last record that enough followers have on disk. A record that has been on enough disks
    /// once counts, even if followers leave later.
    position: u64,
    closing: bool,
}

/// A follower that is connected, until this is dropped.
pub(crate) struct Connected {
    of: Arc<Followers>,
    id: u64,
}

impl Followers {
    /// No followers yet. `wanted` of them must have what is acknowledged.
    pub(crate) fn new(wanted: usize) -> Arc<Self> {
        let (all, reached) = (Mutex::default(), watch::Sender::new(Reached::default()));
        Arc::new(Self { wanted, all, reached, is_withheld: AtomicBool::new(false) })
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A follower comes that has `on_disk` on disk.
    pub(crate) fn join(self: &Arc<Self>, name: &str, build: &str, on_disk: OnDisk) -> Connected {
        let mut all = self.all();
        all.next += 1;
        let id = all.next;
        all.followers.insert(id, Follower { name: name.into(), build: build.into(), on_disk });
        self.look(&all);
        Connected { of: Arc::clone(self), id }
    }

    /// Looks how far enough of them have come.
    fn look(&self, all: &All) {
        if self.wanted == 0 {
            return;
        }
        // Connections of one name may be those of one follower, whose earlier one is not known to be
        // gone yet.
        let mut disks = BTreeMap::<&str, u64>::new();
        for Follower { name, on_disk, .. } in all.followers.values() {
            let position = disks.entry(name).or_default();
            *position = on_disk.position.max(*position);
        }
        let mut positions: Vec<u64> = disks.into_values().collect();
        positions.sort_unstable_by(|a, b| b.cmp(a));
        let position = positions.get(self.wanted - 1).copied().unwrap_or_default();
        self.reached.send_if_modified(|reached| {
            let is_news = position > reached.position;
            reached.position = reached.position.max(position);
            is_news
        });
    }

    /// How many must have what is acknowledged.
    pub(crate) fn wanted(&self) -> usize {
        self.wanted
    }

    /// Whether acknowledgements have waited for long.
    pub(crate) fn is_withheld(&self) -> bool {
        self.is_withheld.load(Ordering::Relaxed)
    }

    /// How the followers stand, while there are `facts` facts.
    pub(crate) fn statuses(&self, facts: u64) -> Vec<FollowerStatus> {
        let all = self.all();
        let status = |follower: &Follower| FollowerStatus {
            name: follower.name.clone(),
            build: follower.build.clone(),
            facts: follower.on_disk.facts,
            behind: facts.saturating_sub(follower.on_disk.facts),
        };
        all.followers.values().map(status).collect()
    }

    /// The coordinator ends: what waits is given up soon.
    pub(crate) fn close(&self) {
        self.reached.send_modify(|reached| reached.closing = true);
    }

    /// Whether enough of them have record `position` on disk.
    fn has(&self, position: u64) -> bool {
        self.reached.borrow().position >= position
    }

    /// Returns when enough of them have record `position` on disk; `false` if the coordinator ends
    /// before.
    async fn reach(&self, position: u64) -> bool {
        let mut reached = self.reached.subscribe();
        let is_there = |now: &Reached| now.position >= position;
        let news = reached.wait_for(|now| is_there(now) || now.closing).await;
        if news.is_ok_and(|now| is_there(&now)) {
            return true;
        }
        timeout(FAREWELL, reached.wait_for(is_there)).await.is_ok_and(|reached| reached.is_ok())
    }

    /// As for [`Self::reach`], with a warning when it takes long.
    async fn patiently(&self, position: u64) -> bool {
        if let Ok(reached) = timeout(PATIENCE, self.reach(position)).await {
            return reached;
        }
        let (wanted, there) = (self.wanted, self.all().followers.len());
        warn!(
            wanted,
            there,
            "nothing is acknowledged until enough followers have it on disk: look at them, start one \
             with `sprig follow`, or start the coordinator without --sync-followers"
        );
        self.is_withheld.store(true, Ordering::Relaxed);
        let reached = self.reach(position).await;
        self.is_withheld.store(false, Ordering::Relaxed);
        if reached {
            info!("enough followers have it on disk: what waited is acknowledged");
        }
        reached
    }
}

impl Connected {
    /// The follower says what it has on disk.
    pub(crate) fn heard(&self, on_disk: OnDisk) {
        let mut all = self.of.all();
        if let Some(follower) = all.followers.get_mut(&self.id) {
            follower.on_disk = on_disk;
        }
        self.of.look(&all);
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.of.all().followers.remove(&self.id);
    }
}

/// Where what is done last waits for followers.
pub(crate) struct Pledge {
    pub(crate) followers: Arc<Followers>,
    hold: mpsc::UnboundedSender<(u64, Held)>,
}

impl Pledge {
    /// Waits for followers from now on; `None` if no follower has to have anything.
    pub(crate) fn start(
        followers: &Arc<Followers>,
        inbox: &mpsc::Sender<Inbound>,
        backlog: &Arc<Backlog>,
    ) -> Option<Self> {
        (followers.wanted > 0).then(|| {
            let (hold, held) = mpsc::unbounded_channel();
            let (of, inbox, backlog) = (Arc::clone(followers), inbox.clone(), Arc::clone(backlog));
            tokio::spawn(release(of, held, inbox, backlog));
            Self { followers: Arc::clone(followers), hold }
        })
    }

    /// Does `held` when enough followers have record `position` on disk, and after all that was
    /// held before.
    pub(crate) fn hold(&self, position: u64, held: Held) {
        // It fails only when the driver has gone, and then no caller waits for anything.
        let _ = self.hold.send((position, held));
    }
}

/// What is not done before followers have what it rests on.
#[derive(Debug)]
pub(crate) enum Held {
    /// Tell the driver.
    Tell(Box<Inbound>),
    /// Reply to a client that bans are lifted.
    Lifted(oneshot::Sender<Reply>, Vec<Ban>),
    /// This many orders wait no more.
    Done(usize),
}

/// Does what is held, in order: each when enough followers have the record with its number.
async fn release(
    followers: Arc<Followers>,
    mut held: mpsc::UnboundedReceiver<(u64, Held)>,
    inbox: mpsc::Sender<Inbound>,
    backlog: Arc<Backlog>,
) {
    let mut is_over = false;
    while let Some((position, held)) = held.recv().await {
        let is_there = match is_over {
            true => followers.has(position),
            false => followers.patiently(position).await,
        };
        if !is_there {
            // The coordinator ends, and no caller was told: those that wait ask again.
            is_over = true;
            continue;
        }
        match held {
            Held::Tell(inbound) => {
                if inbox.send(*inbound).await.is_err() {
                    return;
                }
            }
            // A client that has gone needs no reply.
            Held::Lifted(reply, lifted) => drop(reply.send(Reply::Lifted(lifted))),
            Held::Done(count) => backlog.done(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: u64) -> OnDisk {
        OnDisk { position, facts: position }
    }

    #[tokio::test]
    async fn what_one_has_on_disk_is_acknowledged_and_the_rest_waits() {
        let followers = Followers::new(1);
        let soon = Duration::from_millis(20);
        assert!(timeout(soon, followers.reach(1)).await.is_err(), "nobody follows");
        let (one, two) = (followers.join("one", "", at(0)), followers.join("two", "", at(3)));
        assert!(followers.reach(3).await);
        assert!(timeout(soon, followers.reach(4)).await.is_err());
        one.heard(at(7));
        assert!(followers.reach(7).await);
        let statuses = followers.statuses(9);
        assert_eq!(statuses.iter().map(|status| status.behind).collect::<Vec<_>>(), [2, 6]);
        drop(one);
        // It was on a disk.
        assert!(followers.reach(7).await);
        assert!(timeout(soon, followers.reach(8)).await.is_err());
        drop(two);
        assert_eq!(followers.statuses(9), []);
    }

    #[tokio::test]
    async fn with_two_wanted_the_slower_one_counts() {
        let followers = Followers::new(2);
        let soon = Duration::from_millis(20);
        let one = followers.join("one", "", at(9));
        assert!(timeout(soon, followers.reach(1)).await.is_err());
        let _two = followers.join("two", "", at(4));
        assert!(followers.reach(4).await);
        one.heard(at(12));
        assert!(timeout(soon, followers.reach(5)).await.is_err());
        // It has come back, and its first connection is not known to be gone.
        let _again = followers.join("one", "", at(12));
        assert!(timeout(soon, followers.reach(5)).await.is_err());
    }

    #[tokio::test]
    async fn what_no_follower_has_is_never_told_when_it_ends() {
        let (followers, backlog) = (Followers::new(1), Arc::new(Backlog::default()));
        let (hold, held) = mpsc::unbounded_channel();
        let (inbox, mut told) = mpsc::channel(4);
        let releasing = tokio::spawn(release(Arc::clone(&followers), held, inbox, backlog));
        hold.send((5, Held::Tell(Box::new(Inbound::Stop)))).expect("it listens");
        hold.send((0, Held::Tell(Box::new(Inbound::LibraryClosed)))).expect("it listens");
        assert!(timeout(Duration::from_millis(20), told.recv()).await.is_err());
        followers.close();
        assert!(matches!(told.recv().await, Some(Inbound::LibraryClosed)));
        drop(hold);
        releasing.await.expect("it ends");
    }
}
