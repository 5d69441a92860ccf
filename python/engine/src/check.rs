//! The check of certificates, by the oracle.

use std::io::Cursor;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use sprig_oracle::proof::alone;
use sprig_verify::{Bases, Certificate, Checked, Manner, Step, in_words};

use crate::{RefusedError, SprigError};

/// Between two looks whether somebody has pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// Waits until something is done; on Ctrl-C it is told to stop, and the interruption is what comes
/// back.
pub fn wait(is_done: &AtomicBool, stop: impl Fn()) -> PyResult<()> {
    let mut interrupted = Ok(());
    let mut pause = Duration::from_micros(20);
    while !is_done.load(Ordering::Acquire) {
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
        if pause == LOOK && interrupted.is_ok() {
            interrupted = Python::attach(|py| py.check_signals());
            if interrupted.is_err() {
                stop();
            }
        }
    }
    interrupted
}

/// What was found, in the order of the fields of `Proof`.
type Found = (String, String, &'static str, u64, u32, u64, Option<String>);

/// Checks a certificate: its claim in words, its position and play, its facts, the most lives of one,
/// the options that were looked at, and the base of misère play.
#[pyfunction]
#[pyo3(signature = (certificate, progress, large_base))]
pub fn verify(
    py: Python<'_>,
    certificate: Vec<u8>,
    progress: Option<Py<PyAny>>,
    large_base: bool,
) -> PyResult<Found> {
    let refused = |error: sprig_verify::VerifyError| RefusedError::new_err(error.to_string());
    let (stop, is_done) = (AtomicBool::new(false), AtomicBool::new(false));
    let (done, all) = (AtomicU64::new(0), AtomicU64::new(0));
    py.detach(|| {
        std::thread::scope(|scope| {
            let task = scope.spawn(|| {
                let check = || {
                    let certificate = Certificate::read(Cursor::new(certificate))?;
                    all.store(certificate.header.facts, Ordering::Relaxed);
                    let manner = Manner { crew: &alone, large_base, stop: &stop };
                    let tell = |step| {
                        if let Step::Fact(count) = step {
                            done.store(count, Ordering::Relaxed);
                        }
                    };
                    let checked = certificate.check(&mut Bases::default(), &manner, tell)?;
                    Ok((certificate.header, checked))
                };
                let found = check();
                is_done.store(true, Ordering::Release);
                found
            });
            // What the function of the user says goes on where it was called.
            let failed = std::cell::RefCell::new(Ok(()));
            let tell = || {
                let Some(progress) = &progress else { return };
                let (done, all) = (done.load(Ordering::Relaxed), all.load(Ordering::Relaxed));
                let told = Python::attach(|py| progress.call1(py, (done, all)).map(|_| ()));
                if told.is_err() {
                    stop.store(true, Ordering::Relaxed);
                    *failed.borrow_mut() = told;
                }
            };
            let mut interrupted = Ok(());
            while !is_done.load(Ordering::Acquire) {
                std::thread::sleep(LOOK);
                if interrupted.is_ok() && failed.borrow().is_ok() {
                    tell();
                    interrupted = Python::attach(|py| py.check_signals());
                    if interrupted.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            let found = task.join().map_err(|_| {
                SprigError::new_err("this is a bug; please tell the makers of Sprig")
            });
            interrupted?;
            failed.into_inner()?;
            let (header, checked) = found?.map_err(refused)?;
            let Checked { options, lives, base } = checked;
            Ok((
                in_words(&header),
                header.position.to_string(),
                if base.is_some() { "misere" } else { "normal" },
                header.facts,
                lives,
                options,
                base.map(|base| base.position),
            ))
        })
    })
}
