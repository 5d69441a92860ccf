//! How a land is connected on paper: its walls, and the pieces of drawing that they belong to.

use std::collections::{BTreeMap, HashMap};

use sprig_engine::notation::names;
use sprig_engine::{Land, Letter, Spot, Surface};

use crate::SketchError;
use crate::union::Union;

/// Regions of at most this many lives do not tell which spots share a boundary.
const FORGETFUL: u32 = 3;

/// One side of a spot, as it occurs in a walk. Only letters have a side 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Corner {
    pub spot: usize,
    pub side: usize,
}

/// A spot of the land.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Living {
    /// What it is where it occurs first.
    pub spot: Spot,
    /// How the notation names it.
    pub name: String,
}

/// A boundary on which every spot is known by its number.
#[derive(Clone, Debug)]
pub(crate) struct Wall {
    pub region: usize,
    /// The connected piece of drawing that the wall is one side of.
    pub piece: usize,
    pub corners: Vec<Corner>,
}

/// The walls of a land. Regions and pieces form a tree, with the walls as its edges.
pub(crate) struct Pieces {
    pub spots: Vec<Living>,
    pub walls: Vec<Wall>,
    pub regions: usize,
    /// The surface of each region; its handles or cross-caps do not show in its walls.
    pub surfaces: Vec<Surface>,
    pub pieces: usize,
}

impl Pieces {
    /// Cuts a reduced land into pieces.
    pub fn of(land: &Land) -> Result<Self, SketchError> {
        let names = names(land);
        let mut spots: Vec<Living> = Vec::new();
        let mut seen: HashMap<Letter, usize> = HashMap::new();
        let mut walls = Vec::new();
        for (r, region) in land.0.iter().enumerate() {
            for boundary in &region.0 {
                let mut corners = Vec::new();
                for &spot in &boundary.0 {
                    if let Spot::Letter(letter) = spot
                        && let Some(&first) = seen.get(&letter)
                    {
                        corners.push(Corner { spot: first, side: 1 });
                        continue;
                    }
                    let name = match spot {
                        Spot::Zero => "0".to_owned(),
                        Spot::One => "1".to_owned(),
                        Spot::Two => "2".to_owned(),
                        Spot::Letter(letter) => {
                            seen.insert(letter, spots.len());
                            names[&letter].clone()
                        }
                    };
                    corners.push(Corner { spot: spots.len(), side: 0 });
                    spots.push(Living { spot, name });
                }
                walls.push(Wall { region: r, piece: 0, corners });
            }
        }
        let regions = land.0.len();
        let walls = regroup(&spots, walls, regions);
        let surfaces = land.0.iter().map(|region| region.1).collect();
        let mut pieces = Self { spots, walls, regions, surfaces, pieces: 0 };
        pieces.join();
        // A tree has one node more than edges; the land is connected, so nothing else needs to be
        // checked.
        if pieces.walls.len() + 1 != pieces.regions + pieces.pieces {
            return Err(SketchError::NotPlane);
        }
        Ok(pieces)
    }

    /// Numbers the pieces: walls belong to one when they share a letter.
    fn join(&mut self) {
        let mut union = Union::new(self.walls.len());
        let mut first = vec![None; self.spots.len()];
        for (w, wall) in self.walls.iter().enumerate() {
            for corner in &wall.corners {
                match first[corner.spot] {
                    None => first[corner.spot] = Some(w),
                    Some(other) => _ = union.join(other, w),
                }
            }
        }
        let mut numbers = BTreeMap::new();
        for w in 0..self.walls.len() {
            let count = numbers.len();
            self.walls[w].piece = *numbers.entry(union.root(w)).or_insert(count);
        }
        self.pieces = numbers.len();
    }

    /// Whether each wall must be read backwards so that all have their region on the same side of
    /// the walk.
    pub fn mirrors(&self, within_piece: &[bool]) -> Vec<bool> {
        let mut regions: Vec<Option<bool>> = vec![None; self.regions];
        let mut pieces: Vec<Option<bool>> = vec![None; self.pieces];
        regions[0] = Some(false);
        loop {
            let mut changed = false;
            for (wall, &mirror) in self.walls.iter().zip(within_piece) {
                match (regions[wall.region], pieces[wall.piece]) {
                    (Some(region), None) => pieces[wall.piece] = Some(region ^ mirror),
                    (None, Some(piece)) => regions[wall.region] = Some(piece ^ mirror),
                    _ => continue,
                }
                changed = true;
            }
            if !changed {
                break;
            }
        }
        self.walls.iter().map(|wall| regions[wall.region] == Some(true)).collect()
    }
}

/// Gives the small regions boundaries again: spots that are connected without the region lie on one
/// boundary of it.
///
/// Every other spot may stand alone, and does. On the sphere there is no other choice for connected
/// spots.
fn regroup(spots: &[Living], walls: Vec<Wall>, regions: usize) -> Vec<Wall> {
    let mut lives = vec![0; regions];
    let mut places = vec![[None; 2]; spots.len()];
    for wall in &walls {
        for corner in &wall.corners {
            let seen_here = places[corner.spot][0] == Some(wall.region);
            places[corner.spot][corner.side] = Some(wall.region);
            if corner.side == 0 || !seen_here {
                lives[wall.region] += spots[corner.spot].spot.lives();
            }
        }
    }
    let mut regrouped = Vec::new();
    for wall in walls {
        if lives[wall.region] > FORGETFUL {
            regrouped.push(wall);
            continue;
        }
        let mut without = Union::new(regions);
        for place in &places {
            if let [Some(one), Some(other)] = *place
                && one != wall.region
                && other != wall.region
            {
                without.join(one, other);
            }
        }
        let region = wall.region;
        let mut together: BTreeMap<usize, usize> = BTreeMap::new();
        for corner in wall.corners {
            let beyond = places[corner.spot][1 - corner.side].filter(|&other| other != region);
            if let Some(beyond) = beyond {
                let group = *together.entry(without.root(beyond)).or_insert(regrouped.len());
                if group < regrouped.len() {
                    let wall: &mut Wall = &mut regrouped[group];
                    wall.corners.push(corner);
                    continue;
                }
            }
            regrouped.push(Wall { region, piece: 0, corners: vec![corner] });
        }
    }
    regrouped
}
