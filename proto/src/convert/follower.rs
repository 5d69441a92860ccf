//! The session of a follower.

use sprig_domain::Reign;

use super::words::name;
use super::{Malformed, into_all, need};
use crate::{
    Build, FollowerHello, FollowerStatus, FollowerWelcome, FromFollower, OnDisk, Record,
    ToFollower, Written, wire,
};

impl From<Reign> for wire::Reign {
    fn from(reign: Reign) -> Self {
        let proof = if reign.number == 0 { Vec::new() } else { reign.proof.to_vec() };
        Self { line: reign.line, number: reign.number, proof, inherited: 0 }
    }
}

impl TryFrom<wire::Reign> for Reign {
    type Error = Malformed;

    fn try_from(reign: wire::Reign) -> Result<Self, Malformed> {
        let first = Self::first(reign.line);
        if reign.number == 0 && reign.proof.is_empty() {
            return Ok(first);
        }
        let (what, size, limit) = ("proof", reign.proof.len(), first.proof.len());
        let proof =
            reign.proof.try_into().map_err(|_| Malformed::TooLarge { what, size, limit })?;
        Ok(Self { number: reign.number, proof, ..first })
    }
}

impl From<FromFollower> for wire::FromFollower {
    fn from(message: FromFollower) -> Self {
        use wire::from_follower::Message;
        Self {
            message: Some(match message {
                FromFollower::Hello(hello) => Message::Hello(hello.into()),
                FromFollower::OnDisk(OnDisk { position, facts }) => {
                    Message::OnDisk(wire::OnDisk { position, facts })
                }
            }),
        }
    }
}

impl TryFrom<wire::FromFollower> for FromFollower {
    type Error = Malformed;

    fn try_from(message: wire::FromFollower) -> Result<Self, Malformed> {
        use wire::from_follower::Message;
        Ok(match need(message.message, "message")? {
            Message::Hello(hello) => Self::Hello(hello.try_into()?),
            Message::OnDisk(wire::OnDisk { position, facts }) => {
                Self::OnDisk(OnDisk { position, facts })
            }
        })
    }
}

impl From<FollowerHello> for wire::FollowerHello {
    fn from(hello: FollowerHello) -> Self {
        let OnDisk { position, facts } = hello.on_disk;
        let (build, reign) = (Some(hello.build.into()), hello.reign.map(Into::into));
        Self { build, name: hello.name, database: hello.database, position, reign, facts }
    }
}

impl TryFrom<wire::FollowerHello> for FollowerHello {
    type Error = Malformed;

    fn try_from(hello: wire::FollowerHello) -> Result<Self, Malformed> {
        let build = Build::try_from(need(hello.build, "build")?)?;
        Ok(Self {
            build: Build { id: name("build", build.id)?, ..build },
            name: name("name", hello.name)?,
            database: hello.database,
            on_disk: OnDisk { position: hello.position, facts: hello.facts },
            reign: hello.reign.map(Reign::try_from).transpose()?,
        })
    }
}

impl From<ToFollower> for wire::ToFollower {
    fn from(message: ToFollower) -> Self {
        use wire::to_follower::Message;
        Self {
            message: Some(match message {
                ToFollower::Welcome(welcome) => Message::Welcome(wire::FollowerWelcome {
                    build: Some(welcome.build.into()),
                    database: welcome.database,
                    reign: Some(welcome.reign.into()),
                    whole: welcome.whole,
                }),
                ToFollower::Written(Written { records, position, facts }) => {
                    let records = into_all(records);
                    Message::Written(wire::Written { records, position, facts })
                }
            }),
        }
    }
}

impl TryFrom<wire::ToFollower> for ToFollower {
    type Error = Malformed;

    fn try_from(message: wire::ToFollower) -> Result<Self, Malformed> {
        use wire::to_follower::Message;
        Ok(match need(message.message, "message")? {
            Message::Welcome(welcome) => Self::Welcome(FollowerWelcome {
                build: need(welcome.build, "build")?.try_into()?,
                database: welcome.database,
                reign: need(welcome.reign, "reign")?.try_into()?,
                whole: welcome.whole,
            }),
            Message::Written(wire::Written { records, position, facts }) => {
                let records = records.into_iter().map(Record::from).collect();
                Self::Written(Written { records, position, facts })
            }
        })
    }
}

impl From<Record> for wire::Record {
    fn from(Record { family, key, value }: Record) -> Self {
        Self { family, key, value }
    }
}

impl From<wire::Record> for Record {
    fn from(wire::Record { family, key, value }: wire::Record) -> Self {
        Self { family, key, value }
    }
}

impl From<FollowerStatus> for wire::Follower {
    fn from(FollowerStatus { name, build, facts, behind }: FollowerStatus) -> Self {
        Self { name, build, facts, behind }
    }
}

impl TryFrom<wire::Follower> for FollowerStatus {
    type Error = Malformed;

    fn try_from(follower: wire::Follower) -> Result<Self, Malformed> {
        let wire::Follower { name: said, build, facts, behind } = follower;
        Ok(Self { name: name("name", said)?, build: name("build", build)?, facts, behind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_heard() {
        let reign = Reign { line: 7, number: 2, proof: [9; 32] };
        let (build, on_disk) = (Build::here(), OnDisk { position: 70, facts: 12 });
        let hello = FollowerHello {
            build: build.clone(),
            name: "copy".into(),
            database: 3,
            on_disk,
            reign: Some(reign),
        };
        for said in [FromFollower::Hello(hello), FromFollower::OnDisk(on_disk)] {
            assert_eq!(FromFollower::try_from(wire::FromFollower::from(said.clone())), Ok(said));
        }
        let first = Reign::first(7);
        let welcome = FollowerWelcome { build, database: 3, reign: first, whole: true };
        let put = Record { family: "facts".into(), key: vec![1], value: Some(Vec::new()) };
        let deleted = Record { value: None, ..put.clone() };
        let written = Written { records: vec![put, deleted], position: None, facts: 5 };
        let at = Written { records: Vec::new(), position: Some(0), facts: 5 };
        for said in
            [ToFollower::Welcome(welcome), ToFollower::Written(written), ToFollower::Written(at)]
        {
            assert_eq!(ToFollower::try_from(wire::ToFollower::from(said.clone())), Ok(said));
        }
    }

    #[test]
    fn a_reign_without_its_proof_is_malformed() {
        let reign = wire::Reign { line: 7, number: 2, proof: vec![9; 31], inherited: 0 };
        assert!(Reign::try_from(reign).is_err());
        assert!(FromFollower::try_from(wire::FromFollower { message: None }).is_err());
    }
}
