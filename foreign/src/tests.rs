//! The form of GLOP and SPOTS, against texts that came from GLOP, and against a program that looks
//! lands up by it as they do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

use sprig_engine::{CanonicalLand, CanonicalPosition, Generator, Position, Spot};

use crate::form::approximate;
use crate::spelling::{Mark, Spelling};
use crate::variants::Choices;
use crate::{Dialect, land_texts, position_texts};

/// Positions as GLOP printed them.
fn glops() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it lies in the repository");
    let text = std::fs::read_to_string(root.join("testdata/misere.tsv")).expect("it is there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.split('\t').next()).map(str::to_owned).collect()
}

fn form(land: &sprig_engine::Land) -> Spelling {
    let mut spelling = Spelling::of(land);
    approximate(&mut spelling);
    spelling
}

#[test]
fn what_glop_printed_is_its_own_form() {
    let texts = glops();
    assert!(texts.len() > 350);
    for text in texts {
        let position: Position = text.parse().expect("well-formed");
        let forms: Vec<_> = position.0.iter().map(|land| form(land).print(Dialect::Glop)).collect();
        assert_eq!(forms.join("+"), text);
    }
}

#[test]
fn what_glop_printed_is_among_the_texts_of_its_position() {
    let is_found = |text: &String, limit| {
        let position = text.parse::<Position>().expect("well-formed");
        position_texts(&CanonicalPosition::of(&position), Dialect::Glop, limit).contains(text)
    };
    let mut texts = glops();
    let all = texts.len();
    texts.retain(|text| !is_found(text, 1));
    let not_by_one = texts.len();
    texts.retain(|text| !is_found(text, 8));
    let not_by_eight = texts.len();
    texts.retain(|text| !is_found(text, 64));
    assert_eq!((all, not_by_one, not_by_eight, texts.len()), (385, 86, 2, 0));
}

#[test]
fn whatever_the_relabelling_a_text_of_the_land_comes_out() {
    let position: Position = "0.1a1a.AB|2AC|BC".parse().expect("well-formed");
    let canonical = CanonicalPosition::of(&position);
    let texts = land_texts(&canonical.lands()[0], Dialect::Glop, 64);
    // There is more than one: the form is not canonical.
    assert!(texts.len() > 1, "{texts:?}");
    let mut choices = Choices::of(b"seed");
    for _ in 0..200 {
        let mut spelling = Spelling::of(&position.0[0]);
        choices.relabel(&mut spelling);
        approximate(&mut spelling);
        let text = spelling.print(Dialect::Glop);
        assert!(texts.contains(&text), "{text}");
    }
}

#[test]
fn letters_beyond_the_alphabet_are_named_as_each_program_does() {
    let boundary: String = (1..=27).map(|k| format!("1Z({k})")).collect();
    let position: Position = format!("{boundary}|{boundary}").parse().expect("well-formed");
    let spelling = form(&position.0[0]);
    let [glop, spots] = [Dialect::Glop, Dialect::Spots].map(|dialect| spelling.print(dialect));
    assert!(glop.contains("1Y1Z(26)1Z(27)|"), "{glop}");
    assert_eq!(glop.replace('Z', "n"), spots);
    assert_eq!(spots.parse::<Position>().map(|position| position.0.len()), Ok(1));
}

/// The bytes of a form, letters as they are, for the generator of moves.
fn bytes(land: &Spelling) -> Vec<u8> {
    let mut names: HashMap<(usize, Mark), u8> = HashMap::new();
    let mut out = Vec::new();
    for (r, region) in land.0.iter().enumerate() {
        if r > 0 {
            out.push(6);
        }
        let isolated = [Mark::Zero, Mark::One, Mark::Two];
        for (degree, mark) in (0..).zip(isolated) {
            let count = region.iter().filter(|boundary| ***boundary == [mark]).count() as u8;
            if count > 0 {
                out.extend([degree, count]);
            }
        }
        let longer = |boundary: &&Vec<Mark>| !isolated.iter().any(|&mark| **boundary == [mark]);
        for (b, boundary) in region.iter().filter(longer).enumerate() {
            if b > 0 {
                out.push(5);
            }
            for &mark in boundary {
                let scope = if let Mark::Lower(_) = mark { 1 + r * 1000 + b } else { 0 };
                let next = 7 + names.len() as u8;
                out.push(match mark {
                    Mark::One => 3,
                    Mark::Two => 4,
                    _ => *names.entry((scope, mark)).or_insert(next),
                });
            }
        }
    }
    out
}

/// The land of the generator's bytes, letters as they are.
fn land(bytes: &[u8]) -> sprig_engine::Land {
    use sprig_engine::{Boundary, Land, Letter, Region};
    let regions = bytes.split(|&byte| byte == 6).map(|region| {
        let (mut boundaries, mut rest) = (Vec::new(), region);
        while let [degree @ 0..=2, count, more @ ..] = rest {
            let spot = [Spot::Zero, Spot::One, Spot::Two][usize::from(*degree)];
            boundaries.extend(vec![Boundary(vec![spot]); usize::from(*count)]);
            rest = more;
        }
        let spot = |&byte: &u8| match byte {
            3 => Spot::One,
            4 => Spot::Two,
            letter => Spot::Letter(Letter(u16::from(letter - 7))),
        };
        let longer = rest.split(|&byte| byte == 5).filter(|boundary| !boundary.is_empty());
        boundaries.extend(longer.map(|boundary| Boundary(boundary.iter().map(spot).collect())));
        // GLOP writes a region with 2 or 3 lives on one boundary.
        let spots = || boundaries.iter().flat_map(|boundary| &boundary.0).copied();
        if spots().map(Spot::lives).sum::<u32>() <= 3 {
            boundaries = vec![Boundary(spots().collect())];
        }
        Region::spherical(boundaries)
    });
    Land(regions.collect())
}

/// Acts as a program that walks the game tree of `spots` spots and knows lands by their forms
/// alone. Returns every land, with the forms in which the program meets it.
fn walk(spots: usize) -> BTreeMap<CanonicalLand, BTreeSet<String>> {
    let mut generator = Generator::default();
    let mut met = BTreeMap::new();
    let mut path = vec![form(&Position::start(spots).0[0])];
    while let Some(spelling) = path.pop() {
        let text = spelling.print(Dialect::Glop);
        let canonical = CanonicalPosition::of(&text.parse().expect("well-formed"));
        let texts: &mut BTreeSet<_> = met.entry(canonical.lands()[0].clone()).or_default();
        if texts.insert(text) {
            let listed = generator.children(&bytes(&spelling), |lands| {
                path.extend(lands.iter().map(|bytes| form(&land(bytes))));
                ControlFlow::<()>::Continue(())
            });
            assert!(listed.is_ok());
        }
    }
    met
}

/// Measures what part of a program's look-ups an export answers.
#[test]
fn a_program_that_goes_by_the_form_finds_what_was_written() {
    let met = walk(4);
    let forms: usize = met.values().map(BTreeSet::len).sum();
    assert_eq!((met.len(), forms), (1_188, 1_435), "lands of S_4 and their forms");
    let hits = |limit| {
        let hits = met.iter().map(|(land, forms)| {
            let texts = land_texts(land, Dialect::Glop, limit);
            forms.iter().filter(|form| texts.contains(form)).count()
        });
        hits.sum::<usize>()
    };
    assert_eq!([1, 4, 8, 16].map(hits), [1_184, 1_421, 1_434, 1_435]);
}
