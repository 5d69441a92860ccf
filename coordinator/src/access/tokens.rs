//! The coordinator's file of tokens. It holds no secret: only the hash of each token.

use std::collections::BTreeSet;

use sprig_proto::Role;

use super::{Identity, is_name};

/// The tokens that are let in.
#[derive(Clone, Debug, Default)]
pub struct Tokens(Vec<Entry>);

#[derive(Clone, Debug)]
struct Entry {
    hash: blake3::Hash,
    identity: Identity,
}

/// Digits of a hash that a list shows.
const MARK: usize = 8;

/// A line that is no entry of a file of tokens.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "line {line}: {reason}; a line is `ROLE NAME HASH`, as `sprig token` writes it, or `worker NAME HASH workers=N`"
)]
pub struct TokensError {
    /// Its number, from 1.
    line: usize,
    /// Why.
    reason: String,
}

/// What stands in the file for a token.
pub fn hash_of(token: &str) -> String {
    hash(token.as_bytes()).to_hex().to_string()
}

/// What a token is known by.
pub(super) fn hash(token: &[u8]) -> blake3::Hash {
    blake3::hash(token)
}

impl Tokens {
    /// Reads the text of a file: `ROLE NAME HASH` a line, and perhaps `workers=N`, the most workers
    /// that may work in this name at once; empty lines and lines that begin with `#` are skipped. A file
    /// without a token lets nobody in, as after the last one was taken back.
    ///
    /// # Errors
    /// [`TokensError`] with the number of the line.
    pub fn parse(text: &str) -> Result<Self, TokensError> {
        let mut entries = Vec::new();
        let mut seen = BTreeSet::new();
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let bad = |reason: String| TokensError { line, reason };
            let words: Vec<&str> = content.split_whitespace().collect();
            let (role, name, hash, quota) = match words[..] {
                [role, name, hash] => (role, name, hash, None),
                [role, name, hash, quota] => (role, name, hash, Some(quota)),
                _ => return Err(bad(format!("{} words", words.len()))),
            };
            let role: Role = role.parse().map_err(|e: sprig_proto::NoRole| bad(e.to_string()))?;
            if !is_name(name) {
                return Err(bad("a name has small letters, digits and `-`".into()));
            }
            let hash = blake3::Hash::from_hex(hash).map_err(|_| bad("the hash is none".into()))?;
            if !seen.insert(*hash.as_bytes()) {
                return Err(bad("this token stands here twice".into()));
            }
            let workers =
                quota.map(|text| quota_of(role, text).ok_or_else(|| bad(format!("`{text}`"))));
            let identity =
                Identity { workers: workers.transpose()?, ..Identity::named(role, name) };
            entries.push(Entry { hash, identity });
        }
        Ok(Self(entries))
    }

    /// Whether a token has this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|entry| entry.identity.name.as_deref() == Some(name))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nobody comes in by token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The callers that the tokens let in, in the order of the file.
    ///
    /// The role and the name of each, and the beginning of the hash, by which the line is found.
    pub fn list(&self) -> impl Iterator<Item = (Role, &str, String)> + '_ {
        self.0.iter().map(|Entry { hash, identity }| {
            let name = identity.name.as_deref().unwrap_or_default();
            (identity.role, name, hash.to_hex()[..MARK].to_owned())
        })
    }

    /// The identity whose token has this hash. The time it takes tells nothing about the tokens:
    /// all their hashes are compared, each in constant time.
    pub(super) fn find(&self, hash: &blake3::Hash) -> Option<&Identity> {
        self.0.iter().fold(
            None,
            |found, entry| {
                if entry.hash == *hash { Some(&entry.identity) } else { found }
            },
        )
    }
}

/// Reads `workers=4`.
fn quota_of(role: Role, text: &str) -> Option<u32> {
    let number = text.strip_prefix("workers=").filter(|_| role == Role::Worker)?;
    number.parse().ok().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_by_its_hash() {
        let text =
            format!("# who\n\nworker node-1 {}\n  admin boss {}\n", hash_of("one"), hash_of("two"));
        let tokens = Tokens::parse(&text).expect("well formed");
        assert_eq!(tokens.find(&hash(b"one")), Some(&Identity::named(Role::Worker, "node-1")));
        assert_eq!(tokens.find(&hash(b"two")), Some(&Identity::named(Role::Admin, "boss")));
        assert_eq!(tokens.find(&hash(b"three")), None);
        assert_eq!(tokens.find(&hash(b"")), None);
        let mark = |token| hash_of(token)[..8].to_owned();
        let listed: Vec<_> = tokens.list().collect();
        let [one, two] = [mark("one"), mark("two")];
        assert_eq!(listed, [(Role::Worker, "node-1", one), (Role::Admin, "boss", two)]);
    }

    #[test]
    fn a_name_may_have_a_quota() {
        let text = format!("worker ann {} workers=3\nworker ben {}", hash_of("a"), hash_of("b"));
        let tokens = Tokens::parse(&text).expect("well formed");
        let workers = |token| tokens.find(&hash(token)).and_then(|identity| identity.workers);
        assert_eq!((workers(b"a"), workers(b"b")), (Some(3), None));
        assert!(tokens.has("ann") && !tokens.has("an"));
    }

    #[test]
    fn a_file_without_tokens_lets_nobody_in() {
        let tokens = Tokens::parse("# nobody\n\n").expect("well formed");
        assert!(tokens.is_empty() && tokens.find(&hash(b"")).is_none());
    }

    #[test]
    fn mistakes_are_named_by_line() {
        let hash = hash_of("one");
        for (text, part) in [
            (format!("king node {hash}"), "line 1: `king` is no role"),
            (format!("\nworker node {hash} more"), "line 2: `more`"),
            (format!("\nworker node {hash} workers=2 more"), "line 2: 5 words"),
            (format!("worker node {hash} workers=0"), "line 1: `workers=0`"),
            (format!("read node {hash} workers=2"), "line 1: `workers=2`"),
            ("worker node abc".to_owned(), "line 1: the hash"),
            (format!("worker No/de {hash}"), "line 1: a name"),
            (format!("worker a {hash}\nadmin b {hash}"), "line 2: this token stands here twice"),
        ] {
            let error = Tokens::parse(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
