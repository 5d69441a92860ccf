//! Invitations: one file with all that a volunteer's worker needs to connect.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use sprig_proto::{Access, ClientTls, Token};

use crate::secrets::{self, Guarded};

/// The version of the format of invitations.
const VERSION: u32 = 1;

/// The contents of an invitation.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Invitation {
    /// The version of the format.
    sprig_invitation: u32,
    /// A text for people who open the file.
    about: String,
    /// The addresses of the coordinator.
    pub coordinator: Vec<String>,
    /// Who is invited.
    pub name: String,
    /// The secret by which the worker is let in.
    token: String,
    /// Certificates of the authority that vouches for the coordinator. None if connections are not
    /// encrypted.
    #[serde(skip_serializing_if = "Option::is_none")]
    authority: Option<String>,
    /// The address where newer programs can be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
}

impl Invitation {
    /// Reads an invitation.
    ///
    /// # Errors
    /// When the file cannot be read, others can read it, or it is no invitation.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = secrets::read(path, Guarded::Secret)?;
        let none = || format!("{} is no invitation; ask for it again, whole", path.display());
        // The cause names only a place and a field, so no secret shows.
        let invitation: Self = serde_json::from_str(&text).with_context(none)?;
        let version = invitation.sprig_invitation;
        ensure!(
            version == VERSION,
            "{} is of version {version}: install a newer sprig",
            path.display()
        );
        ensure!(!invitation.coordinator.is_empty(), "{} names no coordinator", path.display());
        Ok(invitation)
    }

    /// The credentials for a connection.
    ///
    /// # Errors
    /// When the token is no token.
    pub fn access(&self) -> anyhow::Result<Access> {
        let tls = self.authority.clone().map(|authority| ClientTls { authority, own: None });
        let token = Token::new(self.token.trim()).context("the invitation holds no token")?;
        // The connection itself refuses to send a token in the open to another machine.
        Ok(Access { tls, token: Some(token), ..Access::default() })
    }
}

#[cfg(feature = "coordinator")]
impl Invitation {
    /// A new invitation.
    pub fn new(
        name: &str,
        coordinator: Vec<String>,
        token: &str,
        authority: Option<String>,
        update: Option<String>,
    ) -> Self {
        let about = format!(
            "An invitation to work for a cluster of Sprig, for {name} alone: who has this file works in that name. \
             chmod 600 FILE && sprig worker --invitation FILE"
        );
        let (name, token) = (name.to_owned(), token.to_owned());
        Self { sprig_invitation: VERSION, about, coordinator, name, token, authority, update }
    }

    /// The text of the invitation's file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("it has text keys alone") + "\n"
    }
}

/// The invitation of a worker, on its command line.
#[derive(clap::Args)]
pub struct Invited {
    /// File of an invitation (`sprig invite`): it says where the coordinator is, and how to get in
    #[arg(
        long,
        value_name = "FILE",
        env = "SPRIG_INVITATION",
        conflicts_with_all = ["tls_ca", "tls_cert", "tls_key", "token_file"]
    )]
    pub invitation: Option<PathBuf>,
}

#[cfg(all(test, feature = "coordinator"))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn read(text: &str, mode: u32) -> Result<Invitation, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ann.invitation");
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("ours");
        Invitation::read(&path).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_is_written_is_read() {
        let token = "5e".repeat(32);
        let urls = ["https://one.example:7425".to_owned(), "https://two.example:7425".to_owned()];
        let authority = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        let (update, authority) =
            (Some("https://sprig.example/download".to_owned()), Some(authority.to_owned()));
        let made = Invitation::new("ann", urls.to_vec(), &token, authority.clone(), update.clone());
        let invitation = read(&made.text(), 0o600).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((&invitation.coordinator[..], &*invitation.name), (&urls[..], "ann"));
        assert!(invitation == made && invitation.update == update);
        let access = invitation.access().expect("access");
        assert!(access.tls.is_some_and(|tls| Some(tls.authority) == authority));
        assert!(access.token.is_some() && !access.insecure);
    }

    #[test]
    fn what_is_none_says_so_and_never_the_secret() {
        let url = "http://127.0.0.1:7425".to_owned();
        let made = Invitation::new("ann", vec![url], "secretsecret", None, None);
        let text = made.text();
        assert!(read(&text, 0o644).map(drop).unwrap_err().contains("chmod 600"));
        let cut = &text[..text.len() - 3];
        for (text, part) in [
            (cut, "no invitation"),
            ("{}", "missing field"),
            (&text.replace("_invitation\": 1", "_invitation\": 2"), "newer sprig"),
            (&text.replace("\"about\"", "\"more\""), "unknown field"),
            (&text.replace("\"secretsecret\"", "7"), "invalid type"),
        ] {
            let error = read(text, 0o600).map(drop).unwrap_err();
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("secretsecret"), "{error}");
        }
    }
}
