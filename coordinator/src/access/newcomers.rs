//! Connections that have not finished TLS, by address. When one address has too many of them, the
//! oldest makes room for the newest: TLS takes moments, so a silent connection is dropped before an
//! honest one.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use sprig_proto::limits;
use tokio::sync::oneshot;

/// The newcomers of all addresses. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Newcomers(Arc<Mutex<Queues>>);

#[derive(Default)]
struct Queues {
    /// The number of the next newcomer.
    next: u64,
    /// The newcomers of each address, the oldest first. Each has a sender whose drop ends it.
    waiting: HashMap<IpAddr, VecDeque<(u64, oneshot::Sender<()>)>>,
}

/// A newcomer. It is one no longer when this is dropped.
pub(super) struct Newcomer {
    all: Newcomers,
    address: IpAddr,
    number: u64,
    /// Ready when it must make room.
    pub(super) room: oneshot::Receiver<()>,
}

impl Newcomers {
    /// Takes in a newcomer, in place of the oldest of its address if there are too many.
    pub(super) fn admit(&self, address: IpAddr) -> Newcomer {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = queues.next;
        queues.next += 1;
        let waiting = queues.waiting.entry(address).or_default();
        if waiting.len() == limits::BEGINNERS {
            waiting.pop_front();
        }
        let (end, room) = oneshot::channel();
        waiting.push_back((number, end));
        Newcomer { all: self.clone(), address, number, room }
    }
}

impl Drop for Newcomer {
    fn drop(&mut self) {
        let mut queues = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiting) = queues.waiting.get_mut(&self.address) else { return };
        waiting.retain(|(number, _)| *number != self.number);
        if waiting.is_empty() {
            queues.waiting.remove(&self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    #[test]
    fn the_oldest_of_an_address_makes_room() {
        let newcomers = Newcomers::default();
        let (here, there) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([127, 0, 0, 2]));
        let mut other = newcomers.admit(there);
        let mut silent: Vec<_> = (0..limits::BEGINNERS).map(|_| newcomers.admit(here)).collect();
        assert!(silent.iter_mut().all(|one| one.room.try_recv() == Err(TryRecvError::Empty)));
        let mut honest = newcomers.admit(here);
        assert_eq!(honest.room.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(silent[0].room.try_recv(), Err(TryRecvError::Closed));
        assert_eq!(silent[1].room.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(other.room.try_recv(), Err(TryRecvError::Empty));
        drop((silent, honest, other));
        assert!(newcomers.0.lock().expect("sound").waiting.is_empty());
    }
}
