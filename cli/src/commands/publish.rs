//! `sprig publish`: a snapshot of a database in files that anyone can fetch.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_certificate::{Game, Play};
use sprig_engine::CANONICAL_VERSION;
use sprig_foreign::{Format as FileFormat, Kind};
use sprig_store::{Reader, UnixMillis};

use crate::certificate::Certificate;
use crate::database;
use crate::draft;
use crate::export::{Exporter, unwritten};
use crate::failure::Usage;
use crate::output::{self, Answer, Format};
use crate::paths::is_inside;
use crate::publication::manifest::{self, published};
use crate::publication::parts::Parts;
use crate::publication::{Certified, Facts, Manifest, Published, page};

const EXAMPLES: &str = "\
Examples:
  sprig publish --db facts --to site/facts                 facts, a page, a manifest
  sprig publish --db facts --to site/facts --certificates certificates
                                         with proofs that stand for themselves
  sprig fetch site/facts --db copy       try what others will get";

/// The kinds of facts with the names of their files. Trees come before the facts that are built of
/// them.
const KINDS: [(Kind, &str); 4] = [
    (Kind::Trees, "trees"),
    (Kind::Nimbers, "nimbers"),
    (Kind::Rcts, "rcts"),
    (Kind::Nodes, "losses"),
];

/// The file of hashes, as sha256sum writes it.
const SUMS: &str = "SHA256SUMS";

/// Publish a database: its verified facts in files with sizes and hashes, and a page
///
/// Any server of files can serve the folder. `sprig fetch` takes it into a database elsewhere, where every fact is checked. What is
/// merely claimed is left out. The same facts give the same files of facts. A publication that is there is replaced when the
/// new one is whole.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Publish {
    /// Folder of a database
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    /// Folder to make, or a publication to replace
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// Publish the certificates of this folder, too, and of those in it; their checksums are compared
    #[arg(long, value_name = "FOLDER")]
    certificates: Option<PathBuf>,
    /// What the page is called
    #[arg(long, value_name = "TEXT", default_value = "Facts about Sprouts")]
    title: String,
    #[command(flatten)]
    format: Format,
}

/// What was published. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Made {
    folder: String,
    facts: u64,
    /// How many certificates.
    certificates: usize,
    files: usize,
    bytes: u64,
    /// Claims that were left out.
    left_out: u64,
    /// The hash of `manifest.json`.
    manifest_sha256: String,
}

impl Answer for Made {
    fn text(&self) -> String {
        let Self { folder, facts, certificates, files, bytes, left_out, manifest_sha256 } = self;
        let left_out = plural(*left_out, "claim");
        format!(
            "folder        {folder}\nfacts         {facts}\ncertificates  {certificates}\n\
             files         {files}\nbytes         {bytes}\nleft out      {left_out}\n\
             manifest      {manifest_sha256} (SHA-256)\n"
        )
    }

    fn line(&self) -> String {
        format!("{}: {}", self.folder, plural(self.facts, "fact"))
    }
}

impl Publish {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.refuse_others()?;
        let reader = database::read(&self.db)?;
        let new = Folder::begin(&self.to)?;
        let mut left_out = 0;
        let mut facts = Vec::new();
        for (kind, name) in KINDS {
            facts.extend(publish_kind(&reader, &new.path, kind, name, &mut left_out)?);
        }
        let certificates = match &self.certificates {
            Some(folder) => publish_certificates(folder, &new.path)?,
            None => Vec::new(),
        };
        let UnixMillis(made_unix_millis) = UnixMillis::now();
        let manifest = Manifest {
            sprig_publication: manifest::VERSION,
            canonical_form: CANONICAL_VERSION,
            title: self.title,
            made_by: concat!("sprig ", env!("CARGO_PKG_VERSION")).to_owned(),
            made_unix_millis,
            facts,
            certificates,
        };
        let mut text = serde_json::to_vec_pretty(&manifest)?;
        text.push(b'\n');
        draft::write(&new.path.join(manifest::NAME), &text)?;
        let said = published(manifest::NAME, &new.path.join(manifest::NAME))?;
        let mut files: Vec<&Published> = manifest.files().collect();
        files.push(&said);
        let sums = files.iter().map(|file| format!("{}  {}\n", file.sha256, file.name));
        draft::write(&new.path.join(SUMS), sums.collect::<String>().as_bytes())?;
        draft::write(&new.path.join(page::NAME), page::page(&manifest).as_bytes())?;
        let made = Made {
            folder: self.to.display().to_string(),
            facts: manifest.facts.iter().map(|facts| facts.lines).sum(),
            certificates: manifest.certificates.len(),
            files: files.len(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            left_out,
            manifest_sha256: said.sha256.clone(),
        };
        new.keep()?;
        output::answer(&self.format, &made)
    }

    /// A folder that is not empty and no publication stays as it is.
    fn refuse_others(&self) -> anyhow::Result<()> {
        let (to, db) = (self.to.display(), self.db.display());
        if is_inside(&self.to, &self.db) || is_inside(&self.db, &self.to) {
            let text = format!("{to} and the database {db} lie in each other; name another folder");
            return Err(Usage(text).into());
        }
        let is_there = match fs::read_dir(&self.to) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(error).with_context(|| format!("cannot read {to}")),
        };
        if is_there && !self.to.join(manifest::NAME).is_file() {
            let text = format!("{to} holds something else than a publication; name a new folder");
            return Err(Usage(text).into());
        }
        Ok(())
    }
}

/// A folder that gets its name only when it is complete.
struct Folder {
    path: PathBuf,
    whole: PathBuf,
}

impl Folder {
    fn begin(whole: &Path) -> anyhow::Result<Self> {
        let whole = std::path::absolute(whole)?;
        let path = beside(&whole, ".new");
        // This may be left from a publication that was interrupted.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path, whole })
    }

    fn keep(self) -> anyhow::Result<()> {
        let Self { path, whole } = &self;
        let old = beside(whole, ".old");
        let keep = || -> io::Result<()> {
            if whole.exists() {
                let _ = fs::remove_dir_all(&old);
                fs::rename(whole, &old)?;
            }
            fs::rename(path, whole)
        };
        keep().with_context(|| format!("cannot write {}", whole.display()))?;
        let _ = fs::remove_dir_all(&old);
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // After the folder has got its name, nothing is left here.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Writes all verified facts of a kind.
fn publish_kind(
    reader: &Reader,
    folder: &Path,
    kind: Kind,
    name: &'static str,
    left_out: &mut u64,
) -> anyhow::Result<Vec<Facts>> {
    let mut parts = Parts::new(folder, name);
    let out = BufWriter::with_capacity(1 << 16, &mut parts);
    let mut exporter = Exporter::new(reader, out, FileFormat::JsonLines, &[kind], false)?;
    exporter.kind(kind)?;
    *left_out += exporter.left_out;
    exporter.finish()?;
    let done = parts.finish().map_err(unwritten)?;
    done.into_iter()
        .map(|part| {
            let file = published(&part.name, &folder.join(&part.name))?;
            let kind = name.to_owned();
            Ok(Facts { file, kind, lines: part.lines, text_bytes: part.text_bytes })
        })
        .collect()
}

/// Copies the certificates of a folder and its subfolders, under names made here.
fn publish_certificates(from: &Path, folder: &Path) -> anyhow::Result<Vec<Certified>> {
    let cannot = || format!("cannot read {}", from.display());
    let (mut paths, mut folders) = (Vec::new(), vec![from.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).with_context(cannot)? {
            let path = entry.with_context(cannot)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "cert") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let into = folder.join("certificates");
    fs::create_dir_all(&into).with_context(|| format!("cannot write {}", into.display()))?;
    let mut certified: Vec<Certified> = Vec::new();
    for path in &paths {
        let certificate = Certificate::read(path)?;
        let header = certificate.header();
        let position = header.position.to_string();
        let play = if header.play == Play::Normal { "normal" } else { "misere" };
        let (play, game) = (play.to_owned(), header.game);
        let play = match game {
            Game::Sprouts => play,
            other => format!("{other}-{play}"),
        };
        let name = file_name(&play, &position, |name| {
            certified.iter().any(|other| other.file.name == name)
        });
        fs::copy(path, folder.join(&name))
            .with_context(|| format!("cannot copy {} to {}", path.display(), into.display()))?;
        certified.push(Certified {
            file: published(&name, &folder.join(&name))?,
            position,
            play,
            claim: header.claim.to_string(),
            facts: header.facts,
        });
    }
    Ok(certified)
}

/// A name of letters and digits for the certificate of a position, which no other certificate has.
fn file_name(play: &str, position: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let position: String = position.chars().map(plain).take(80).collect();
    let names = (1..).map(|number| match number {
        1 => format!("certificates/{play}-{position}.cert"),
        _ => format!("certificates/{play}-{position}-{number}.cert"),
    });
    let mut free = names.skip_while(|name| is_taken(name));
    free.next().expect("there are more numbers than files")
}
