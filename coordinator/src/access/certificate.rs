//! The name in a client's certificate.

use sprig_proto::Role;
use tokio_rustls::rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

use super::{Identity, is_name};

/// What the names of clients end in. It is no domain of the network, so no public authority signs
/// such a name.
pub const SUFFIX: &str = "sprig";

/// The identity of the owner of a verified certificate: its one alternative name of the form
/// `NAME.ROLE.sprig`. A certificate without such a name, or with several, gives none.
pub(super) fn identity(certificate: &CertificateDer<'_>) -> Option<Identity> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let mut found = certificate.valid_dns_names().filter_map(of_name);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn of_name(dns: &str) -> Option<Identity> {
    let parts: Vec<&str> = dns.split('.').collect();
    let [name, role, SUFFIX] = parts[..] else { return None };
    let role: Role = role.parse().ok()?;
    is_name(name).then(|| Identity::named(role, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_name_counts() {
        assert_eq!(of_name("node-7.worker.sprig"), Some(Identity::named(Role::Worker, "node-7")));
        for other in [
            "worker.sprig",
            "a.b.worker.sprig",
            "a.king.sprig",
            "a.worker.example",
            ".worker.sprig",
            "*.admin.sprig",
        ] {
            assert_eq!(of_name(other), None, "{other}");
        }
    }
}
