//! Runs the real program.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod processes;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value;
use sprig_store::{Secret, Store};

/// What a run of the program said.
pub struct Said {
    /// Exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// The program with arguments, its logging off.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sprig"));
    command.args(args).env_remove("SPRIG_LOG").stdin(Stdio::null());
    command.env("SPRIG_SEAL_KEY", seal_key());
    command
}

/// The secret of whoever runs the program.
pub const SECRET: [u8; Secret::BYTES] = [7; Secret::BYTES];

/// The file that holds it.
pub fn seal_key() -> &'static Path {
    static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        // Test programs run side by side: each makes the same file, whole.
        let mut draft = tempfile::Builder::new().tempfile_in(folder).expect("a file");
        let digits: String = SECRET.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(draft, "{digits}").expect("written");
        let file = folder.join("seal.key");
        draft.persist(&file).expect("renamed");
        file
    });
    &FILE
}

/// A database as the program sees it.
pub fn store(folder: impl AsRef<Path>) -> Store {
    Store::open(folder.as_ref(), &Secret::new(SECRET)).expect("a database")
}

/// Runs it to its end.
pub fn sprig(args: &[&str]) -> Said {
    command(args).output().expect("sprig starts").into()
}

/// Runs it to its end with text (or any bytes) on standard input.
pub fn sprig_with_input(args: &[&str], input: impl AsRef<[u8]>) -> Said {
    let mut command = command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("sprig starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.as_ref().to_vec();
    // The program may end before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("sprig ends");
    writer.join().expect("the writer ends");
    output.into()
}

/// Runs it and expects success; gives standard output.
pub fn answer(args: &[&str]) -> String {
    let said = sprig(args);
    assert_eq!(said.code, Some(0), "{args:?}: {}", said.err);
    said.out
}

/// Runs it and expects success and one JSON object; gives the object.
pub fn json(args: &[&str]) -> Value {
    let out = answer(args);
    assert_eq!(out.lines().count(), 1, "{args:?}: {out}");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{args:?}: {e}: {out}"))
}

/// Runs it and expects exit code 1, nothing on standard output, and one line on standard error that holds all of
/// `parts`.
pub fn fails(args: &[&str], parts: &[&str]) {
    said_one_line(&sprig(args), &format!("{args:?}"), parts);
}

/// Runs it and expects that what stands on the command line is refused: exit code 2, and else as [`fails`].
pub fn refuses(args: &[&str], parts: &[&str]) {
    said_one_line_with(2, &sprig(args), &format!("{args:?}"), parts);
}

/// The commands that the help lists.
pub fn commands() -> Vec<String> {
    let help = answer(&["--help"]);
    let lines = help.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("Options"));
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Checks the one line of a failure.
pub fn said_one_line(said: &Said, what: &str, parts: &[&str]) {
    said_one_line_with(1, said, what, parts);
}

/// The same with another exit code.
pub fn said_one_line_with(code: i32, said: &Said, what: &str, parts: &[&str]) {
    assert_eq!(said.code, Some(code), "{what}: {}", said.err);
    assert_eq!(said.out, "", "{what}");
    assert_eq!(said.err.lines().count(), 1, "{what}: {}", said.err);
    assert!(said.err.starts_with("sprig: "), "{what}: {}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "{what}: no `{part}` in: {}", said.err);
    }
}

/// What cargo says with these arguments.
pub fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(args).current_dir(root()).output().expect("cargo starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lives in the repository")
}

/// The lines of a tab-separated file that are no comments.
pub fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// A fresh folder, gone after the test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A file in `folder`, as text for an argument.
pub fn file_in(folder: &tempfile::TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("the file is written");
    text(path)
}

/// A path as text for an argument.
pub fn text(path: impl Into<PathBuf>) -> String {
    path.into().into_os_string().into_string().expect("temporary paths are text")
}
