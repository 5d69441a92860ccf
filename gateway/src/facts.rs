//! Facts as they stand in a database: lands with their nimbers, and reduced canonical trees with
//! their options.

use serde::Serialize;
use sprig_coordinator::{LandPage, Wanted, lands_by_key, options_of};
use sprig_domain::{Game, LandNimber, TreeKey};
use sprig_engine::{CanonicalPosition, Nimber, Watched};
use sprig_proto::Client;
use sprig_store::Kind as FactKind;

use crate::answer::Origin;
use crate::explorer::Explorer;
use crate::problem::{Kind, Problem};
use crate::replica::Snapshot;
use crate::source::{Source, broken, unanswered};
use crate::target::{encode, hex};

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
    /// Whether the tree is another tree plus 1. The options are then those of the other tree.
    plus_one: bool,
    /// The keys of the options, sorted.
    pub(crate) options: Vec<String>,
    /// The tree as nested sets, if they are short.
    rct: Option<String>,
    origin: Option<Origin>,
}

impl Explorer {
    /// A page of the lands whose nimbers are verified, in the order of their keys.
    pub(crate) async fn lands(&self, wanted: Wanted) -> Result<LandsOf, Problem> {
        let there = wanted.clone();
        let of_database =
            move |snapshot: &Snapshot, watched: &Watched| snapshot.lands(&wanted, watched);
        let of_cluster = async move |mut client: Client| {
            let Wanted { prefix, nimber, after, limit } = &there;
            let limit = u32::try_from(*limit).unwrap_or(u32::MAX);
            let (lands, next) = client.lands(prefix, *nimber, after, limit).await?;
            let lands = lands.into_iter().map(|land| LandOf::new(land, None)).collect();
            Ok(LandsOf { lands, next: next.map(|after| following(&there, &after)) })
        };
        if let (Source::Cluster(..), false) = (&self.source, self.game() == Game::Sprouts) {
            let detail = format!("a coordinator lists no lands of {}", self.game());
            return Err(Problem::new(Kind::NotFound, detail, "explore its database with `--db`"));
        }
        self.ask(of_database, of_cluster).await
    }

    /// A reduced canonical tree.
    pub(crate) async fn tree(&self, key: TreeKey) -> Result<TreeOf, Problem> {
        let of_database = move |snapshot: &Snapshot, _: &Watched| snapshot.tree(key);
        let of_cluster = async move |mut client: Client| {
            let options = client.options(key).await?;
            Ok(options.map(|options| TreeOf::new(key, &options, None)))
        };
        self.ask(of_database, of_cluster).await?.ok_or_else(|| {
            let detail = format!("no tree {key} is known here");
            Problem::new(Kind::NotFound, detail, "the keys stand in answers to `?play=misere`")
        })
    }

    /// A reduced canonical tree, as nested sets as well.
    pub(crate) async fn written_tree(&self, key: TreeKey) -> Result<TreeOf, Problem> {
        let tree = self.tree(key).await?;
        let rct = self.grown(key).await?.and_then(|grown| grown.text());
        Ok(TreeOf { rct, ..tree })
    }

    /// The options of a reduced canonical tree, if it is known; of one with a factor 1, those of the
    /// tree without it.
    pub(crate) async fn options(&self, key: TreeKey) -> Result<Option<Vec<TreeKey>>, Problem> {
        let of_database = move |snapshot: &Snapshot, _: &Watched| {
            let options = options_of(&snapshot.reader, key).map_err(|error| broken(&error))?;
            Ok(options.map(Vec::from))
        };
        let of_cluster = async move |mut client: Client| client.options(key).await;
        self.ask(of_database, of_cluster).await
    }
}

/// The address of the page that begins after this land.
fn following(wanted: &Wanted, after: &[u8]) -> String {
    let nimber = wanted.nimber.map_or_else(String::new, |nimber| format!("&nimber={nimber}"));
    let prefix = encode(&wanted.prefix).replace('+', "%2B");
    format!("/v1/lands?prefix={prefix}{nimber}&limit={}&cursor={}", wanted.limit, hex(after))
}

impl LandOf {
    fn new(LandNimber { land, nimber }: LandNimber, origin: Option<Origin>) -> Self {
        let land = CanonicalPosition::from_lands([land]).to_string();
        Self { land, nimber: Nimber::get(nimber), origin }
    }
}

impl TreeOf {
    fn new(key: TreeKey, options: &[TreeKey], origin: Option<Origin>) -> Self {
        let options = options.iter().map(ToString::to_string).collect();
        Self { tree: key.to_string(), plus_one: key.has_factor(), options, rct: None, origin }
    }
}

impl Snapshot {
    fn lands(&self, wanted: &Wanted, watched: &Watched) -> Result<LandsOf, Problem> {
        let LandPage { lands, next } =
            lands_by_key(&self.reader, wanted, watched).map_err(unanswered)?;
        let with_origin = |land: LandNimber| {
            let origin = self.reader.provenance(FactKind::Nimber, land.land.key());
            let origin = origin.map_err(|error| broken(&error))?.map(Origin::from);
            Ok(LandOf::new(land, origin))
        };
        let lands = lands.into_iter().map(with_origin).collect::<Result<_, Problem>>()?;
        Ok(LandsOf { lands, next: next.map(|after| following(wanted, &after)) })
    }

    fn tree(&self, key: TreeKey) -> Result<Option<TreeOf>, Problem> {
        let read = || {
            let Some(options) = options_of(&self.reader, key)? else { return Ok(None) };
            let plain = key.without_factor();
            let origin = self.reader.provenance(FactKind::Tree, plain.as_bytes())?;
            Ok(Some(TreeOf::new(key, &options, origin.map(Origin::from))))
        };
        read().map_err(|error| broken(&error))
    }
}
