//! Round trips, and what is refused.

use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use sprig_engine::{Nimber, notation};

use crate::source::Source;
use crate::{
    CertificateError, Claim, Entry, Fact, Facts, Form, Game, Header, Loss, Play, Reader, checksum,
    write,
};

fn certificate() -> (Header, Vec<Fact>) {
    let fact = |land, nimber| Fact {
        land: notation::read(land).expect("well-formed"),
        nimber: Nimber::new(nimber).expect("in range"),
    };
    let facts = vec![fact("0*2", 0), fact("0.AB|AB", 1), fact("1a1a", 1)];
    let position = notation::read("0*2").expect("well-formed");
    (
        Header { game: Game::Sprouts, play: Play::Normal, position, claim: Claim::Loss, facts: 3 },
        facts,
    )
}

fn written(form: Form) -> Vec<u8> {
    let (header, facts) = certificate();
    let mut out = Vec::new();
    write(&header, &Facts::Nimbers(facts), form, &mut out).expect("memory takes everything");
    out
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<Entry>), CertificateError> {
    let mut reader = Reader::open(Cursor::new(bytes.to_vec()))?;
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry()? {
        entries.push(entry);
    }
    Ok((reader.header().clone(), entries))
}

#[test]
fn the_text_is_what_a_person_expects() {
    let text = String::from_utf8(written(Form::Text)).expect("text");
    let (all, last) = text.trim_end().rsplit_once('\n').expect("several lines");
    let head = "sprig certificate 1\ngame sprouts\nplay normal\nposition 0*2\nclaim loss\nfacts 3";
    assert_eq!(all, format!("{head}\n0.AB|AB 1\n1a1a 1\n0*2 0"));
    assert_eq!(format!("{last}\n"), checksum(&format!("{all}\n")));
}

#[test]
fn both_forms_say_the_same() {
    let text = read(&written(Form::Text)).expect("it is whole");
    assert_eq!(text.0, certificate().0);
    assert_eq!(text.1[2], Entry { line: 9, text: "0*2 0".to_owned() });
    assert_eq!(text.1[2].text.parse(), Ok(certificate().1[0].clone()));
    assert_eq!(read(&written(Form::Gzip)).expect("it is whole"), text);
}

#[test]
fn misere_certificates_come_back() {
    let position = |text: &str| notation::read(text).expect("well-formed");
    let loss = |lands, sums: &[&str]| Loss {
        lands: position(lands),
        sums: sums.iter().map(|s| position(s)).collect(),
    };
    let losses =
        vec![loss("0*7", &[]), loss("0*3+22", &["0*2+22", "0*2.A|2A"]), loss("!", &["0*2+0*2"])];
    let play = Play::Misere { base: position("0*6") };
    let header = Header {
        game: Game::Sprouts,
        play,
        position: position("0*7"),
        claim: Claim::Loss,
        facts: 3,
    };
    let written = [Form::Text, Form::Gzip].map(|form| {
        let mut out = Vec::new();
        write(&header, &Facts::Losses(losses.clone()), form, &mut out).expect("memory takes all");
        out
    });
    let text = String::from_utf8(written[0].clone()).expect("text");
    let head = "sprig certificate 1\ngame sprouts\nplay misere\nbase 0*6\nposition 0*7\nclaim loss\nfacts 3";
    let facts = "! 0*2+0*2\n0*7\n0*3+22 0*2+22 0*2.A|2A";
    assert!(text.starts_with(&format!("{head}\n{facts}\nblake3 ")), "{text}");
    for bytes in written {
        let (head, entries) = read(&bytes).expect("it is whole");
        assert_eq!(head, header);
        let back: Vec<Loss> = entries.iter().map(|e| e.text.parse().expect("a loss")).collect();
        assert_eq!(back, [2, 0, 1].map(|i: usize| losses[i].clone()));
    }
    let again = |from, to| {
        let text = text.replacen(from, to, 1);
        let body = &text[..text.rfind("blake3").expect("a checksum")];
        read((body.to_owned() + &checksum(body)).as_bytes())
    };
    assert!(again("", "").is_ok());
    for (from, to) in [("base 0*6\n", ""), ("misere", "normal"), ("misere", "other")] {
        assert!(matches!(again(from, to), Err(CertificateError::Header { .. })), "{from} {to}");
    }
    assert!(matches!(again("loss", "nimber 1"), Err(CertificateError::NoNimbers(6))));
    for wrong in ["", "0*2 ", " 0*2", "0*2  0*2", "0*2 x"] {
        assert!(wrong.parse::<Loss>().is_err(), "`{wrong}`");
    }
}

#[test]
fn long_texts_come_back() {
    let (mut header, _) = certificate();
    let fact = |n: u64| {
        let ones = "1".repeat(2 + (n % 50) as usize);
        let land = notation::read(&format!("0*{}.{ones}", 1 + n / 50 % 30)).expect("well-formed");
        Fact { land, nimber: Nimber::new(n % 7).expect("in range") }
    };
    let facts: Vec<Fact> = (0..50_000).map(fact).collect();
    header.facts = facts.len() as u64;
    let mut forms = [Form::Text, Form::Gzip].map(|form| {
        let mut out = Vec::new();
        write(&header, &Facts::Nimbers(facts.clone()), form, &mut out)
            .expect("memory takes everything");
        out
    });
    assert!(forms[0].len() > 1 << 20 && forms[1].len() < forms[0].len() / 10);
    assert_eq!(read(&forms[0]).expect("it is whole"), read(&forms[1]).expect("it is whole"));
    let middle = forms[1].len() / 2;
    forms[1][middle] ^= 1;
    assert!(read(&forms[1]).is_err());
}

/// A file packed by gzip as other programs pack it: with a name and a time.
fn packed(text: &[u8]) -> Vec<u8> {
    let header = GzBuilder::new().filename("2.txt").mtime(1_700_000_000);
    let mut encoder = header.write(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// A certificate as earlier versions wrote it.
fn compact(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/certificates/compact");
    fs::read(folder.join(name)).expect("it is there")
}

#[test]
fn the_same_facts_become_the_same_bytes() {
    let gzip = written(Form::Gzip);
    assert_eq!(gzip, written(Form::Gzip));
    // No name, no time, no system: RFC 1952, 2.3.1.
    assert_eq!(gzip[..4], [0x1f, 0x8b, 8, 0]);
    assert_eq!((&gzip[4..8], gzip[9]), (&[0; 4][..], 255));
}

#[test]
fn what_others_have_packed_is_read() {
    assert_eq!(
        read(&packed(&written(Form::Text))).expect("it is whole"),
        read(&written(Form::Gzip)).expect("it is whole")
    );
}

#[test]
fn earlier_forms_are_still_read() {
    let (header, entries) = read(&compact("normal-5.cert")).expect("it is whole");
    assert_eq!((header.play, header.claim, header.facts), (Play::Normal, Claim::Win, 15));
    assert_eq!((entries[0].line, entries.len()), (6, 15));
    let (header, entries) = read(&compact("misere-7.cert")).expect("it is whole");
    let position = |text: &str| notation::read(text).expect("well-formed");
    let play = Play::Misere { base: position("0*5") };
    assert_eq!(
        header,
        Header {
            game: Game::Sprouts,
            play,
            position: position("0*7"),
            claim: Claim::Loss,
            facts: 3
        }
    );
    assert_eq!(entries[2].text, "0*7");
}

#[test]
fn another_game_is_refused_by_its_name() {
    let text = String::from_utf8(written(Form::Text)).expect("text");
    let body = &text[..text.rfind("blake3").expect("a checksum")];
    let about = |line: &str| {
        let body = body.replacen("game sprouts\n", line, 1);
        read(&packed((body.clone() + &checksum(&body)).as_bytes()))
    };
    assert!(about("").is_ok(), "earlier versions wrote no game");
    let error = about("game nim\n").expect_err("another game").to_string();
    assert!(error.starts_with("line 2: ") && error.contains("`nim`"), "{error}");
}

#[test]
fn no_byte_may_change_and_none_may_be_missing() {
    let files = [written(Form::Text), written(Form::Gzip), compact("normal-5.cert")];
    for (form, bytes) in files.into_iter().enumerate() {
        let whole = read(&bytes).expect("it is whole");
        for i in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[i] ^= 1 << bit;
                match read(&flipped) {
                    Err(_) => {}
                    // Some bits of a file packed by gzip say nothing: its time, and what fills its
                    // last byte.
                    Ok(same) => assert!(form == 1 && same == whole, "{form}: {i}, bit {bit}"),
                }
            }
            assert!(read(&bytes[..i]).is_err(), "{form}: {i} bytes");
        }
        assert!(read(&[&bytes[..], b"x"].concat()).is_err(), "{form}: one byte more");
        assert!(read(&[&bytes[..], &bytes[..]].concat()).is_err(), "{form}: twice");
    }
}

#[test]
fn a_mistake_in_a_packed_file_has_its_line_and_damage_has_none() {
    let text = String::from_utf8(written(Form::Text)).expect("text");
    let wrong = packed(text.replace("claim loss", "claim lost").as_bytes());
    let error = read(&wrong).expect_err("a wrong line");
    assert!(matches!(error, CertificateError::Header { line: 5, .. }), "{error}");
    let mut damaged = wrong;
    let end = damaged.len() - 6;
    damaged[end] ^= 1;
    assert!(matches!(read(&damaged), Err(CertificateError::Damaged)));
}

/// The first line of a fact, again and again.
struct Endless(Cursor<String>);

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => {
                self.0 = Cursor::new("0 0\n".repeat(20_000));
                self.0.read(out)
            }
            count => Ok(count),
        }
    }
}

fn endless() -> Endless {
    let (mut header, _) = certificate();
    header.facts = u64::MAX;
    Endless(Cursor::new(header.to_string()))
}

/// How many lines are read before the file is refused.
fn refused_after(file: impl Read + 'static) -> u64 {
    let mut reader = Reader::open(file).expect("a certificate");
    let mut lines = 0;
    loop {
        match reader.next_entry() {
            Ok(entry) => assert!(entry.is_some(), "it never ends"),
            Err(CertificateError::TooLarge) => break lines,
            Err(error) => panic!("{error}"),
        }
        lines += 1;
    }
}

#[test]
fn a_file_that_swells_is_refused() {
    // 64 MiB in 64 KiB.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    io::copy(&mut endless().take(1 << 26), &mut encoder).expect("memory takes everything");
    let bomb = encoder.finish().expect("memory takes everything");
    assert!(bomb.len() < 1 << 17, "{} bytes", bomb.len());
    let bound = (16 << 20) + 64 * bomb.len() as u64;
    let lines = refused_after(Cursor::new(bomb));
    assert!((4 << 20..bound / 4).contains(&lines), "{lines} lines");
}

#[test]
fn a_text_without_end_is_refused() {
    let mut source = Source::open(endless()).expect("a text");
    let error = io::copy(&mut source, &mut io::sink()).expect_err("it never ends");
    assert!(matches!(CertificateError::of(error, 0), CertificateError::TooLarge));
}
