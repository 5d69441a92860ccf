//! The page of the calls that each role may make.

use sprig_coordinator::access::CALLS;
use sprig_proto::Role;

use super::markdown::{code, table};

const INTRO: &str = "\
# Roles and calls

What a caller may do on a coordinator that asks who calls. A call that does not stand here may be made by nobody.
[Security](../security.md) says how a caller shows its role; [messages](messages.md) says what the calls carry.

";

pub fn page() -> String {
    let rows = CALLS.iter().map(|(path, roles)| {
        let may = |role| if role == Role::Admin || roles.contains(&role) { "yes" } else { "" };
        let [read, submit, worker, follower, admin] =
            [Role::Read, Role::Submit, Role::Worker, Role::Follower, Role::Admin]
                .map(|role| may(role).to_owned());
        let call = path.trim_start_matches("/sprig.v1.").replace('/', ".");
        [code(&call), read, submit, worker, follower, admin]
    });
    INTRO.to_owned() + &table(["call", "read", "submit", "worker", "follower", "admin"], rows)
}
