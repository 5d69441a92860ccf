//! What one line of a file says.

use sprig_engine::{Nimber, Position};

use crate::Name;

/// A line, read but not believed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// The nimber of a position in normal play.
    Nimber {
        /// The position.
        position: Position,
        /// Its nimber.
        nimber: Nimber,
    },
    /// The RCT of a position.
    Rct {
        /// The position.
        position: Position,
        /// Its RCT.
        rct: Name,
    },
    /// An RCT and its options.
    Tree {
        /// The tree.
        rct: Name,
        /// Its options, in any order.
        options: Vec<Name>,
    },
    /// A sum that is lost in misère play by the player to move.
    Loss {
        /// The lands whose RCTs are not known; perhaps none.
        position: Position,
        /// Whether a heap of 1 is part of the sum.
        one: bool,
        /// The other summands: RCTs without factor 1.
        rcts: Vec<Name>,
    },
}

/// What all lines of a section say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Nimbers of lands.
    Nimbers,
    /// Options of RCTs.
    Trees,
    /// RCTs of lands.
    Rcts,
    /// Losing sums of lands, in misère play.
    Losses,
    /// Losing sums of lands, 1 and RCTs, in misère play.
    Nodes,
}

impl Kind {
    /// Every kind, in an order in which what is needed comes before what needs it.
    pub const ALL: [Self; 5] = [Self::Nimbers, Self::Trees, Self::Rcts, Self::Losses, Self::Nodes];

    /// The header line in files of GLOP and SPOTS.
    pub fn header(self) -> &'static str {
        match self {
            Self::Nimbers => "[Positions+Nimber]",
            Self::Trees => "[Rct+Rcts_children]",
            Self::Rcts => "[Position+Rct]",
            Self::Losses => "[WinLoss_Misere:Losing_Position]",
            Self::Nodes => "[Misere_Complex:Losing_Position+Rcts]",
        }
    }

    /// The header line in CSV. Sums of lands alone and with RCTs share one.
    pub fn columns(self) -> &'static str {
        match self {
            Self::Nimbers => "land,nimber",
            Self::Trees => "rct,options",
            Self::Rcts => "land,rct",
            Self::Losses | Self::Nodes => "loss,one,rcts",
        }
    }
}
