//! `sprig certs`: certificates for a protected cluster, signed by an authority of its own.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};
use clap::Args;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use serde::Serialize;
use sprig_ask::plural;
use sprig_coordinator::access::is_name;
use sprig_proto::Role;

use crate::output::{self, Answer, Format};
use crate::secrets::{self, Guarded};
use crate::table::table;
use crate::x509::Certificate;

const EXAMPLES: &str = "\
Examples:
  sprig certs tls --host coordinator.example --host 10.0.0.1
  sprig certs tls --client worker:node-7             one more worker, later
  sprig certs tls --host other.example --renew       one more name of the coordinator
  sprig certs tls --check                            for whom, and for how many days?
  sprig coordinator --db facts --listen 10.0.0.1:7425 \\
        --tls-cert tls/coordinator.pem --tls-key tls/coordinator.key --tls-client-ca tls/ca.pem
  sprig worker --coordinator https://10.0.0.1:7425 --tls-ca tls/ca.pem \\
        --tls-cert tls/node-7.pem --tls-key tls/node-7.key";

const YEAR: Duration = Duration::from_secs(366 * 24 * 3600);
/// Days before its end when a certificate should be renewed.
const SOON: i64 = 30;
/// Certificates begin this long before now, as clocks of other machines may be behind.
const SLACK: Duration = Duration::from_secs(24 * 3600);

/// Make a development authority, and certificates for a coordinator and its clients
///
/// The folder then holds ca.pem and ca.key, coordinator.pem and .key, and NAME.pem and .key for each client. What is there
/// is kept: the same authority signs more certificates when it is called again. Certificates hold for one year; --renew makes
/// them anew. Keep ca.key away from the other machines; a service of your own can sign instead (docs/security.md says which names).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Certs {
    /// Folder for the files; it is made where there is none
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Name or address by which the coordinator is reached [default: localhost, 127.0.0.1 and ::1]
    #[arg(long = "host", value_name = "HOST")]
    hosts: Vec<String>,
    /// A client and what it may do: read, submit, worker, follower or admin [default: one of each role, named like the role]
    #[arg(long = "client", value_name = "ROLE:NAME", value_parser = client)]
    clients: Vec<(Role, String)>,
    /// Make the coordinator's certificate anew, with --host for further names, and those of --client, or of all clients
    #[arg(long)]
    renew: bool,
    /// Show for whom the certificates are and how many days are left; exit code 1 where it is less than 30
    #[arg(long, conflicts_with_all = ["hosts", "clients", "renew"])]
    check: bool,
    #[command(flatten)]
    format: Format,
}

/// The certificates of a folder, as `--check` shows them.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Checked {
    folder: PathBuf,
    /// The certificates of the folder.
    certificates: Vec<Signed>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Signed {
    name: String,
    /// Days until it ends.
    days: i64,
    /// For whom it is.
    names: Vec<String>,
}

impl Answer for Checked {
    fn text(&self) -> String {
        let rows = self.certificates.iter();
        let rows = rows.map(|c| [c.name.clone(), c.days.to_string(), c.names.join(" ")]);
        table(["CERTIFICATE", "DAYS LEFT", "FOR"], &[], rows)
    }

    fn line(&self) -> String {
        plural(self.certificates.len(), "certificate")
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Made {
    folder: PathBuf,
    /// Certificates that were made.
    made: Vec<String>,
    /// Certificates that were there.
    kept: Vec<String>,
}

impl Answer for Made {
    fn text(&self) -> String {
        let row = |what: &str, names: &[String]| match names {
            [] => String::new(),
            names => format!("{what}        {}\n", names.join(" ")),
        };
        row("made", &self.made) + &row("kept", &self.kept)
    }

    fn line(&self) -> String {
        format!("{} made, {} kept", self.made.len(), self.kept.len())
    }
}

/// Reads `ROLE:NAME`.
fn client(text: &str) -> Result<(Role, String), String> {
    let (role, name) = text.split_once(':').ok_or("write it like worker:node-7")?;
    let role: Role = role.parse().map_err(|e: sprig_proto::NoRole| e.to_string())?;
    let reserved = ["ca", "coordinator"].contains(&name);
    if !is_name(name) || reserved {
        return Err(format!(
            "`{name}` is no name for a client: small letters, digits and `-`, and not ca or coordinator"
        ));
    }
    Ok((role, name.to_owned()))
}

/// The key of the authority, and the fields with which it signs.
struct Authority {
    params: CertificateParams,
    key: KeyPair,
}

impl Certs {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.check {
            return self.check();
        }
        let mut folder = DirBuilder::new();
        folder.recursive(true).mode(0o755);
        folder
            .create(&self.folder)
            .with_context(|| format!("cannot make {}", self.folder.display()))?;
        let mut made = Made { folder: self.folder.clone(), made: vec![], kept: vec![] };
        let authority = self.authority(&mut made)?;
        let hosts = self.hosts()?;
        self.issue(
            &authority,
            &mut made,
            "coordinator",
            hosts,
            ExtendedKeyUsagePurpose::ServerAuth,
        )?;
        for (role, name) in self.clients()? {
            let names = vec![format!("{name}.{role}.sprig")];
            self.issue(&authority, &mut made, &name, names, ExtendedKeyUsagePurpose::ClientAuth)?;
        }
        output::answer(&self.format, &made)
    }

    /// The names of the coordinator: those of its certificate, and those of the options.
    fn hosts(&self) -> anyhow::Result<Vec<String>> {
        let path = self.path("coordinator", "pem");
        if !path.exists() {
            return Ok(match &self.hosts[..] {
                [] => ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(),
                hosts => hosts.to_vec(),
            });
        }
        let mut names = read(&path)?.names;
        let new: Vec<_> = self.hosts.iter().filter(|host| !names.contains(host)).cloned().collect();
        ensure!(
            new.is_empty() || self.renew,
            "{} is for {} and not for {}: add --renew, which makes a certificate for all of them, and restart the coordinator with it",
            path.display(),
            names.join(", "),
            new.join(", ")
        );
        names.extend(new);
        Ok(names)
    }

    /// The clients of the options. Without any they are one of each role, or in a renewal those
    /// that are there.
    fn clients(&self) -> anyhow::Result<Vec<(Role, String)>> {
        if !self.clients.is_empty() {
            return Ok(self.clients.clone());
        }
        let mut clients = Vec::new();
        for (_, certificate) in self.certificates()?.into_iter().filter(|_| self.renew) {
            let [name] = &certificate.names[..] else { continue };
            let [name, role, "sprig"] = name.split('.').collect::<Vec<_>>()[..] else { continue };
            clients.push((role.parse()?, name.to_owned()));
        }
        match clients.is_empty() {
            true => Ok(Role::ALL.map(|role| (role, role.name().to_owned())).to_vec()),
            false => Ok(clients),
        }
    }

    fn check(&self) -> anyhow::Result<ExitCode> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_secs())?;
        let certificates = self.certificates()?.into_iter().map(|(name, certificate)| Signed {
            name,
            days: certificate.days_left(now),
            names: certificate.names,
        });
        let certificates: Vec<_> = certificates.collect();
        let folder = self.folder.clone();
        ensure!(!certificates.is_empty(), "{} holds no certificates", folder.display());
        let all_hold = certificates.iter().all(|signed| signed.days >= SOON);
        output::answer(&self.format, &Checked { folder, certificates })?;
        Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// The certificates of the folder by their names.
    fn certificates(&self) -> anyhow::Result<Vec<(String, Certificate)>> {
        let shown = self.folder.display();
        let entries =
            std::fs::read_dir(&self.folder).with_context(|| format!("cannot read {shown}"))?;
        let mut found = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "pem") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                found.push((name, read(&path)?));
            }
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }

    fn path(&self, name: &str, kind: &str) -> PathBuf {
        self.folder.join(format!("{name}.{kind}"))
    }

    /// The authority of the folder, or a new one if there is none.
    fn authority(&self, made: &mut Made) -> anyhow::Result<Authority> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Sprig development authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        valid_for(&mut params, 10);
        let (certificate, key) = (self.path("ca", "pem"), self.path("ca", "key"));
        match (certificate.exists(), key.exists()) {
            (true, true) => {
                let text = secrets::read(&key, Guarded::Secret)?;
                let key = KeyPair::from_pem(&text).context("ca.key holds no key")?;
                made.kept.push("ca".into());
                Ok(Authority { params, key })
            }
            (false, false) => {
                let pair = KeyPair::generate().context("cannot make a key")?;
                let signed = params.self_signed(&pair).context("cannot sign")?;
                write(&key, &certificate, &pair, &signed)?;
                made.made.push("ca".into());
                Ok(Authority { params, key: pair })
            }
            _ => bail!(
                "{} holds one of ca.pem and ca.key without the other: bring the other one, or take another folder",
                self.folder.display()
            ),
        }
    }

    fn issue(
        &self,
        authority: &Authority,
        made: &mut Made,
        name: &str,
        names: Vec<String>,
        usage: ExtendedKeyUsagePurpose,
    ) -> anyhow::Result<()> {
        let (certificate, key) = (self.path(name, "pem"), self.path(name, "key"));
        if certificate.exists() || key.exists() {
            let both = certificate.exists() && key.exists();
            ensure!(both, "{} is there without its other half: remove it", certificate.display());
            if !self.renew {
                made.kept.push(name.into());
                return Ok(());
            }
        }
        let mut params = CertificateParams::new(names).context("not a host")?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![usage];
        params.use_authority_key_identifier_extension = true;
        valid_for(&mut params, 1);
        let pair = KeyPair::generate().context("cannot make a key")?;
        let issuer = Issuer::from_params(&authority.params, &authority.key);
        let signed = params.signed_by(&pair, &issuer).context("cannot sign")?;
        if self.renew {
            // The old files stay in use until the new ones are complete.
            let (new_key, new) = (self.path(name, "key.new"), self.path(name, "pem.new"));
            write(&new_key, &new, &pair, &signed)?;
            std::fs::rename(&new_key, &key).context("cannot replace the key")?;
            std::fs::rename(&new, &certificate).context("cannot replace the certificate")?;
        } else {
            write(&key, &certificate, &pair, &signed)?;
        }
        made.made.push(name.into());
        Ok(())
    }
}

fn read(path: &Path) -> anyhow::Result<Certificate> {
    let text = secrets::read(path, Guarded::Trusted)?;
    Certificate::read(&text).with_context(|| format!("cannot read {}", path.display()))
}

fn valid_for(params: &mut CertificateParams, years: u32) {
    params.not_before = (SystemTime::now() - SLACK).into();
    params.not_after = (SystemTime::now() + YEAR * years).into();
}

fn write(
    key: &Path,
    certificate: &Path,
    pair: &KeyPair,
    signed: &rcgen::Certificate,
) -> anyhow::Result<()> {
    secrets::create(key, &pair.serialize_pem(), Guarded::Secret)?;
    secrets::create(certificate, &signed.pem(), Guarded::Trusted)
}
