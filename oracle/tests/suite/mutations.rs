//! A certificate, mutated a thousand times: a text that is no proof any more is refused, and one
//! that still is a proof is accepted.
//!
//! What is a proof is decided by the definition and the card procedure, without the quick rules of
//! `proof`.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use crate::common::Random;
use sprig_certificate::{Claim, Fact, Header, Reader, checksum};
use sprig_engine::{Nimber, Position};
use sprig_oracle::proof::{Checker, Facts};
use sprig_oracle::{Key, child_keys, key};

type Certificate = (Header, Vec<Fact>);

/// The text of a certificate that ships with the program, without its checksum.
fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificates/normal").join(name);
    let mut reader = Reader::open(File::open(path).expect("it ships")).expect("a certificate");
    let Header { play, position, claim, facts, .. } = reader.header().clone();
    let mut text = format!(
        "sprig certificate 1\nplay {play}\nposition {position}\nclaim {claim}\nfacts {facts}\n"
    );
    while let Some(entry) = reader.next_entry().expect("it is whole") {
        text += &entry.text;
        text += "\n";
    }
    text
}

/// Reads a text, to which its checksum is added.
fn read(text: &str) -> Option<Certificate> {
    let mut reader = Reader::open(Cursor::new(text.to_owned() + &checksum(text))).ok()?;
    let mut facts = Vec::new();
    while let Some(entry) = reader.next_entry().ok()? {
        facts.push(entry.text.parse().ok()?);
    }
    Some((reader.header().clone(), facts))
}

/// The verdict of the quick rules.
fn accepts((header, facts): &Certificate) -> bool {
    let mut known = Facts::default();
    if facts.iter().any(|fact| known.add(&fact.land, fact.nimber).is_err()) {
        return false;
    }
    let checker = Checker::new(&known);
    let follows = match header.claim {
        Claim::Win => checker.check_win(&header.position),
        Claim::Loss => checker.check_nimber(&header.position, Nimber::ZERO),
        Claim::Nimber(nimber) => checker.check_nimber(&header.position, nimber),
    };
    follows.is_ok() && facts.iter().all(|f| checker.check(&f.land, f.nimber).is_ok())
}

/// The verdict by definition.
#[derive(Default)]
struct Slow {
    /// The options of positions met so far.
    options: HashMap<Key, BTreeSet<Key>>,
    facts: HashMap<Key, Nimber>,
}

impl Slow {
    fn options(&mut self, position: &Key) -> BTreeSet<Key> {
        let options = self.options.entry(position.clone());
        options.or_insert_with(|| child_keys(position.position())).clone()
    }

    /// The nim-sum of a position's lands, if all but pairs of equal ones are certified.
    fn value(&self, position: &Key) -> Option<Nimber> {
        let mut sum = Nimber::ZERO;
        let lands = &position.position().0;
        for land in lands.chunk_by(|a, b| a == b).filter(|equal| equal.len() % 2 == 1) {
            sum = sum.nim_sum(*self.facts.get(&key(&Position(vec![land[0].clone()])))?);
        }
        Some(sum)
    }

    fn accepts(&mut self, (header, facts): &Certificate) -> bool {
        self.facts.clear();
        for fact in facts {
            let land = key(&fact.land);
            if land.position().0.len() != 1 || self.facts.insert(land, fact.nimber).is_some() {
                return false;
            }
        }
        let position = key(&header.position);
        let value = self.value(&position);
        let follows = match header.claim {
            Claim::Win => match value {
                Some(nimber) => nimber != Nimber::ZERO,
                None => self.has_option(&position, Nimber::ZERO),
            },
            Claim::Loss => value == Some(Nimber::ZERO),
            Claim::Nimber(nimber) => value == Some(nimber),
        };
        follows && facts.iter().all(|fact| self.is_fact(&key(&fact.land), fact.nimber))
    }

    fn is_fact(&mut self, land: &Key, nimber: Nimber) -> bool {
        let smaller = (0..nimber.get()).map(|n| Nimber::new(n.into()).expect("in range"));
        smaller.into_iter().all(|smaller| self.has_option(land, smaller))
            && self.options(land).iter().all(|option| match self.value(option) {
                Some(other) => other != nimber,
                None => self.has_option(option, nimber),
            })
    }

    fn has_option(&mut self, position: &Key, nimber: Nimber) -> bool {
        self.options(position).iter().any(|option| self.value(option) == Some(nimber))
    }
}

/// One thing changed.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let first = 5;
    let line = first + random.below(lines.len() - first);
    let mut facts = lines.len() - first;
    let split = |line: &str| line.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned()));
    let (land, nimber) = split(&lines[line]).expect("a fact");
    match random.below(10) {
        0 => lines[line] = format!("{land} {}", random.below(6)),
        1 => {
            lines.remove(line);
            facts -= 1;
        }
        2 => {
            // Truncated, and made to look whole.
            lines.truncate(line);
            facts = lines.len() - first;
        }
        3 => {
            lines.truncate(line);
        }
        4 => {
            let other = first + random.below(facts);
            lines.swap(line, other);
            let (other_land, _) = split(&lines[line]).expect("a fact");
            lines[line] = format!("{other_land} {nimber}");
        }
        5 => {
            lines.push(lines[line].clone());
            facts += 1;
        }
        6 => {
            // A letter or another spot swapped with one elsewhere in the land.
            let mut spots: Vec<char> = land.chars().collect();
            let (i, j) = (random.below(spots.len()), random.below(spots.len()));
            spots.swap(i, j);
            lines[line] = format!("{} {nimber}", String::from_iter(spots));
        }
        7 => {
            let mut spots: Vec<char> = land.chars().collect();
            let i = random.below(spots.len());
            spots[i] = ['0', '1', '2', 'A', 'B', 'C', 'a', '.', '|', '+'][random.below(10)];
            lines[line] = format!("{} {nimber}", String::from_iter(spots));
        }
        8 => {
            let mut spots: Vec<char> = land.chars().collect();
            spots.remove(random.below(spots.len()));
            lines[line] = format!("{} {nimber}", String::from_iter(spots));
        }
        _ => {
            let claims = ["claim win", "claim loss", "claim nimber 1", "claim nimber 2"];
            if random.below(2) == 0 {
                lines[3] = claims[random.below(4)].to_owned();
            } else {
                lines[2] = format!("position 0*{}", 2 + random.below(5));
            }
        }
    }
    lines[4] = format!("facts {facts}");
    lines.join("\n") + "\n"
}

#[test]
fn a_thousand_mutated_certificates() {
    let text = text("5.cert");
    let mut slow = Slow::default();
    let whole = read(&text).expect("it is whole");
    assert!(accepts(&whole) && slow.accepts(&whole));
    let (mut unreadable, mut refused, mut accepted) = (0, 0, 0);
    for seed in 0..1_000 {
        let mut random = Random(seed);
        let mut changed = std::iter::repeat_with(|| mutated(&text, &mut random));
        let mutated = changed.find(|changed| *changed != text).expect("endless");
        let Some(certificate) = read(&mutated) else {
            unreadable += 1;
            continue;
        };
        let verdict = accepts(&certificate);
        assert_eq!(verdict, slow.accepts(&certificate), "seed {seed}:\n{mutated}");
        if verdict {
            accepted += 1;
        } else {
            refused += 1;
        }
    }
    println!("{unreadable} unreadable, {refused} refused, {accepted} still proofs");
    assert!(unreadable > 100 && refused > 500);
}
