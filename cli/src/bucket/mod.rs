//! Backups in storage that speaks S3 (docs/backups.md#backups-in-object-storage draws what lies
//! there).
//!
//! Each file of a copy is an object named by its hash, so files that have not changed are there
//! already. The list of the files is written last. A backup that was cut short has no list, so it
//! does not count as one.

mod fetch;
mod line;
mod lock;
mod manifest;
mod send;

use std::time::Duration;

use anyhow::{Context, anyhow};
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, Checksum};
use object_store::path::Path;
use object_store::{ClientConfigKey, Error, ObjectStore, ObjectStoreExt, RetryConfig};
use sprig_store::Origin;
use tokio_stream::StreamExt;

use crate::commands::backup::{absent, is_name};
use crate::failure::{Usage, escaped};
use line::Line;
use manifest::Manifest;

pub use fetch::fetch;
pub use lock::Lock;
pub use send::{Sending, Sent, send};

/// The beginning of an address in storage.
pub const SCHEME: &str = "s3://";

/// How often a request is repeated at most.
const REPEATS: usize = 8;
/// For how long a request is repeated at most.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often the first request is repeated at most. It shall say soon that no server is there.
const FIRST_REPEATS: usize = 2;
/// For how long the first request is repeated at most.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);

/// A place for backups in storage.
pub struct Bucket {
    store: AmazonS3,
    /// The name of the bucket alone.
    bucket: String,
    /// The server, for messages.
    server: String,
    /// The prefix of the names of its objects.
    prefix: Path,
}

/// The parts of an address in storage.
#[derive(PartialEq, Eq, Debug)]
struct Address<'a> {
    bucket: &'a str,
    prefix: Path,
    /// The backup that the address names, if it names one.
    backup: Option<&'a str>,
}

impl<'a> Address<'a> {
    /// # Errors
    /// [`Usage`].
    fn parse(text: &'a str) -> Result<Self, Usage> {
        let usage = |why: &str| {
            Usage(format!("`{}` {why}; write it like s3://bucket/prefix", escaped(text)))
        };
        let rest = text.strip_prefix(SCHEME).ok_or_else(|| usage("is no address of storage"))?;
        let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if bucket.is_empty() || !bucket.bytes().all(fits) {
            return Err(usage("names no bucket"));
        }
        let path = path.trim_matches('/');
        let (before, last) = path.rsplit_once('/').unwrap_or(("", path));
        let backup = Some(last).filter(|last| is_name(last));
        let prefix = if backup.is_some() { before } else { path };
        let prefix = Path::parse(prefix).map_err(|_| usage("has an impossible prefix"))?;
        Ok(Self { bucket, prefix, backup })
    }
}

impl Bucket {
    /// Opens the place at an address, and reads which backup the address names, if it names one.
    /// The environment has the keys, the region and the server (`AWS_..`).
    ///
    /// # Errors
    /// [`Usage`]; when no server answers, the bucket does not exist, or the keys do not fit.
    pub async fn open(address: &str) -> anyhow::Result<(Self, Option<String>)> {
        let Address { bucket, prefix, backup } = Address::parse(address)?;
        let settings = AmazonS3Builder::from_env().with_bucket_name(bucket);
        let server = settings.get_config_value(&AmazonS3ConfigKey::Endpoint);
        let region = settings.get_config_value(&AmazonS3ConfigKey::Region);
        let server = server.unwrap_or_else(|| {
            format!("Amazon's region {}", region.as_deref().unwrap_or("us-east-1"))
        });
        let allows = AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp);
        let is_allowed = settings.get_config_value(&allows).as_deref() == Some("true");
        if server.starts_with("http://") && !is_allowed && !is_own(&server) {
            let text = format!(
                "{server} is not encrypted, and others could read the backup: name an https:// address in AWS_ENDPOINT_URL, or set AWS_ALLOW_HTTP=true where the network is yours"
            );
            return Err(Usage(text).into());
        }
        let build = |repeats: usize, patience| {
            let retry = RetryConfig {
                max_retries: repeats,
                retry_timeout: patience,
                ..RetryConfig::default()
            };
            // The server refuses data that was changed on the way.
            let settings = settings.clone().with_checksum_algorithm(Checksum::SHA256);
            settings.with_retry(retry).with_http_connector(Line).with_allow_http(true).build()
        };
        let of = |store| Self {
            store,
            bucket: bucket.into(),
            server: server.clone(),
            prefix: prefix.clone(),
        };
        let first = build(FIRST_REPEATS, FIRST_PATIENCE).map(of);
        let first = first.map_err(|error| anyhow!("{} for {address}", innermost(&error)))?;
        first.names().await?;
        let place = of(build(REPEATS, PATIENCE).map_err(|error| first.told(error))?);
        Ok((place, backup.map(str::to_owned)))
    }

    /// The address of an object in this place, for messages.
    pub fn address(&self, name: &str) -> String {
        format!("{SCHEME}{}/{}", self.bucket, self.prefix.clone().join(name))
    }

    /// The names of the backups in this place, the oldest first.
    ///
    /// # Errors
    /// When the place cannot be read.
    pub async fn names(&self) -> anyhow::Result<Vec<String>> {
        let listed = self.store.list_with_delimiter(Some(&self.prefix)).await;
        let listed = listed.map_err(|error| self.told(error))?;
        let names = listed.objects.iter().filter_map(|object| {
            let name = object.location.filename()?.strip_suffix(".json")?;
            is_name(name).then(|| name.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }

    /// The lengths of the parts in storage, by their hashes.
    async fn parts(&self) -> anyhow::Result<std::collections::HashMap<String, u64>> {
        let mut there = std::collections::HashMap::new();
        let mut list = self.store.list(Some(&self.prefix.clone().join("parts")));
        while let Some(object) = list.next().await {
            let object = object.map_err(|error| self.told(error))?;
            if let Some(name) = object.location.filename() {
                there.insert(name.to_owned(), object.size);
            }
        }
        Ok(there)
    }

    fn part(&self, hash: &str) -> Path {
        self.prefix.clone().join("parts").join(hash)
    }

    fn listing(&self, name: &str) -> Path {
        self.prefix.clone().join(format!("{name}.json"))
    }

    /// What a backup consists of.
    async fn manifest(&self, name: &str) -> anyhow::Result<Manifest> {
        let damaged = || format!("{} cannot be restored; name an earlier one", self.address(name));
        Manifest::parse(&self.list(name).await?).with_context(damaged)
    }

    /// The list of a backup's files, as it lies there.
    async fn list(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let got = match self.store.get(&self.listing(name)).await {
            Ok(got) => got.bytes().await,
            Err(Error::NotFound { .. }) => {
                let names = self.names().await?;
                return Err(anyhow!(absent(&self.address(name), &self.address(""), &names)));
            }
            Err(error) => Err(error),
        };
        Ok(got.map_err(|error| self.told(error))?.to_vec())
    }

    /// The names of the backups in this place, the oldest first, and of which database each is, as
    /// far as it tells that.
    ///
    /// # Errors
    /// When the place cannot be read.
    pub async fn origins(&self) -> anyhow::Result<Vec<(String, Option<Origin>)>> {
        let mut there = Vec::new();
        for name in self.names().await? {
            let origin = match Manifest::parse(&self.list(&name).await?) {
                Ok(manifest) => self.origin(&manifest).await?,
                Err(_) => None,
            };
            there.push((name, origin));
        }
        Ok(there)
    }

    /// Of which database a backup is. Nothing if it does not tell that, as it is damaged.
    async fn origin(&self, manifest: &Manifest) -> anyhow::Result<Option<Origin>> {
        let mut texts = Vec::new();
        for wanted in Origin::FILES {
            let Some(part) = manifest.files.iter().find(|part| part.name == wanted) else {
                return Ok(None);
            };
            let got = match self.store.get(&self.part(&part.blake3)).await {
                Ok(got) => got.bytes().await,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => Err(error),
            };
            let bytes = got.map_err(|error| self.told(error))?;
            if *blake3::hash(&bytes).to_hex() != *part.blake3 {
                return Ok(None);
            }
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        Ok(Origin::read(&texts[0], &texts[1]))
    }

    /// An error of storage, in words.
    fn told(&self, error: Error) -> anyhow::Error {
        let Self { bucket, server, .. } = self;
        let text = error.to_string();
        let code = between(&text, "<Code>", "</Code>").unwrap_or_default();
        let keys = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
        match (&error, code) {
            (_, "NoSuchBucket") => anyhow!(
                "there is no bucket `{bucket}` at {server}; make it there, or check the name and AWS_ENDPOINT_URL"
            ),
            (_, "InvalidAccessKeyId" | "SignatureDoesNotMatch") => {
                anyhow!("{server} does not know these keys ({code}); check {keys}")
            }
            (Error::PermissionDenied { .. } | Error::Unauthenticated { .. }, _) => anyhow!(
                "{server} refuses this with the keys of {keys} ({code}): they must be allowed to list, read, write and delete in bucket `{bucket}`"
            ),
            _ if text.contains("169.254.169.254") => anyhow!(
                "there are no keys for {server}: set {keys}, or run where the machine has a role"
            ),
            _ => {
                let why = if code.is_empty() { innermost(&error) } else { code.to_owned() };
                anyhow!(
                    "storage at {server} fails: {why}; check AWS_ENDPOINT_URL, or try again: the same command goes on from there"
                )
            }
        }
    }
}

/// Whether a server is on this machine.
fn is_own(server: &str) -> bool {
    let uri: Result<hyper::Uri, _> = server.parse();
    let host =
        uri.ok().and_then(|uri| uri.host().map(|host| host.trim_matches(['[', ']']).to_owned()));
    host.is_some_and(|host| {
        host == "localhost"
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}

/// The innermost cause of an error.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_bucket_a_prefix_and_perhaps_a_backup() {
        let of = |text| {
            Address::parse(text)
                .map(|a| (a.bucket, a.prefix.to_string(), a.backup))
                .map_err(|Usage(text)| text)
        };
        assert_eq!(of("s3://b"), Ok(("b", String::new(), None)));
        assert_eq!(of("s3://b/"), Ok(("b", String::new(), None)));
        assert_eq!(of("s3://b/x/y/"), Ok(("b", "x/y".into(), None)));
        let name = "2026-11-23-160312";
        assert_eq!(of("s3://b/x/2026-11-23-160312"), Ok(("b", "x".into(), Some(name))));
        assert_eq!(of("s3://b/2026-11-23-160312"), Ok(("b", String::new(), Some(name))));
        for text in ["s3://", "s3:///x", "s3://b c/x", "gs://b/x", "b/x", "s3://b/x//y"] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_this_machine_is_spoken_to_in_the_open() {
        for own in ["http://127.0.0.1:9000", "http://localhost:1", "http://[::1]:9000/x"] {
            assert!(is_own(own), "{own}");
        }
        for other in
            ["http://10.0.0.1:9000", "http://localhost.example", "http://127.0.0.1.example"]
        {
            assert!(!is_own(other), "{other}");
        }
    }
}
