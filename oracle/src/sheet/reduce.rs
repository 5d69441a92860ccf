//! Reduction of sheets: the plain rules of `Table::reduced`, repeated until none finds anything to
//! do, and one on surfaces.

use super::{Card, Face, Sheet};

impl Sheet {
    /// The sheet after reduction.
    pub fn reduced(mut self) -> Self {
        loop {
            let before = self.faces.clone();
            self.remove_dead_and_doubled();
            self.remove_and_scatter();
            if self.faces == before {
                return self;
            }
        }
    }

    /// No curve can end at a spot of degree 3. A curve between two adjacent occurrences of a spot
    /// would pass the same spots as a curve beside them.
    fn remove_dead_and_doubled(&mut self) {
        let Self { faces, degrees } = self;
        for walk in faces.iter_mut().flat_map(|face| &mut face.walks) {
            walk.retain(|&card| degrees[card as usize] < 3);
            walk.dedup();
            while walk.len() > 1 && walk.first() == walk.last() {
                walk.pop();
            }
        }
        faces.iter_mut().for_each(|face| face.walks.retain(|walk| !walk.is_empty()));
    }

    /// A move takes two lives of its region. With two or three of them there is one move, or two in
    /// a row, wherever the curves run: each spot gets a boundary of its own, and the surface is as
    /// good as a sphere. With more lives, there is a number of handles or cross-caps beyond which
    /// more are of no use.
    fn remove_and_scatter(&mut self) {
        let faces = std::mem::take(&mut self.faces);
        for mut face in faces {
            match self.lives(&face) {
                0 | 1 => continue,
                2 | 3 => {
                    let mut cards: Vec<Card> = face.walks.concat();
                    cards.sort_unstable();
                    cards.dedup();
                    face = Face {
                        genus: 0,
                        walks: cards.into_iter().map(|card| vec![card]).collect(),
                    };
                }
                lives => face.genus = useful(lives, face.genus),
            }
            self.faces.push(face);
        }
    }

    /// Curve ends that the spots of a face can still take, a spot counted once.
    pub fn lives(&self, face: &Face) -> u32 {
        let mut cards: Vec<Card> = face.walks.concat();
        cards.sort_unstable();
        cards.dedup();
        cards.into_iter().map(|card| 3 - u32::from(self.degrees[card as usize])).sum()
    }
}

/// The part of the genus that is of use to a region with `lives` lives (`docs/surfaces.md`).
///
/// With three lives, none is of use. A move leaves each region that it makes one life less, at
/// least. It takes a handle, or one or two cross-caps, or shares them among two regions: with twice
/// as many as are enough for each, one of the two has enough.
fn useful(lives: u32, genus: i16) -> i16 {
    let (mut handles, mut crosses) = (0i32, 0i32);
    for _ in 3..lives {
        let more = [crosses + 2, 2 * crosses, 2 * handles + 2, 2 * handles + crosses, 3];
        crosses = more.into_iter().max().expect("there are some").min(10_000);
        handles = (handles + 1).max(2 * handles).min(10_000);
    }
    let mut genus = i32::from(genus);
    if genus > 0 {
        genus = genus.min(handles);
    }
    while -genus > crosses + 1 {
        genus += 2;
    }
    i16::try_from(genus).expect("no more than before")
}
