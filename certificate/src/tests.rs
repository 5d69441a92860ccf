//! Round trips, and what is refused.

use std::io::Cursor;

use sprig_engine::{Nimber, notation};

use crate::{
    CertificateError, Claim, Entry, Fact, Facts, Form, Header, Loss, Play, Reader, checksum, write,
};

fn certificate() -> (Header, Vec<Fact>) {
    let fact = |land, nimber| Fact {
        land: notation::read(land).expect("well-formed"),
        nimber: Nimber::new(nimber).expect("in range"),
    };
    let facts = vec![fact("0*2", 0), fact("0.AB|AB", 1), fact("1a1a", 1)];
    let position = notation::read("0*2").expect("well-formed");
    (Header { play: Play::Normal, position, claim: Claim::Loss, facts: 3 }, facts)
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
    let head = "sprig certificate 1\nplay normal\nposition 0*2\nclaim loss\nfacts 3";
    assert_eq!(all, format!("{head}\n0.AB|AB 1\n1a1a 1\n0*2 0"));
    assert_eq!(format!("{last}\n"), checksum(&format!("{all}\n")));
}

#[test]
fn both_forms_say_the_same() {
    let text = read(&written(Form::Text)).expect("it is whole");
    assert_eq!(text.0, certificate().0);
    assert_eq!(text.1[2], Entry { line: 8, text: "0*2 0".to_owned() });
    assert_eq!(text.1[2].text.parse(), Ok(certificate().1[0].clone()));
    assert_eq!(read(&written(Form::Compact)).expect("it is whole"), text);
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
    let header = Header { play, position: position("0*7"), claim: Claim::Loss, facts: 3 };
    let written = [Form::Text, Form::Compact].map(|form| {
        let mut out = Vec::new();
        write(&header, &Facts::Losses(losses.clone()), form, &mut out).expect("memory takes all");
        out
    });
    let text = String::from_utf8(written[0].clone()).expect("text");
    let head = "sprig certificate 1\nplay misere\nbase 0*6\nposition 0*7\nclaim loss\nfacts 3";
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
    for (from, to) in
        [("base 0*6\n", ""), ("loss", "nimber 1"), ("misere", "normal"), ("misere", "other")]
    {
        assert!(matches!(again(from, to), Err(CertificateError::Header { .. })), "{from} {to}");
    }
    for wrong in ["", "0*2 ", " 0*2", "0*2  0*2", "0*2 x"] {
        assert!(wrong.parse::<Loss>().is_err(), "`{wrong}`");
    }
}

#[test]
fn long_texts_come_back() {
    let (mut header, _) = certificate();
    // Longer than the model's memory of matches.
    let fact = |n: u64| {
        let ones = "1".repeat(2 + (n % 50) as usize);
        let land = notation::read(&format!("0*{}.{ones}", 1 + n / 50 % 30)).expect("well-formed");
        Fact { land, nimber: Nimber::new(n % 7).expect("in range") }
    };
    let facts: Vec<Fact> = (0..50_000).map(fact).collect();
    header.facts = facts.len() as u64;
    let mut forms = [Form::Text, Form::Compact].map(|form| {
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

#[test]
fn no_byte_may_change_and_none_may_be_missing() {
    for form in [Form::Text, Form::Compact] {
        let bytes = written(form);
        for i in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[i] ^= 1 << bit;
                assert!(read(&flipped).is_err(), "{form:?}: byte {i}, bit {bit}");
            }
            assert!(read(&bytes[..i]).is_err(), "{form:?}: {i} bytes");
        }
        assert!(read(&[&bytes[..], b"x"].concat()).is_err(), "{form:?}: one byte more");
    }
}
