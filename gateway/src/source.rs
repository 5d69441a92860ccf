//! Where knowledge comes from: a database, or a coordinator.

use std::sync::Arc;

use sprig_coordinator::{Trust, Unanswered, knowledge, moves};
use sprig_domain::{Game, Play, Ruleset};
use sprig_engine::Watched;
use sprig_engine::{CanonicalPosition, Unlisted};
use sprig_proto::{Client, ClientError, Code, Knowledge, Move};
use sprig_store::{Kind as FactKind, Provenance, StoreError};

use crate::asked::Asked;
use crate::problem::{Kind, Problem};
use crate::replica::{Replica, Snapshot};

/// Where the gateway looks up what is known.
#[derive(Clone)]
pub enum Source {
    /// A database in a folder.
    Database(Arc<Replica>),
    /// A coordinator, asked about one game.
    Cluster(Box<Client>, Game),
}

impl Source {
    /// The game that the source tells about.
    pub(crate) fn game(&self) -> Game {
        match self {
            Self::Database(replica) => replica.game(),
            Self::Cluster(_, game) => *game,
        }
    }
}

/// What a source tells of a position.
pub(crate) struct Told {
    /// What follows from verified facts.
    pub(crate) knowledge: Knowledge,
    /// What would follow if claims were believed, where there are any.
    pub(crate) claimed: Option<Knowledge>,
    /// Where the fact about each land comes from.
    pub(crate) origins: Vec<Option<Provenance>>,
}

/// What is known of every child of a position, and from where.
pub(crate) struct Ahead {
    pub(crate) moves: Vec<Move>,
    pub(crate) source: sprig_ask::Source,
}

/// What a database knows of a position, if it says who wins without a look at the moves.
pub(crate) fn at_sight(
    snapshot: &Snapshot,
    asked: &Asked,
    watched: &Watched,
) -> Result<Option<Told>, Problem> {
    let (reader, position, play) = (&snapshot.reader, &asked.canonical, asked.play);
    let known = sprig_coordinator::at_sight(reader, position, play, watched);
    let Some(knowledge) = known.map_err(unanswered)? else { return Ok(None) };
    Ok(Some(Told { knowledge, claimed: None, origins: origins(snapshot, asked)? }))
}

/// What a database knows of a position. Its moves are looked at if they are needed.
pub(crate) fn of_database(
    snapshot: &Snapshot,
    asked: &Asked,
    watched: &Arc<Watched>,
) -> Result<Told, Problem> {
    if let Some(told) = at_sight(snapshot, asked, watched)? {
        return Ok(told);
    }
    let (reader, position, play) = (&snapshot.reader, &asked.canonical, asked.play);
    let tell = |trust| knowledge(reader, position, play, trust, watched).map_err(unanswered);
    let told = tell(Trust::Checked)?;
    let has_claims = snapshot.worth.claimed.total() > 0;
    let claimed = has_claims.then(|| tell(Trust::Believed)).transpose()?;
    Ok(Told { knowledge: told, claimed, origins: origins(snapshot, asked)? })
}

/// Where the facts about the lands of a position come from.
fn origins(snapshot: &Snapshot, asked: &Asked) -> Result<Vec<Option<Provenance>>, Problem> {
    let kind = match asked.play {
        Play::Normal => FactKind::Nimber,
        Play::Misere => FactKind::Rct,
    };
    let lands = asked.canonical.lands().iter();
    let origins = lands.map(|land| snapshot.reader.provenance(kind, land.key()));
    origins.collect::<Result<_, _>>().map_err(|error| broken(&error))
}

/// What a database knows of every child, if they can be listed.
pub(crate) fn ahead_in_database(
    snapshot: &Snapshot,
    asked: &Asked,
    watched: &Arc<Watched>,
) -> Result<Option<Ahead>, Problem> {
    match moves(&snapshot.reader, &asked.canonical, asked.play, watched) {
        Ok(moves) => Ok(Some(Ahead { moves, source: sprig_ask::Source::Database })),
        Err(Unanswered::Unlisted(why)) if why != Unlisted::Stopped => Ok(None),
        Err(error) => Err(unanswered(error)),
    }
}

/// What a coordinator knows of a position.
pub(crate) async fn of_cluster(
    mut client: Client,
    position: CanonicalPosition,
    rules: Ruleset,
) -> Result<Told, ClientError> {
    let knowledge = client.query(&position, rules).await?;
    let origins = vec![None; position.lands().len()];
    Ok(Told { knowledge, claimed: None, origins })
}

/// What a coordinator knows of every child, if they can be listed.
pub(crate) async fn ahead_in_cluster(
    mut client: Client,
    position: CanonicalPosition,
    rules: Ruleset,
) -> Result<Option<Ahead>, ClientError> {
    match client.moves(&position, rules).await {
        Ok(moves) => Ok(Some(Ahead { moves, source: sprig_ask::Source::Cluster })),
        Err(ClientError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn unanswered(error: Unanswered) -> Problem {
    match error {
        Unanswered::Store(error) => broken(&error),
        Unanswered::Unlisted(Unlisted::Stopped) => stopped(),
        Unanswered::Unlisted(why) => Problem::too_dear(why.to_string(), "sprig query"),
    }
}

/// The problem when work was stopped because its time was over.
pub(crate) fn stopped() -> Problem {
    Problem::too_dear("the answer takes longer than is spent on one", "sprig query")
}

pub(crate) fn broken(error: &StoreError) -> Problem {
    tracing::error!("{error}");
    Problem::new(
        Kind::Failed,
        "the database cannot be read",
        "see the log of the process that you asked",
    )
}

pub(crate) fn refused(error: ClientError) -> Problem {
    match error {
        ClientError::Refused(status)
            if matches!(status.code(), Code::PermissionDenied | Code::Unauthenticated) =>
        {
            tracing::warn!("{}", status.message());
            let remedy = "tell who started this page: it needs a token of the role read";
            Problem::new(Kind::Failed, "the coordinator does not let this page read", remedy)
        }
        ClientError::Refused(status) => Problem::too_dear(status.message(), "sprig query"),
        error => away(&error.to_string()),
    }
}

/// The problem when a coordinator does not answer; `why` is for the log.
pub(crate) fn away(why: &str) -> Problem {
    tracing::warn!("the coordinator is away: {why}");
    let remedy = "ask again in a moment; if it stays away, tell who started this page";
    Problem::new(Kind::Unreachable, "the coordinator behind this page is away", remedy)
}
