//! Threads that find children ahead of time.
//!
//! Nine tenths of the work on a base is finding children, and that needs no trees. So one thread
//! walks the game tree and makes trees, while others find the children of lands that it will come
//! to soon. It never waits for them: children that are not ready when they are needed, it finds
//! itself.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard};

use rustc_hash::{FxHashMap, FxHashSet};
use sprig_search::{Game, TooMany};

use crate::children::Mover;
use crate::names::{Name, Names};

/// What the walker and its helpers share.
#[derive(Default)]
pub(crate) struct Helpers {
    board: Mutex<Board>,
    asked: Condvar,
    count: usize,
}

#[derive(Default)]
struct Board {
    /// Lands that were asked for, the most urgent last. Some may not be wanted any more.
    queue: Vec<u32>,
    /// Lands that were asked for and that the walker has not come to.
    wanted: FxHashSet<u32>,
    ready: FxHashMap<u32, Result<Vec<Name>, TooMany>>,
    /// Helpers that wait for something to do.
    idle: usize,
    closed: bool,
}

impl Helpers {
    /// Runs `walk` with `count` helpers beside it.
    pub fn with<R>(
        game: &impl Game,
        count: usize,
        names: &Names,
        walk: impl FnOnce(&Self) -> R,
    ) -> R {
        let helpers = Self { count, ..Self::default() };
        std::thread::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|| helpers.help(game, names));
            }
            let _closing = Closing(&helpers);
            walk(&helpers)
        })
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().expect("no thread panics at the board")
    }

    /// Asks for the children of lands to which the walker will come, the first the most urgent.
    ///
    /// Only the children of lands on the walker's path are open, so never more than some thousands
    /// are wanted.
    pub fn ask<I: Iterator<Item = u32>>(&self, lands: impl FnOnce() -> I) {
        if self.count == 0 {
            return;
        }
        let lands: Vec<u32> = lands().collect();
        let mut board = self.board();
        for land in lands.into_iter().rev() {
            if board.wanted.insert(land) {
                board.queue.push(land);
            }
        }
        if board.idle > 0 && !board.queue.is_empty() {
            self.asked.notify_all();
        }
    }

    /// The children of a land, if a helper has found them. It is not wanted any more.
    pub fn take(&self, land: u32) -> Option<Result<Vec<Name>, TooMany>> {
        if self.count == 0 {
            return None;
        }
        let mut board = self.board();
        board.wanted.remove(&land);
        board.ready.remove(&land)
    }

    fn help(&self, game: &impl Game, names: &Names) {
        let mut mover = Mover::new(game);
        while let ControlFlow::Continue(land) = self.next() {
            let mut children = Vec::new();
            let found = mover.children(names, land, &mut children).map(|()| children);
            let mut board = self.board();
            if board.wanted.contains(&land) {
                board.ready.insert(land, found);
            }
        }
    }

    /// The next land to look at, as soon as there is one.
    fn next(&self) -> ControlFlow<(), u32> {
        let mut board = self.board();
        loop {
            if board.closed {
                return ControlFlow::Break(());
            }
            match board.queue.pop() {
                Some(land) if board.wanted.contains(&land) => return ControlFlow::Continue(land),
                Some(_) => {}
                None => {
                    board.idle += 1;
                    board = self.asked.wait(board).expect("no thread panics at the board");
                    board.idle -= 1;
                }
            }
        }
    }
}

/// Ends the helpers, even when the walk panics.
struct Closing<'a>(&'a Helpers);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        if let Ok(mut board) = self.0.board.lock() {
            board.closed = true;
        }
        self.0.asked.notify_all();
    }
}
