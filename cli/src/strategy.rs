//! Strategies, from facts: a winning move, and the answer to every reply.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::ControlFlow;

use anyhow::Context;
use serde::Serialize;
use sprig_certificate::Loss;
use sprig_certify::{Losses, Written};
use sprig_domain::{Game, cancel};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_trees::Base;

/// What facts say of the positions of a game.
pub struct Known {
    pub game: Game,
    pub facts: Facts,
}

/// Facts that say who wins.
pub enum Facts {
    /// Nimbers of lands, from a certificate.
    Certified(HashMap<CanonicalLand, Nimber>),
    /// Nimbers of lands, the verified ones of a database.
    #[cfg(feature = "coordinator")]
    Stored(Box<sprig_store::Reader>),
    /// Lost nodes of misère play.
    Losses(Box<Losses>),
}

/// A position, and how to play on from it. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Strategy {
    /// The position, for the player to move.
    pub position: String,
    /// `win` or `loss` for that player.
    pub outcome: &'static str,
    /// In a win, where the winning move leads; none in misère play if there is no move left, which wins.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub winning: Option<Box<Strategy>>,
    /// In a loss, where each of the moves leads; none beyond the depth that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<Vec<Strategy>>,
}

impl Known {
    /// Whether the play is misère, in which a player who cannot move wins.
    pub fn is_misere(&self) -> bool {
        matches!(self.facts, Facts::Losses(_))
    }

    /// Whether a position is known to be lost for the player to move.
    fn is_lost(&mut self, position: &CanonicalPosition) -> anyhow::Result<bool> {
        match &mut self.facts {
            Facts::Losses(losses) => Ok(losses.says_lost(position)),
            _ => Ok(self.value(position)? == Some(Nimber::ZERO)),
        }
    }

    fn nimber(&self, land: &CanonicalLand) -> anyhow::Result<Option<Nimber>> {
        Ok(match &self.facts {
            Facts::Certified(facts) => facts.get(land).copied(),
            #[cfg(feature = "coordinator")]
            Facts::Stored(reader) => reader.verified_nimber(land.key())?,
            Facts::Losses(_) => None,
        })
    }

    /// The nimber of a position. Equal lands cancel each other, whether they are known or not.
    fn value(&self, position: &CanonicalPosition) -> anyhow::Result<Option<Nimber>> {
        let mut lands: Vec<&CanonicalLand> = position.lands().iter().collect();
        cancel(&mut lands);
        let mut sum = Nimber::ZERO;
        for land in lands {
            let Some(nimber) = self.nimber(land)? else { return Ok(None) };
            sum = sum.nim_sum(nimber);
        }
        Ok(Some(sum))
    }

    /// The lost position that a winning move leads to. Of several, the one with the fewest lives;
    /// none if no winning move is known.
    ///
    /// # Errors
    /// When there are too many moves, or the database fails.
    pub fn winning_move(
        &mut self,
        position: &CanonicalPosition,
    ) -> anyhow::Result<Option<CanonicalPosition>> {
        let mut best: Option<(u32, CanonicalPosition)> = None;
        for child in self.game.children(position).context("cannot list the moves")? {
            let lives = child.lands().iter().map(CanonicalLand::lives).sum();
            if best.as_ref().is_none_or(|&(least, _)| lives < least) && self.is_lost(&child)? {
                best = Some((lives, child));
            }
        }
        Ok(best.map(|(_, child)| child))
    }

    /// The strategy of the player who wins `position`, with the replies to the next `depth` of the
    /// winner's moves. None if the facts do not say who wins.
    ///
    /// # Errors
    /// As for [`Self::winning_move`].
    pub fn strategy(
        &mut self,
        position: &CanonicalPosition,
        depth: u32,
    ) -> anyhow::Result<Option<Strategy>> {
        let text = position.to_string();
        if self.is_lost(position)? {
            return Ok(Some(self.lost(text, position, depth)?));
        }
        if self.is_misere() && position.lands().is_empty() {
            return Ok(Some(Strategy {
                position: text,
                outcome: "win",
                winning: None,
                replies: None,
            }));
        }
        let Some(child) = self.winning_move(position)? else { return Ok(None) };
        let winning = Some(Box::new(self.lost(child.to_string(), &child, depth)?));
        Ok(Some(Strategy { position: text, outcome: "win", winning, replies: None }))
    }

    fn lost(
        &mut self,
        position: String,
        lost: &CanonicalPosition,
        depth: u32,
    ) -> anyhow::Result<Strategy> {
        let outcome = "loss";
        if depth == 0 {
            return Ok(Strategy { position, outcome, winning: None, replies: None });
        }
        let mut replies = Vec::new();
        for reply in self.game.children(lost).context("cannot list the moves")? {
            let won = self.strategy(&reply, depth - 1)?;
            replies.push(won.with_context(|| {
                format!("the facts do not say how to answer the move to `{reply}`; verify them")
            })?);
        }
        Ok(Strategy { position, outcome, winning: None, replies: Some(replies) })
    }
}

impl Strategy {
    /// Appends the strategy to `out`, with a line for every answer.
    pub fn print(&self, indent: usize, out: &mut String) {
        let blanks = " ".repeat(indent);
        for reply in self.replies.iter().flatten() {
            match &reply.winning {
                Some(answer) => {
                    out.push_str(&format!("{blanks}{} -> {}\n", reply.position, answer.position));
                    answer.print(indent + 2, out);
                }
                None => {
                    out.push_str(&format!("{blanks}{}: no move left, which wins\n", reply.position))
                }
            }
        }
    }
}

/// A node of a certificate, in the form that the search for proofs takes.
pub fn written_canonically(loss: &Loss) -> Written {
    let lands = CanonicalPosition::of(&loss.lands);
    Written { lands, sums: loss.sums.iter().map(CanonicalPosition::of).collect() }
}

/// The trees of all lands in the game tree of a position.
pub fn base_of(game: Game, position: &Position) -> anyhow::Result<Base> {
    let mut base = Base::of(game);
    let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    base.build(&CanonicalPosition::of(position), threads, |_| ControlFlow::Continue(()))?;
    Ok(base)
}
