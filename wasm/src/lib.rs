//! The check of certificates for browsers.
//!
//! A page puts the bytes of a certificate into the [`room`], calls [`verify`], and reads there in
//! text what was found. That is all: no library stands between, and the page needs none
//! (`gateway/assets/verifier.js`). Meanwhile the page is told how far it is by the function
//! `sprig.progress` that it brings. The whole runs in a worker of its own, which is ended to stop.
//!
//! The crate also builds for the machine itself, where its tests run.

mod verdict;

use std::sync::{Mutex, PoisonError};

use sprig_verify::Step;

pub use verdict::verdict;

/// What the page and the check leave each other: the bytes of a certificate, then what was found.
static ROOM: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Makes a room of so many bytes, and says where it is.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut room = ROOM.lock().unwrap_or_else(PoisonError::into_inner);
    *room = vec![0; bytes];
    room.as_mut_ptr()
}

/// Checks the certificate in the room. The words about it are there afterwards; says how many
/// bytes they have.
#[unsafe(no_mangle)]
pub extern "C" fn verify() -> usize {
    let bytes = std::mem::take(&mut *ROOM.lock().unwrap_or_else(PoisonError::into_inner));
    let words = verdict(bytes, tell).into_bytes();
    let mut room = ROOM.lock().unwrap_or_else(PoisonError::into_inner);
    *room = words;
    room.len()
}

/// Where the words are that [`verify`] left.
#[unsafe(no_mangle)]
pub extern "C" fn words() -> *const u8 {
    ROOM.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}

/// Tells the page how far the check is: at the base (0) or at the facts (1), how many are done, and
/// of how many.
fn tell(step: &Step, facts: u64) {
    match *step {
        Step::Base(done, met) => page::progress(0, done as f64, met as f64),
        Step::Fact(done) => page::progress(1, done as f64, facts as f64),
    }
}

#[cfg(target_arch = "wasm32")]
mod page {
    #[link(wasm_import_module = "sprig")]
    unsafe extern "C" {
        /// What the page does with it.
        pub safe fn progress(of: u32, done: f64, all: f64);
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod page {
    /// Nobody looks.
    pub fn progress(_of: u32, _done: f64, _all: f64) {}
}
