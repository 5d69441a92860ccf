//! Sums of lands, with their nimbers.

use sprig_engine::Nimber;

use crate::known::LandId;

/// Options of a land that consist of lands with known nimbers, each with its own nimber, every one
/// once.
#[derive(Default)]
pub(crate) struct Valued {
    lands: Vec<LandId>,
    /// Where the lands of each option end, and its nimber.
    ends: Vec<(u32, Nimber)>,
}

impl<'a> FromIterator<(&'a [LandId], Nimber)> for Valued {
    fn from_iter<I: IntoIterator<Item = (&'a [LandId], Nimber)>>(options: I) -> Self {
        let mut all = Self::default();
        options.into_iter().for_each(|(sum, nimber)| all.push(sum, nimber));
        all.lands.shrink_to_fit();
        all.ends.shrink_to_fit();
        all
    }
}

impl Valued {
    fn push(&mut self, sum: &[LandId], nimber: Nimber) {
        self.lands.extend(sum);
        self.ends.push((self.lands.len() as u32, nimber));
    }

    /// Adds an option, unless it is there.
    pub fn add(&mut self, sum: &[LandId], nimber: Nimber) {
        if !self.iter().any(|(other, _)| other == sum) {
            self.push(sum, nimber);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The lands of each option, and its nimber.
    pub fn iter(&self) -> impl Iterator<Item = (&[LandId], Nimber)> {
        self.ends.iter().scan(0, |start, &(end, nimber)| {
            let lands = &self.lands[*start as usize..end as usize];
            *start = end;
            Some((lands, nimber))
        })
    }
}
