//! A region of a land that is not of the sphere.

use super::bytes::{self, GENUS_BYTES, push_genus};
use crate::encode::{END_BOUNDARY, END_REGION, LETTER, ONE, ONES, SURFACES, TWO, TWOS, ZEROS};
use crate::{Land, Letter, Region, Spot, Surface};

/// A region: its surface, its isolated spots by degree, and its other boundaries, as `ONE`, `TWO`
/// and letters.
#[derive(Clone, Default)]
pub(crate) struct Face {
    pub surface: Surface,
    pub isolated: [u8; 3],
    pub walks: Vec<Vec<u8>>,
}

impl Face {
    /// The face of a written region. Letters have numbers of bytes.
    fn written(Region(boundaries, surface): &Region) -> Self {
        let mut face = Self { surface: *surface, ..Self::default() };
        for boundary in boundaries {
            if boundary.0 == [Spot::Zero] {
                face.isolated[0] += 1;
                continue;
            }
            let token = |&spot: &Spot| match spot {
                Spot::Zero => unreachable!("a spot of degree 0 stands alone"),
                Spot::One => ONE,
                Spot::Two => TWO,
                Spot::Letter(Letter(letter)) => LETTER + letter as u8,
            };
            face.walks.push(boundary.0.iter().map(token).collect());
        }
        face
    }

    /// Lives of its spots; a letter that occurs in it twice counts once.
    pub fn lives(&self) -> u32 {
        let [zeros, ones, twos] = self.isolated.map(u32::from);
        let mut seen = [0u64; 4];
        let walked = self.walks.iter().flatten().map(|&token| match token {
            ONE => 2,
            TWO => 1,
            letter => {
                let (word, bit) = (&mut seen[usize::from(letter >> 6)], 1 << (letter & 63));
                let is_new = *word & bit == 0;
                *word |= bit;
                u32::from(is_new)
            }
        });
        3 * zeros + 2 * ones + twos + walked.sum::<u32>()
    }

    /// Whether it is a region of the sphere: no letter stands in two of its boundaries.
    fn is_spherical(&self) -> bool {
        let crosses = |i: usize| {
            let mut letters = self.walks[i].iter().filter(|&&token| token >= LETTER);
            letters.any(|letter| self.walks[i + 1..].iter().any(|other| other.contains(letter)))
        };
        self.surface.is_sphere() && !(0..self.walks.len()).any(crosses)
    }
}

/// The regions of a written land.
pub(super) fn of_written(land: &Land) -> Vec<Face> {
    land.0.iter().map(Face::written).collect()
}

/// The regions of a land that is not of the sphere. Letters keep their names.
pub(super) fn read(land: &[u8]) -> Vec<Face> {
    let mut faces = Vec::new();
    let mut at = 1;
    loop {
        let surface = bytes::genus(land, at).expect("a region begins with its genus");
        let mut face = Face { surface, ..Face::default() };
        at += GENUS_BYTES;
        for (marker, count) in [ZEROS, ONES, TWOS].into_iter().zip(&mut face.isolated) {
            if land.get(at) == Some(&marker) {
                *count = land[at + 1];
                at += 2;
            }
        }
        let end = land[at..].iter().position(|&byte| byte == END_REGION);
        let end = end.map_or(land.len(), |length| at + length);
        if end > at {
            face.walks =
                land[at..end].split(|&byte| byte == END_BOUNDARY).map(<[u8]>::to_vec).collect();
        }
        faces.push(face);
        if end == land.len() {
            return faces;
        }
        at = end + 1;
    }
}

/// Appends a land of these reduced faces: as one of the sphere, if it is.
pub(super) fn write<'f>(faces: impl Iterator<Item = &'f Face> + Clone, out: &mut Vec<u8>) {
    let is_spherical = faces.clone().all(Face::is_spherical);
    if !is_spherical {
        out.push(SURFACES);
    }
    for (i, face) in faces.enumerate() {
        if i > 0 {
            out.push(END_REGION);
        }
        if !is_spherical {
            push_genus(face.surface, out);
        }
        push_isolated(face.isolated, out);
        for (i, walk) in face.walks.iter().enumerate() {
            if i > 0 {
                out.push(END_BOUNDARY);
            }
            out.extend_from_slice(walk);
        }
    }
}

/// Appends the numbers of isolated spots.
pub(super) fn push_isolated(isolated: [u8; 3], out: &mut Vec<u8>) {
    for (marker, count) in [ZEROS, ONES, TWOS].into_iter().zip(isolated) {
        if count > 0 {
            out.extend_from_slice(&[marker, count]);
        }
    }
}
