//! How curves run where there are handles and cross-caps, and all ways they can.

use super::{Number, Witness};
use crate::Surface;

/// How a curve runs in a region with handles or cross-caps. On the sphere every curve is
/// [`Course::Plain`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Course {
    /// Over no handle and through no cross-cap. If the curve separates two sides, all handles and
    /// cross-caps lie on the second one.
    #[default]
    Plain,
    /// It joins two boundaries through a cross-cap: the second one is reached from its other side.
    Crossed,
    /// It separates two sides, and handles and cross-caps are shared out.
    Shared {
        /// The surfaces of the first side and of the second.
        surfaces: [Surface; 2],
        /// Boundaries that are read in their other direction from now on, ascending. Where the
        /// region had cross-caps, they may be any boundaries of a side that has handles alone.
        turned: Vec<usize>,
    },
    /// The ends of the curve are on one boundary, and it separates nothing.
    Open {
        /// Whether it runs through an odd number of cross-caps, and so has one side alone.
        is_one_sided: bool,
        /// The surface that is left.
        left: Surface,
        /// Boundaries that are read in their other direction from now on, ascending. There are none
        /// unless the region had cross-caps and has handles alone now.
        turned: Vec<usize>,
    },
}

/// What a curve makes of a region: a surface, and its boundaries.
pub(super) type Made = (Surface, Vec<Vec<Number>>);

impl Course {
    /// All ways in which a curve can join two boundaries.
    pub(super) fn of_joins(surface: Surface) -> Vec<Self> {
        let crossed = (!surface.is_orientable()).then_some(Self::Crossed);
        [Self::Plain].into_iter().chain(crossed).collect()
    }

    /// All ways in which a curve can separate two sides, on which these boundaries have two
    /// directions that differ.
    pub(super) fn of_divisions(surface: Surface, turning: &[Vec<usize>; 2]) -> Vec<Self> {
        let genus = surface.genus();
        if surface.is_orientable() {
            return (0..=genus).map(|h| Self::shared([h, genus - h], Vec::new())).collect();
        }
        let crosses = -genus;
        let caps = (1..crosses).map(|caps| Self::shared([-caps, caps - crosses], Vec::new()));
        let mut courses: Vec<Self> = caps.collect();
        for handles in 0..=(crosses - 1) / 2 {
            for (side, turning) in turning.iter().enumerate() {
                let mut genera = [handles, 2 * handles - crosses];
                genera.rotate_right(side);
                courses.extend(subsets(turning).map(|turned| Self::shared(genera, turned)));
            }
        }
        courses
    }

    /// All ways in which a curve from a boundary to itself can separate nothing, where these other
    /// boundaries have two directions that differ.
    pub(super) fn of_openings(surface: Surface, turning: &[usize]) -> Vec<Self> {
        let genus = surface.genus();
        let open = |is_one_sided, left: i16, turned| {
            let left = Surface::new(left.into()).expect("it is no more than it was");
            Self::Open { is_one_sided, left, turned }
        };
        if surface.is_orientable() {
            return (genus > 0).then(|| open(false, genus - 1, Vec::new())).into_iter().collect();
        }
        let crosses = -genus;
        let mut courses = Vec::new();
        for (is_one_sided, used) in [(false, 2), (true, 1)] {
            if crosses > used {
                courses.push(open(is_one_sided, used - crosses, Vec::new()));
            }
            if crosses >= used && (crosses - used) % 2 == 0 {
                let handles = (crosses - used) / 2;
                courses.extend(subsets(turning).map(|turned| open(is_one_sided, handles, turned)));
            }
        }
        courses
    }

    fn shared(genera: [i16; 2], turned: Vec<usize>) -> Self {
        let surfaces =
            genera.map(|genus| Surface::new(genus.into()).expect("it is no more than it was"));
        match turned.is_empty() && surfaces[0].is_sphere() {
            true => Self::Plain,
            false => Self::Shared { surfaces, turned },
        }
    }

    /// The surfaces of both sides of a curve that separates them in a region, if this course does.
    pub(super) fn sides(&self, surface: Surface) -> Option<[Surface; 2]> {
        match self {
            Self::Plain => Some([Surface::SPHERE, surface]),
            Self::Shared { surfaces, .. } => Some(*surfaces),
            Self::Crossed | Self::Open { .. } => None,
        }
    }

    /// Boundaries that are read in their other direction from now on.
    pub(super) fn turned(&self) -> &[usize] {
        match self {
            Self::Shared { turned, .. } | Self::Open { turned, .. } => turned,
            Self::Plain | Self::Crossed => &[],
        }
    }

    /// The same course with the sides exchanged.
    pub(super) fn exchanged(self, surface: Surface) -> Self {
        match self.sides(surface) {
            None => self,
            Some([first, second]) => {
                Self::shared([second.genus(), first.genus()], self.turned().to_vec())
            }
        }
    }
}

impl Witness {
    /// Whether the region has this course for the curve: what it leaves adds up to what there was,
    /// and it turns no boundaries but those that may be turned.
    pub(super) fn fits(&self, surface: Surface, boundaries: usize) -> bool {
        let Self { ends: [from, _], along, course, .. } = self;
        let others: Vec<usize> = (0..boundaries).filter(|&b| b != from.boundary).collect();
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            others.iter().partition(|b| along.contains(b));
        let turned = course.turned();
        let is_in = |of: &[usize]| turned.iter().all(|boundary| of.contains(boundary));
        let genus = surface.genus();
        if !turned.is_sorted_by(|a, b| a < b) || (!turned.is_empty() && genus >= 0) {
            return false;
        }
        match course {
            Course::Plain => true,
            Course::Crossed => !self.divides() && genus < 0,
            Course::Shared { surfaces, .. } => {
                let [first, second] = surfaces.map(Surface::genus);
                // A handle beside a cross-cap is worth two more cross-caps.
                let turning = match (first >= 0, second >= 0) {
                    (true, true) => return self.divides() && genus == first + second,
                    (false, false) => {
                        return self.divides() && genus == first + second && turned.is_empty();
                    }
                    (true, false) => is_in(&inside) && genus == second - 2 * first,
                    (false, true) => is_in(&outside) && genus == first - 2 * second,
                };
                self.divides() && turning
            }
            Course::Open { is_one_sided, left, .. } => {
                let used = if *is_one_sided { 1 } else { 2 };
                let left = left.genus();
                let adds_up = match (genus >= 0, left >= 0) {
                    (true, _) => !is_one_sided && left >= 0 && left == genus - 1,
                    (false, true) => is_in(&others) && -genus == used + 2 * left,
                    (false, false) => turned.is_empty() && -genus == used - left,
                };
                self.divides() && along.is_empty() && adds_up
            }
        }
    }
}

/// All sub-lists of a list.
pub(super) fn subsets(of: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<'_> {
    (0..1u64 << of.len()).map(move |mask| {
        of.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, &b)| b).collect()
    })
}
