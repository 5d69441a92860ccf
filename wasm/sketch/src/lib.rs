//! Pictures and moves for browsers.
//!
//! A page puts a question into the [`room`], calls [`ask`], and reads the answer there: text both
//! ways, see [`answer`]. No library stands between, and the page needs none
//! (`gateway/assets/board.js`).
//!
//! The crate also builds for the machine itself, where its tests run.

mod answer;

use std::sync::{Mutex, PoisonError};

pub use answer::answer;

/// What the page and the engine leave each other: a question, then its answer.
static ROOM: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Makes a room of so many bytes, and says where it is.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut room = ROOM.lock().unwrap_or_else(PoisonError::into_inner);
    *room = vec![0; bytes];
    room.as_mut_ptr()
}

/// Answers the question in the room. The answer is there afterwards; says how many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    let question = std::mem::take(&mut *ROOM.lock().unwrap_or_else(PoisonError::into_inner));
    let words = answer(&String::from_utf8_lossy(&question)).into_bytes();
    let mut room = ROOM.lock().unwrap_or_else(PoisonError::into_inner);
    *room = words;
    room.len()
}

/// Where the answer is that [`ask`] left.
#[unsafe(no_mangle)]
pub extern "C" fn words() -> *const u8 {
    ROOM.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}
