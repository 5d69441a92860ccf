//! Messages of peers: nothing makes the checked conversions panic, and what they take goes back as it came.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sprig_fuzz::check_message;

fuzz_target!(|bytes: &[u8]| {
    if let [kind, message @ ..] = bytes {
        check_message(*kind, message);
    }
});
