//! `sprig publish` and `sprig fetch`.
#![cfg(feature = "coordinator")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};

use crate::common::{answer, command, fails, folder, json, refuses, sprig, sprig_with_input, text};
use flate2::Compression;
use flate2::write::GzEncoder;
use rustls_pki_types::PrivatePkcs8KeyDer;
use serde_json::Value;
use tempfile::TempDir;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A database of proofs of 0*1 to 0*8 and of the trees of 0*3, and its publication; for all tests.
static PUBLISHED: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = folder();
    let at = |name: &str| text(folder.path().join(name));
    let positions: String = (1..=8).map(|n| format!("0*{n}\n")).collect();
    let solve = ["solve", "--file", "-", "--nimber", "--db", &at("solved")];
    let said = sprig_with_input(&solve, positions);
    assert_eq!(said.code, Some(0), "{}", said.err);
    answer(&["rct-base", "0*3", "--db", &at("solved")]);
    fs::create_dir(folder.path().join("proofs")).expect("a folder");
    let proof = at("proofs/8.cert");
    answer(&["certify", "0*8", "--db", &at("solved"), "-o", &proof, "--minimize", "1s"]);
    let publish = ["publish", "--db", &at("solved"), "--to", &at("site")];
    let made = json(&[&publish[..], &["--certificates", &at("proofs"), "--json"]].concat());
    assert!(made["facts"].as_u64().is_some_and(|facts| facts > 100), "{made}");
    assert_eq!((&made["certificates"], &made["left_out"]), (&1.into(), &0.into()), "{made}");
    folder
});

/// The database, and a publication of it for one test.
fn publication(folder: &TempDir) -> (String, PathBuf) {
    let site = folder.path().join("site");
    let copied =
        Command::new("cp").arg("-r").arg(PUBLISHED.path().join("site")).arg(&site).status();
    assert!(copied.expect("coreutils").success());
    (text(PUBLISHED.path().join("solved")), site)
}

fn manifest(site: &Path) -> Value {
    let text = fs::read(site.join("manifest.json")).expect("a manifest");
    serde_json::from_slice(&text).expect("JSON")
}

/// Changes the manifest.
fn amend(site: &Path, change: impl FnOnce(&mut Value)) {
    let mut manifest = manifest(site);
    change(&mut manifest);
    fs::write(site.join("manifest.json"), manifest.to_string()).expect("written");
}

#[test]
fn what_is_published_comes_back_checked() {
    let folder = folder();
    let (db, site) = publication(&folder);
    let copy = text(folder.path().join("copy"));
    let proofs = folder.path().join("fetched");
    let from = text(&site);
    let fetched =
        json(&["fetch", &from, "--db", &copy, "--certificates", &text(&proofs), "--json"]);
    assert_eq!(fetched["claims"], fetched["followed"], "{fetched}");
    assert_eq!(answer(&["export", "--db", &copy]), answer(&["export", "--db", &db]));
    let certificate = text(proofs.join("certificates/normal-0-8.cert"));
    assert!(answer(&["verify", &certificate]).contains("loss for the player to move"));
    assert!(!folder.path().join("copy.fetch").exists(), "what was taken in does not lie about");
    // Once more, all of it is known.
    let again = json(&["fetch", &from, "--db", &copy, "--json"]);
    assert_eq!(again["claims"], again["known"], "{again}");
    // Programs that know nothing of Sprig agree about the hashes.
    let mut sums = Command::new("sha256sum");
    let sums = sums.args(["-c", "--quiet", "SHA256SUMS"]).current_dir(&site).status();
    assert!(sums.expect("coreutils").success());
    let page = fs::read_to_string(site.join("index.html")).expect("a page");
    for part in ["sprig fetch", "nimbers-1.jsonl.gz", "certificates/normal-0-8.cert"] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
}

#[test]
fn the_same_facts_are_the_same_files_and_a_publication_is_replaced() {
    let folder = folder();
    let (db, site) = publication(&folder);
    let before = manifest(&site);
    fs::write(site.join("old"), "old").expect("written");
    answer(&["publish", "--db", &db, "--to", &text(&site)]);
    assert_eq!(manifest(&site)["facts"], before["facts"]);
    assert!(!site.join("old").exists() && !folder.path().join("site.old").exists());
    // Nothing else is replaced.
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("a folder");
    fs::write(other.join("letter"), "dear").expect("written");
    refuses(&["publish", "--db", &db, "--to", &text(&other)], &["holds something else"]);
    let inside = text(Path::new(&db).join("site"));
    refuses(&["publish", "--db", &db, "--to", &inside], &["lie in each other"]);
    fails(&["publish", "--db", "/nowhere", "--to", &text(folder.path().join("x"))], &["/nowhere"]);
}

#[test]
fn what_is_not_what_the_manifest_says_is_refused() {
    let folder = folder();
    let (_, site) = publication(&folder);
    let name = manifest(&site)["facts"][0]["name"].as_str().expect("a name").to_owned();
    let (file, from) = (site.join(&name), text(&site));
    let whole = fs::read(&file).expect("there");
    let copy = text(folder.path().join("copy"));
    let tries = |bytes: &[u8], part: &str| {
        fs::write(&file, bytes).expect("written");
        fails(&["fetch", &from, "--db", &copy], &[&name, part]);
        assert!(!Path::new(&copy).exists(), "a mistake makes no database");
    };
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    tries(&flipped, "the hash differs");
    tries(&whole[..whole.len() - 9], "ends after");
    tries(&[&whole[..], b"more"].concat(), "is longer than");
    fs::remove_file(&file).expect("removed");
    fails(&["fetch", &from, "--db", &copy], &["cannot read", &name]);
    fs::write(&file, &whole).expect("written");
    // A part that was left behind goes on, also after all that.
    assert_eq!(sprig(&["fetch", &from, "--db", &copy]).code, Some(0));
}

#[test]
fn a_manifest_that_cannot_be_meant_is_refused() {
    let folder = folder();
    let (_, site) = publication(&folder);
    let sound = fs::read(site.join("manifest.json")).expect("there");
    let (from, copy) = (text(&site), text(folder.path().join("copy")));
    let tries = |change: &dyn Fn(&mut Value), part: &str| {
        fs::write(site.join("manifest.json"), &sound).expect("written");
        amend(&site, change);
        fails(&["fetch", &from, "--db", &copy], &[part]);
    };
    tries(&|m| m["sprig_publication"] = 2.into(), "version 2");
    tries(&|m| m["canonical_form"] = 9.into(), "canonical form 9");
    let up = format!("{0}/{0}/x", "..");
    tries(&|m| m["facts"][0]["name"] = up.as_str().into(), "cannot be meant");
    tries(&|m| m["facts"][0]["name"] = "/etc/passwd".into(), "cannot be meant");
    tries(&|m| m["facts"][1]["name"] = m["facts"][0]["name"].clone(), "twice");
    tries(&|m| m["facts"][0]["sha256"] = "abc".into(), "no SHA-256");
    tries(&|m| m["facts"][0]["text_bytes"] = 7.into(), "does not unpack to the 7 bytes");
    tries(&|m| m["facts"][0]["lines"] = 7.into(), "and 7 by its manifest");
    tries(&|m| m["facts"][0]["bytes"] = u64::MAX.into(), "too many for a file");
    tries(&|m| *m = Value::from("hello"), "no manifest of a publication");
    fs::remove_file(site.join("manifest.json")).expect("removed");
    fails(&["fetch", &from, "--db", &copy], &["is no publication", "manifest.json"]);
    fails(&["fetch", "/nowhere/at/all", "--db", &copy], &["no folder, and no address"]);
    refuses(&["fetch", "ftp://example.org/x", "--db", &copy], &["http://"]);
    assert!(!Path::new(&copy).exists(), "a mistake makes no database");
}

#[test]
fn a_lie_with_sound_hashes_is_not_believed() {
    let folder = folder();
    let (_, site) = publication(&folder);
    let name = "nimbers-1.jsonl.gz";
    let lie = "{\"land\":\"0*5\",\"nimber\":0}\n{\"land\":\"0*4\",\"nimber\":1}\n";
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(lie.as_bytes()).expect("packed");
    fs::write(site.join(name), packed.finish().expect("packed")).expect("written");
    let sum = Command::new("sha256sum").arg(site.join(name)).output().expect("coreutils");
    let sum = String::from_utf8(sum.stdout).expect("text");
    amend(&site, |manifest| {
        let facts = manifest["facts"].as_array_mut().expect("a list");
        facts.retain(|facts| facts["name"] == name);
        facts[0]["sha256"] = sum[..64].into();
        facts[0]["bytes"] = fs::metadata(site.join(name)).expect("there").len().into();
        facts[0]["text_bytes"] = lie.len().into();
        facts[0]["lines"] = 2.into();
    });
    let copy = text(folder.path().join("copy"));
    let said = sprig(&["fetch", &text(&site), "--db", &copy, "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    let report: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&report["wrong"], &report["claims"]), (&1.into(), &2.into()), "{report}");
    let place = format!("{name} of {}, line 1: land `0*5`", text(&site));
    assert!(said.err.contains(&place), "no `{place}` in {}", said.err);
    let facts = answer(&["export", "--db", &copy]);
    assert!(facts.contains("\"0*4\"") && !facts.contains("\"0*5\""), "{facts}");
}

/// A server of files that knows ranges, and breaks off the first time it is asked for some file.
struct Web {
    address: SocketAddr,
    /// Names, and the bytes from which on they were asked for.
    asked: Arc<Mutex<Vec<(String, usize)>>>,
}

impl Web {
    fn of(site: &Path, breaks: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::<Mutex<Vec<(String, usize)>>>::default();
        let (site, breaks, log) = (site.to_owned(), breaks.to_owned(), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = serve(&stream.expect("a connection"), &site, &breaks, &log);
            }
        });
        Self { address, asked }
    }
}

fn serve(
    mut stream: &TcpStream,
    site: &Path,
    breaks: &str,
    log: &Mutex<Vec<(String, usize)>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().expect("a request")?;
    let name = first.split(' ').nth(1).expect("a path").trim_start_matches("/x/").to_owned();
    let mut from = 0;
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().expect("a number");
        }
    }
    let is_first = !log.lock().expect("whole").iter().any(|(other, _)| *other == name);
    log.lock().expect("whole").push((name.clone(), from));
    let Ok(all) = fs::read(site.join(&name)) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    };
    let rest = &all[from.min(all.len())..];
    let head = match from {
        0 => "200 OK\r\n".to_owned(),
        _ => format!(
            "206 Partial Content\r\ncontent-range: bytes {from}-{}/{}\r\n",
            all.len() - 1,
            all.len()
        ),
    };
    write!(stream, "HTTP/1.1 {head}content-length: {}\r\n\r\n", rest.len())?;
    let sent = if is_first && name == breaks { rest.len() / 2 } else { rest.len() };
    stream.write_all(&rest[..sent])
}

#[test]
fn a_download_that_broke_off_goes_on() {
    let folder = folder();
    let (db, site) = publication(&folder);
    let name = manifest(&site)["facts"][1]["name"].as_str().expect("a name").to_owned();
    let web = Web::of(&site, &name);
    let from = format!("http://{}/x", web.address);
    let copy = text(folder.path().join("copy"));
    fails(&["fetch", &from, "--db", &copy], &[&name, "the same command goes on from there"]);
    let fetched = json(&["fetch", &format!("{from}/index.html"), "--db", &copy, "--json"]);
    assert_eq!(fetched["claims"], fetched["followed"], "{fetched}");
    assert_eq!(answer(&["export", "--db", &copy]), answer(&["export", "--db", &db]));
    let asked = web.asked.lock().expect("whole");
    let from: Vec<usize> = asked.iter().filter(|(n, _)| *n == name).map(|(_, at)| *at).collect();
    let half = fs::metadata(site.join(&name)).expect("there").len() as usize / 2;
    assert_eq!(from, [0, half], "it goes on where it was");
    let first = manifest(&site)["facts"][0]["name"].as_str().expect("a name").to_owned();
    assert_eq!(asked.iter().filter(|(n, _)| *n == first).count(), 1, "what is there is kept");
}

/// The address of the same server over TLS, for the name localhost; puts the certificate to trust
/// into a file.
fn over_tls(web: SocketAddr, trusted: &Path) -> SocketAddr {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("made");
    fs::write(trusted, made.cert.pem()).expect("written");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key);
    let config = Arc::new(config.expect("a certificate and its key"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let pass = move |stream| -> std::io::Result<()> {
        let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
        let mut stream = StreamOwned::new(session, stream);
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        let (mut behind, mut said) = (TcpStream::connect(web)?, Vec::new());
        behind.write_all(&head)?;
        behind.read_to_end(&mut said)?;
        stream.write_all(&said)?;
        stream.conn.send_close_notify();
        stream.flush()
    };
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = pass(stream.expect("a connection"));
        }
    });
    address
}

#[test]
fn what_comes_over_https_comes_from_whom_the_system_trusts() {
    let folder = folder();
    let (db, site) = publication(&folder);
    let (trusted, copy) = (folder.path().join("trusted.pem"), text(folder.path().join("copy")));
    let web = Web::of(&site, "");
    let port = over_tls(web.address, &trusted).port();
    let fetch = |host: &str, believes: bool| {
        let from = format!("https://{host}:{port}/x");
        let mut command = command(&["fetch", &from, "--db", &copy]);
        command.env_remove("SSL_CERT_DIR");
        if believes {
            command.env("SSL_CERT_FILE", &trusted);
        }
        command.output().expect("it runs")
    };
    // Somebody whom nobody vouches for, and somebody who shows another name.
    for (host, believes) in [("localhost", false), ("127.0.0.1", true)] {
        let said = fetch(host, believes);
        let words = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(1), "{words}");
        assert!(words.contains("does not show who it is") && words.contains("SSL_CERT_FILE"));
        assert!(!Path::new(&copy).exists() && web.asked.lock().expect("whole").is_empty());
    }
    let said = fetch("localhost", true);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert_eq!(answer(&["export", "--db", &copy]), answer(&["export", "--db", &db]));
}

#[test]
fn a_server_that_is_away_or_has_nothing_is_named() {
    let folder = folder();
    let copy = text(folder.path().join("copy"));
    let web = Web::of(folder.path(), "");
    let nothing = format!("http://{}/y/", web.address);
    fails(&["fetch", &nothing, "--db", &copy], &["404", "check the address"]);
    let port = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let away = port.local_addr().expect("an address");
    drop(port);
    let from = format!("http://{away}/x");
    fails(&["fetch", &from, "--db", &copy], &[&away.to_string(), "cannot be reached"]);
    assert!(!Path::new(&copy).exists());
}

#[test]
fn a_disk_without_room_costs_nothing() {
    let folder = folder();
    let (db, site) = publication(&folder);
    let (from, copy) = (text(&site), text(folder.path().join("copy")));
    // No file may become longer than two kilobytes.
    let small = |args: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "sh"]);
        let program = command(&[]);
        shell.arg(program.get_program()).args(args);
        shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let said = shell.output().expect("a shell");
        (said.status.code(), String::from_utf8_lossy(&said.stderr).into_owned())
    };
    let (code, said) = small(&["fetch", &from, "--db", &copy]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("cannot write") && said.contains("make room"), "{said}");
    assert!(!Path::new(&copy).exists(), "a mistake makes no database");
    assert_eq!(sprig(&["fetch", &from, "--db", &copy]).code, Some(0));
    let before = fs::read(site.join("manifest.json")).expect("there");
    let (code, said) = small(&["publish", "--db", &db, "--to", &from]);
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(fs::read(site.join("manifest.json")).expect("there"), before);
}
