//! Facts as they stand in a database: lands with their nimbers, reduced canonical trees with their options.

use std::time::{Duration, Instant};

use serde::Serialize;
use sprig_domain::TreeKey;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Watched};
use sprig_proto::{Client, ClientError};
use sprig_store::{Kind as FactKind, Status, StoreError, Value};

use crate::answer::Origin;
use crate::desk::Desk;
use crate::problem::{Kind, Problem};
use crate::replica::Snapshot;
use crate::source::{broken, stopped};
use crate::target::{encode, hex};

/// How long one page of lands may be looked for. What is asked for may be rare, so a page may be empty and have a next one.
const SEARCH: Duration = Duration::from_millis(500);

/// Which lands are wanted.
pub(crate) struct Wanted {
    /// How their texts begin.
    pub(crate) prefix: String,
    pub(crate) nimber: Option<Nimber>,
    /// The key of the land after which the page begins.
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) limit: usize,
}

/// `/v1/lands`.
#[derive(Serialize)]
pub(crate) struct LandsOf {
    lands: Vec<LandOf>,
    next: Option<String>,
}

/// A land whose nimber is verified.
#[derive(Serialize)]
struct LandOf {
    land: String,
    nimber: u8,
    origin: Option<Origin>,
}

/// `/v1/trees/{key}`.
#[derive(Serialize)]
pub(crate) struct TreeOf {
    tree: String,
    /// Whether it is another tree plus 1; the options are those of that other tree.
    plus_one: bool,
    /// Keys, sorted.
    options: Vec<String>,
    origin: Option<Origin>,
}

impl Desk {
    /// A page of the lands whose nimbers are verified, in the order of their keys.
    pub(crate) async fn lands(&self, wanted: Wanted) -> Result<LandsOf, Problem> {
        let look = move |snapshot: &Snapshot, watched: &Watched| snapshot.lands(&wanted, watched);
        self.ask(look, |_: Client| std::future::ready(Ok(None))).await?.ok_or_else(elsewhere)
    }

    /// A reduced canonical tree.
    pub(crate) async fn tree(&self, key: TreeKey) -> Result<TreeOf, Problem> {
        let look = move |snapshot: &Snapshot, _: &Watched| snapshot.tree(key).map(Some);
        let nothing = |_: Client| std::future::ready(Ok::<_, ClientError>(None));
        self.ask(look, nothing).await?.ok_or_else(elsewhere)?.ok_or_else(|| {
            let detail = format!("no tree {key} is known here");
            Problem::new(Kind::NotFound, detail, "the keys stand in answers to `?play=misere`")
        })
    }
}

impl Wanted {
    /// Where the page after this land is.
    fn next(&self, after: &str) -> String {
        let nimber = self.nimber.map_or_else(String::new, |nimber| format!("&nimber={nimber}"));
        let prefix = encode(&self.prefix).replace('+', "%2B");
        format!("/v1/lands?prefix={prefix}{nimber}&limit={}&cursor={after}", self.limit)
    }
}

fn elsewhere() -> Problem {
    let detail = "a coordinator is asked here, which lists no facts";
    Problem::new(
        Kind::NotFound,
        detail,
        "ask an explorer that reads a database: `sprig explore --db`",
    )
}

impl Snapshot {
    fn lands(&self, wanted: &Wanted, watched: &Watched) -> Result<Option<LandsOf>, Problem> {
        let begin = Instant::now();
        let (mut lands, mut last) = (Vec::new(), None);
        let after = wanted.after.as_deref().unwrap_or_default();
        for stored in self.reader.facts_after(FactKind::Nimber, after) {
            let fact = stored.map_err(|error| broken(&error))?.fact;
            if lands.len() == wanted.limit || begin.elapsed() > SEARCH {
                let after = last.map(|key: Box<[u8]>| hex(&key));
                return Ok(Some(LandsOf { lands, next: after.map(|after| wanted.next(&after)) }));
            }
            if !watched.step() {
                return Err(stopped());
            }
            if let (Value::Nimber(nimber), Status::Verified) = (fact.value, fact.status)
                && wanted.nimber.is_none_or(|wanted| wanted == nimber)
                && let Ok(land) = CanonicalLand::from_key(&fact.subject)
            {
                let text = CanonicalPosition::from_lands([land]).to_string();
                if text.starts_with(&wanted.prefix) {
                    let origin = self.reader.provenance(FactKind::Nimber, &fact.subject);
                    let origin = origin.map_err(|error| broken(&error))?.map(Origin::from);
                    lands.push(LandOf { land: text, nimber: nimber.get(), origin });
                }
            }
            last = Some(fact.subject);
        }
        Ok(Some(LandsOf { lands, next: None }))
    }

    fn tree(&self, key: TreeKey) -> Result<Option<TreeOf>, Problem> {
        let read = || -> Result<_, StoreError> {
            let plain = key.without_factor();
            let found = self.reader.verified(FactKind::Tree, plain.as_bytes())?;
            let Some(Value::Options(options)) = found else { return Ok(None) };
            let origin =
                self.reader.provenance(FactKind::Tree, plain.as_bytes())?.map(Origin::from);
            let options = options.iter().map(ToString::to_string).collect();
            Ok(Some(TreeOf { tree: key.to_string(), plus_one: key.has_factor(), options, origin }))
        };
        read().map_err(|error| broken(&error))
    }
}
