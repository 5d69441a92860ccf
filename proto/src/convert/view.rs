//! Views of searches, and wishes.

use sprig_domain::{Branch, Goal, Node, Outcome, Place, View, Wish, WishEnd, WishKind};

use super::words::{label, reason, text};
use super::{Malformed, all, into_all, need, within};
use crate::{Looker, Sight, Wanted, WorkerId, limits, wire};

impl From<Branch> for wire::Branch {
    fn from(Branch { place, proof, disproof, walks }: Branch) -> Self {
        use wire::branch::Place as Wire;
        let (place, text) = match place {
            Place::Goal(goal) => (Wire::Goal(goal.into()), String::new()),
            Place::Node(node) => (Wire::Node(node.encode()), node.to_string()),
        };
        Self { place: Some(place), proof, disproof, walks, text }
    }
}

impl TryFrom<wire::Branch> for Branch {
    type Error = Malformed;

    fn try_from(branch: wire::Branch) -> Result<Self, Malformed> {
        use wire::branch::Place as Wire;
        let wire::Branch { place, proof, disproof, walks, .. } = branch;
        let place = match need(place, "place")? {
            Wire::Goal(goal) => Place::Goal(goal.try_into()?),
            Wire::Node(node) => {
                within("node", node.len(), limits::POSITION_BYTES)?;
                Place::Node(Node::decode(&node)?)
            }
        };
        Ok(Self { place, proof, disproof, walks })
    }
}

impl From<View> for wire::View {
    fn from(View { at, line, options, open }: View) -> Self {
        Self { at: Some(at.into()), line: into_all(line), options: into_all(options), open }
    }
}

impl TryFrom<wire::View> for View {
    type Error = Malformed;

    fn try_from(view: wire::View) -> Result<Self, Malformed> {
        let wire::View { at, line, options, open } = view;
        within("line", line.len(), limits::LINE)?;
        within("options", options.len(), limits::VIEWED)?;
        let at = need(at, "at")?.try_into()?;
        Ok(Self { at, line: all(line)?, options: all(options)?, open })
    }
}

impl From<WishKind> for wire::WishKind {
    fn from(kind: WishKind) -> Self {
        match kind {
            WishKind::Pin => Self::Pin,
            WishKind::Boost => Self::Boost,
            WishKind::Ban => Self::Ban,
        }
    }
}

/// Checks the kind of a wish.
fn kind(number: i32) -> Result<WishKind, Malformed> {
    match wire::WishKind::try_from(number) {
        Ok(wire::WishKind::Pin) => Ok(WishKind::Pin),
        Ok(wire::WishKind::Boost) => Ok(WishKind::Boost),
        Ok(wire::WishKind::Ban) => Ok(WishKind::Ban),
        Ok(wire::WishKind::Unspecified) => Err(Malformed::Missing("kind")),
        Err(_) => Err(Malformed::Unknown { what: "kind of wish", number }),
    }
}

impl From<Wanted> for wire::WishRequest {
    fn from(Wanted { kind, at, until, by }: Wanted) -> Self {
        let kind = wire::WishKind::from(kind).into();
        Self { kind, at: Some(at.into()), until: until.unwrap_or_default(), by }
    }
}

impl TryFrom<wire::WishRequest> for Wanted {
    type Error = Malformed;

    fn try_from(wish: wire::WishRequest) -> Result<Self, Malformed> {
        let until = Some(wish.until).filter(|&until| until > 0);
        let (kind, by) = (kind(wish.kind)?, label("by", wish.by)?);
        Ok(Self { kind, at: need(wish.at, "at")?.try_into()?, until, by })
    }
}

impl From<Wish> for wire::Wish {
    fn from(wish: Wish) -> Self {
        use wire::wish::End;
        let Wish { number, kind, at, by, made, until, expansions, end } = wish;
        let end = end.map(|end| match end {
            WishEnd::Decided(outcome) => End::Win(outcome == Outcome::Win),
            WishEnd::Expired => End::Expired(true),
            WishEnd::Withdrawn => End::Withdrawn(true),
            WishEnd::GaveUp(reason) => End::GaveUp(reason),
        });
        let (kind, at) = (wire::WishKind::from(kind).into(), Some(at.into()));
        let until = until.unwrap_or_default();
        Self { number, kind, at, by, made, until, expansions, end }
    }
}

impl TryFrom<wire::Wish> for Wish {
    type Error = Malformed;

    fn try_from(wish: wire::Wish) -> Result<Self, Malformed> {
        use wire::wish::End;
        let wire::Wish { number, kind: word, at, by, made, until, expansions, end } = wish;
        let (kind, at): (_, Goal) = (kind(word)?, need(at, "at")?.try_into()?);
        let (by, until) = (label("by", by)?, Some(until).filter(|&until| until > 0));
        let end = match end {
            None => None,
            Some(End::Win(win)) => Some(WishEnd::Decided(win.into())),
            Some(End::Expired(_)) => Some(WishEnd::Expired),
            Some(End::Withdrawn(_)) => Some(WishEnd::Withdrawn),
            Some(End::GaveUp(why)) => Some(WishEnd::GaveUp(reason("gave_up", why)?)),
        };
        Ok(Self { number, kind, at, by, made, until, expansions, end })
    }
}

impl From<Sight> for wire::Sight {
    fn from(Sight { job, lookers }: Sight) -> Self {
        Self { job: Some(job.into()), lookers: into_all(lookers) }
    }
}

impl TryFrom<wire::Sight> for Sight {
    type Error = Malformed;

    fn try_from(wire::Sight { job, lookers }: wire::Sight) -> Result<Self, Malformed> {
        Ok(Self { job: need(job, "job")?.try_into()?, lookers: all(lookers)? })
    }
}

impl From<Looker> for wire::Looker {
    fn from(looker: Looker) -> Self {
        let Looker { worker, name, goal, wish, expansions, age, view } = looker;
        let (goal, wish, view) = (Some(goal.into()), wish.unwrap_or(0), view.map(Into::into));
        Self { worker: worker.0, name, goal, wish, expansions, age, view }
    }
}

impl TryFrom<wire::Looker> for Looker {
    type Error = Malformed;

    fn try_from(looker: wire::Looker) -> Result<Self, Malformed> {
        let wire::Looker { worker, name, goal, wish, expansions, age, view } = looker;
        Ok(Self {
            worker: WorkerId(worker),
            name: text("name", name)?,
            goal: need(goal, "goal")?.try_into()?,
            wish: Some(wish).filter(|&wish| wish > 0),
            expansions,
            age,
            view: view.map(View::try_from).transpose()?,
        })
    }
}
