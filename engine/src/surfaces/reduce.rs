//! Reduction, as [`crate::reduce`] tells it, with handles and cross-caps.
//!
//! The reductions of the sphere hold here, too, since no step depends on what a curve separates. A
//! region with 2 or 3 lives forgets its surface together with its boundaries: one or two curves can
//! be drawn in it, however they run. More handles or cross-caps than a region can use are left out
//! ([`super::limit()`]).

use super::face::{self, Face};
use super::limit;
use crate::encode::{LETTER, ONE, TWO};
use crate::generate::Lands;
use crate::sketch::{Sketch, sketch};
use crate::work::{merge_ends, push_merging};
use crate::{Land, Surface};

/// Reduces a written land, as [`crate::Generator::reduce`] does.
pub(crate) fn reduce_written(land: &Land, lands: &mut Lands) {
    lands.clear();
    reduce(face::of_written(land), lands);
}

/// Reduces the faces and appends the bytes of every land of them.
pub(super) fn reduce(mut faces: Vec<Face>, lands: &mut Lands) {
    faces.iter_mut().for_each(merge);
    faces.retain(|face| face.lives() >= 2);
    let mut seen = [0u8; 256];
    for &token in faces.iter().flat_map(|face| face.walks.iter().flatten()) {
        seen[usize::from(token)] = seen[usize::from(token)].saturating_add(1);
    }
    for face in &mut faces {
        for token in face.walks.iter_mut().flatten() {
            if *token >= LETTER && seen[usize::from(*token)] == 1 {
                *token = TWO;
            }
        }
        let lives = face.lives();
        face.surface = limit(lives, face.surface);
        if lives <= 3 {
            scatter(face);
        }
        count_isolated(face);
    }
    split(&faces, lands);
}

/// Makes a `TWO` of a letter beside itself, and drops what is empty.
fn merge(face: &mut Face) {
    for walk in &mut face.walks {
        let mut merged = Vec::with_capacity(walk.len());
        walk.iter().for_each(|&token| push_merging(&mut merged, 0, token));
        merge_ends(&mut merged, 0);
        *walk = merged;
    }
    face.walks.retain(|walk| !walk.is_empty());
}

/// Gives every spot a boundary of its own.
fn scatter(face: &mut Face) {
    let tokens: Vec<u8> = face.walks.drain(..).flatten().collect();
    for (i, &token) in tokens.iter().enumerate() {
        if token < LETTER || !tokens[..i].contains(&token) {
            // A letter that occurs here twice is one spot, and has no other side any more.
            let is_double = token >= LETTER && tokens[i + 1..].contains(&token);
            face.walks.push(vec![if is_double { TWO } else { token }]);
        }
    }
}

/// Counts the spots that stand alone and are no letters.
fn count_isolated(face: &mut Face) {
    let isolated = &mut face.isolated;
    face.walks.retain(|walk| {
        let degree = match walk[..] {
            [ONE] => 1,
            [TWO] => 2,
            _ => return true,
        };
        isolated[degree] += 1;
        false
    });
}

/// Writes the faces in groups that share letters, directly or through others.
fn split(faces: &[Face], lands: &mut Lands) {
    const NONE: usize = usize::MAX;
    let mut groups: Vec<usize> = (0..faces.len()).collect();
    let mut first = [NONE; 256];
    for (f, face) in faces.iter().enumerate() {
        for &letter in face.walks.iter().flatten().filter(|&&token| token >= LETTER) {
            let met = &mut first[usize::from(letter)];
            if *met == NONE {
                *met = f;
            }
            let (one, other) = (groups[*met], groups[f]);
            if one != other {
                let (least, most) = (one.min(other), one.max(other));
                groups.iter_mut().filter(|group| **group == most).for_each(|group| *group = least);
            }
        }
    }
    for root in 0..faces.len() {
        let start = lands.bytes.len();
        let members = faces.iter().zip(&groups).filter(|&(_, &group)| group == root);
        let members = members.map(|(face, _)| face);
        if members.clone().next().is_some() {
            face::write(members, &mut lands.bytes);
            let sketch = sketch(&lands.bytes[start..]);
            lands.end(start, Sketch(sketch));
        }
    }
}

impl Face {
    /// A face with other boundaries.
    pub(super) fn new(surface: i16, isolated: [u8; 3], walks: Vec<Vec<u8>>) -> Self {
        let surface = Surface::new(surface.into()).expect("no more than before the move");
        Self { surface, isolated, walks }
    }
}
