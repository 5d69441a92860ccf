//! The table of calls and roles. A call that does not stand in it is refused to every role.

use Role::{Admin, Follower, Read, Submit, Worker};
use sprig_proto::Role;

/// Every call, and the roles that may make it. [`Admin`] may make all.
pub const CALLS: &[(&str, &[Role])] = &[
    ("/sprig.v1.Clients/Greet", &[Read, Submit, Worker, Follower]),
    ("/sprig.v1.Clients/Status", &[Read, Submit]),
    ("/sprig.v1.Clients/Watch", &[Read, Submit]),
    ("/sprig.v1.Clients/Look", &[Read, Submit]),
    ("/sprig.v1.Clients/Query", &[Read, Submit]),
    ("/sprig.v1.Clients/Moves", &[Read, Submit]),
    ("/sprig.v1.Clients/Jobs", &[Read, Submit]),
    ("/sprig.v1.Clients/Verified", &[Read, Submit]),
    ("/sprig.v1.Clients/Lands", &[Read, Submit]),
    ("/sprig.v1.Clients/Tree", &[Read, Submit]),
    ("/sprig.v1.Clients/Submit", &[Submit]),
    ("/sprig.v1.Clients/Order", &[Submit]),
    ("/sprig.v1.Clients/Drain", &[]),
    ("/sprig.v1.Clients/Unban", &[]),
    ("/sprig.v1.Workers/Work", &[Worker]),
    ("/sprig.v1.Workers/Facts", &[Worker]),
    ("/sprig.v1.Copies/Facts", &[Worker]),
    ("/sprig.v1.Followers/Follow", &[Follower]),
    ("/sprig.v1.Followers/Reigning", &[Read, Submit, Worker, Follower]),
];

/// Whether `role` may make the call; `None` if there is no such call.
pub(super) fn allows(role: Role, path: &str) -> Option<bool> {
    let (_, roles) = CALLS.iter().find(|(call, _)| *call == path)?;
    Some(role == Admin || roles.contains(&role))
}

/// The roles that may make the call, in words.
pub(super) fn roles(path: &str) -> String {
    let of = CALLS.iter().find(|(call, _)| *call == path).map_or(&[][..], |(_, roles)| *roles);
    let names: Vec<String> = of.iter().chain([&Admin]).map(Role::to_string).collect();
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_changes_nothing() {
        let read = |name: &str| allows(Read, name).expect("a call");
        for call in ["Submit", "Order", "Drain", "Unban"] {
            assert!(!read(&format!("/sprig.v1.Clients/{call}")), "{call}");
        }
        for call in ["Work", "Facts"] {
            assert!(!read(&format!("/sprig.v1.Workers/{call}")), "{call}");
        }
        assert_eq!(allows(Admin, "/sprig.v1.Clients/Reset"), None);
    }
}
