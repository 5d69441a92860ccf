//! The exported functions, called as a page calls them, with the certificates of the repository.

use std::path::Path;

use sprig_certificate::{Form, Reader, Writer};
use sprig_wasm::verdict;

fn certificate(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificates");
    std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn of(bytes: Vec<u8>) -> String {
    verdict(bytes, |_, _| {})
}

/// The lines of a certificate between its head and its hash.
fn facts(name: &str) -> (sprig_certificate::Header, Vec<String>) {
    let mut reader = Reader::open(std::io::Cursor::new(certificate(name))).expect("a certificate");
    let mut lines = Vec::new();
    while let Some(entry) = reader.next_entry().expect("whole") {
        lines.push(entry.text);
    }
    (reader.header().clone(), lines)
}

#[test]
fn a_proof_is_said_to_be_one() {
    let words = of(certificate("normal/8.cert"));
    assert!(words.starts_with("proved "), "{words}");
    assert!(words.contains("\nplay normal\nposition 0*8\nfacts "), "{words}");
    let words = of(certificate("misere/5.cert"));
    assert!(words.starts_with("proved "), "{words}");
    assert!(
        words.contains("\nplay misere\nposition 0*5\n") && words.contains("\nbase "),
        "{words}"
    );
}

#[test]
fn a_page_is_told_how_far_it_is() {
    let told = std::sync::Mutex::new(Vec::new());
    let words = verdict(certificate("normal/8.cert"), |step, facts| {
        let sprig_verify::Step::Fact(done) = *step else { panic!("there is no base") };
        told.lock().expect("one thread").push((done, facts));
    });
    let told = told.into_inner().expect("one thread");
    assert!(words.contains(&format!("\nfacts {}\n", told.len())), "{words}");
    assert!(told.iter().zip(1..).all(|(&(done, all), n)| done == n && all == told.len() as u64));
}

#[test]
fn a_fact_that_is_missing_or_changed_is_missed() {
    let (header, lines) = facts("normal/8.cert");
    let packed = |lines: &[String]| {
        let header = sprig_certificate::Header { facts: lines.len() as u64, ..header.clone() };
        let mut writer = Writer::new(&header, Form::Gzip, Vec::new()).expect("a head");
        lines.iter().for_each(|line| writer.line(line).expect("a line"));
        writer.finish().expect("an end")
    };
    assert!(of(packed(&lines)).starts_with("proved "));
    for place in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(place);
        let words = of(packed(&fewer));
        assert!(words.starts_with("refused "), "without {}: {words}", lines[place]);
        let mut other = lines.clone();
        let (land, nimber) = other[place].rsplit_once(' ').expect("two fields");
        let nimber: u8 = nimber.parse().expect("a nimber");
        other[place] = format!("{land} {}", nimber + 1);
        let words = of(packed(&other));
        assert!(words.starts_with("refused "), "{}: {words}", other[place]);
    }
}

#[test]
fn what_is_no_certificate_is_refused_in_one_line() {
    let whole = certificate("normal/8.cert");
    let mut flipped = whole.clone();
    flipped[40] ^= 4;
    for bytes in [Vec::new(), b"abc\ndef\n".to_vec(), whole[..100].to_vec(), flipped] {
        let words = of(bytes);
        assert!(words.starts_with("refused ") && words.lines().count() == 1, "{words}");
    }
}
