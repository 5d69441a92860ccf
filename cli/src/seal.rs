//! The owner's secret for seals: where it lies, and how it is made on first use.

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, bail, ensure};
use sprig_store::Secret;

use crate::paths::is_inside;
use crate::secrets::{self, Guarded};

/// The name of the secret's file, in whatever folder it lies.
const NAME: &str = "seal.key";

/// The environment variable that names another file.
const VARIABLE: &str = "SPRIG_SEAL_KEY";

/// The file that was named on the command line or in the environment. It is set once, when the
/// command line has been read.
static NAMED: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Takes the file that was named, if there is one.
pub fn choose(named: Option<PathBuf>) {
    NAMED.set(named).expect("the command line is read once");
}

/// Lets another process of this program, which `command` starts, use the same file.
pub fn hand_on(command: &mut Command) {
    if let Some(named) = NAMED.get().and_then(Option::as_ref) {
        command.env(VARIABLE, named);
    }
}

/// The secret for the database in `folder`. It is made if there is none.
///
/// # Errors
/// When there is no place for the secret, it lies inside the database, others can read it, or the
/// file holds none.
pub fn secret(folder: &Path) -> anyhow::Result<Secret> {
    let path = place(folder)?;
    match read(&path) {
        Err(error) if is_missing(&error) => {
            make(&path).with_context(|| {
                format!(
                    "cannot make the seal key {}; --seal-key FILE names another",
                    path.display()
                )
            })?;
            read(&path)
        }
        read => read,
    }
}

/// Where the secret for the database in `folder` lies or would lie, and the secret itself if it is
/// there. Makes nothing.
///
/// # Errors
/// When there is no place for the secret, others can read it, or the file holds none.
pub fn there(folder: &Path) -> anyhow::Result<(PathBuf, Option<Secret>)> {
    let path = place(folder)?;
    match read(&path) {
        Ok(secret) => Ok((path, Some(secret))),
        Err(error) if is_missing(&error) => Ok((path, None)),
        Err(error) => Err(error),
    }
}

/// The file of the secret for the database in `folder`.
fn place(folder: &Path) -> anyhow::Result<PathBuf> {
    if let Some(named) = NAMED.get().cloned().flatten() {
        ensure!(
            !is_inside(&named, folder),
            "the seal key {} lies in the database {}, where who copies the database has it; name a file elsewhere",
            named.display(),
            folder.display()
        );
        return Ok(named);
    }
    // A service may keep its database in one of its state directories. The key goes into another
    // one.
    let of_service = env::var_os("STATE_DIRECTORY").unwrap_or_default();
    let of_service = env::split_paths(&of_service).filter(|path| path.is_absolute());
    let of_user = directory("XDG_STATE_HOME").map(|state| state.join("sprig"));
    let of_home = directory("HOME").map(|home| home.join(".local/state/sprig"));
    let places = of_service.chain(of_user).chain(of_home).map(|place| place.join(NAME));
    match places.into_iter().find(|place| !is_inside(place, folder)) {
        Some(place) => Ok(place),
        None => bail!(
            "there is no place for the key that seals verified facts: no home directory, and no state directory but {}; \
             name a file with --seal-key FILE or SPRIG_SEAL_KEY=FILE",
            folder.display()
        ),
    }
}

fn directory(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn is_missing(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn read(path: &Path) -> anyhow::Result<Secret> {
    let text = secrets::read(path, Guarded::Secret)?;
    let secret = unhex(text.trim());
    secret.map(Secret::new).with_context(|| {
        format!(
            "{} is no seal key: it is not {} hexadecimal digits; restore it, or remove it and `sprig adopt` your databases",
            path.display(),
            2 * Secret::BYTES
        )
    })
}

/// Makes the file of the secret. If several processes do so at once, one succeeds, and all of them
/// read the file of that one.
fn make(path: &Path) -> anyhow::Result<()> {
    let folder = path.parent().context("it has no folder")?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let secret: String =
        Secret::random().bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}.new", std::process::id()));
    let draft = PathBuf::from(draft);
    secrets::create(&draft, &format!("{secret}\n"), Guarded::Secret)?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    Ok(File::open(folder)?.sync_all()?)
}

fn unhex(text: &str) -> Option<[u8; Secret::BYTES]> {
    let mut bytes = [0; Secret::BYTES];
    if text.len() != 2 * bytes.len() || !text.is_ascii() {
        return None;
    }
    for (byte, place) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[place..place + 2], 16).ok()?;
    }
    Some(bytes)
}
