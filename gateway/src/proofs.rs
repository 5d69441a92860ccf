//! Certificates: few facts that prove who wins. They are taken out of the database when a visitor
//! asks for them.
//!
//! The gateway does what `sprig certify` does, within the limits of an answer. Its certificates
//! need not be believed: a visitor checks them in the browser or with `sprig verify`.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use sprig_certificate::{Claim, Fact, Facts, Form, Header, Loss, Play as Rule};
use sprig_certify::{CertifyError, Extract, Losses, Nimbers, Rules, Settings, Written};
use sprig_domain::{Fact as DomainFact, Game, Node, Play, Ruleset};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position, Watched};
use sprig_proto::Client;
use sprig_store::{Kind as FactKind, Status, StoreError, Value};
use sprig_trees::{Base, News};
use tokio::sync::Semaphore;

use crate::asked::Asked;
use crate::cache::Cache;
use crate::explorer::{ANSWER, Explorer};
use crate::problem::{Kind, Problem};
use crate::replica::Snapshot;
use crate::source::{Source, broken, stopped};

/// Most verified facts among which a certificate is looked for. All of them are read.
const KNOWN: u64 = 500_000;
/// How long a proof that was found is made smaller.
const SMALLER: Duration = Duration::from_secs(1);
/// Changes between two looks at the clock.
const CHANGES: u64 = 64;
/// Rounds of changes for each fact of a proof, after which more are not worth their time.
const ROUNDS: usize = 4;
/// Most lives of a land that needs no facts: its nimber is found by plain recursion. The second
/// number is tried where no proof is found with the first. The recursion is then dear where many
/// moves lead to new lands, and seldom needed, as a search leaves facts of nearly all lands that it
/// has met.
const SMALL: [u16; 2] = [6, 12];
/// Spots of the base of misère play. The base with one spot more takes minutes.
const BASE: usize = 5;
/// Bytes of certificates that are kept.
const KEPT: usize = 32 << 20;

/// A proof, and the certificate that holds it.
pub(crate) struct Proof {
    /// The certificate, packed by gzip.
    pub(crate) packed: Bytes,
    /// The text of the certificate.
    pub(crate) text: String,
    pub(crate) header: Header,
}

/// Finds proofs, one at a time, and keeps them.
pub(crate) struct Proofs {
    kept: Cache<(CanonicalPosition, Play), Proof>,
    turn: Semaphore,
}

impl Default for Proofs {
    fn default() -> Self {
        Self { kept: Cache::new(KEPT), turn: Semaphore::new(1) }
    }
}

/// The key of a land, and its nimber.
type LandNimber = (Box<[u8]>, Nimber);

/// The verified facts among which a proof is looked for.
enum Known {
    /// The facts of a database, not yet read.
    Stored(Arc<Snapshot>),
    /// Those that a coordinator has told.
    Told(Vec<DomainFact>),
}

impl Explorer {
    /// A proof of who wins.
    pub(crate) async fn proof(&self, asked: &Asked) -> Result<Arc<Proof>, Problem> {
        let key = (asked.canonical.clone(), asked.play);
        if let Some(kept) = self.proofs.kept.get(&key) {
            return Ok(kept);
        }
        if self.answer(asked).await?.standing.outcome.is_none() {
            return Err(unproved(asked));
        }
        let turn = tokio::time::timeout(crate::explorer::TURN, self.proofs.turn.acquire()).await;
        let Ok(Ok(_turn)) = turn else { return Err(crate::explorer::busy()) };
        // The proof may have been found while this request waited for its turn.
        if let Some(kept) = self.proofs.kept.get(&key) {
            return Ok(kept);
        }
        let known = match &self.source {
            Source::Database(replica) => Known::Stored(replica.now()),
            Source::Cluster(client, _) => {
                let told = tokio::time::timeout(ANSWER, self.told(client, asked.rules())).await;
                Known::Told(told.map_err(|_| stopped())??)
            }
        };
        let asked = asked.clone();
        let found = self.work(move |watched| match asked.play {
            Play::Normal => of_nimbers(known, &asked, watched),
            Play::Misere => of_losses(known, &asked, watched),
        });
        let proof = Arc::new(found.await?);
        let bytes = proof.text.len() + proof.packed.len();
        self.proofs.kept.keep(key, Arc::clone(&proof), bytes);
        Ok(proof)
    }

    /// All facts of a play that a coordinator has verified.
    async fn told(&self, client: &Client, rules: Ruleset) -> Result<Vec<DomainFact>, Problem> {
        let (mut told, mut from) = (Vec::new(), Some(0));
        while let Some(next) = from {
            let page = async move |mut client: Client| client.verified(rules, next).await;
            let (facts, after) = self.hear(client, page).await?;
            told.extend(facts);
            if told.len() as u64 > KNOWN {
                return Err(too_many(told.len() as u64));
            }
            from = after;
        }
        Ok(told)
    }
}

impl Known {
    fn nimbers(self, watched: &Watched) -> Result<Vec<LandNimber>, Problem> {
        match self {
            Self::Stored(snapshot) => {
                verified(&snapshot, FactKind::Nimber, watched, |subject, value| match value {
                    Value::Nimber(nimber) => Some((subject, nimber)),
                    _ => None,
                })
            }
            Self::Told(facts) => {
                let nimber = |fact| match fact {
                    DomainFact::Nimber(fact) => Some((fact.land.key().into(), fact.nimber)),
                    _ => None,
                };
                Ok(facts.into_iter().filter_map(nimber).collect())
            }
        }
    }

    fn losses(self, watched: &Watched) -> Result<Vec<Node>, Problem> {
        match self {
            Self::Stored(snapshot) => verified(&snapshot, FactKind::Loss, watched, |subject, _| {
                // A fact of the database can always be read. One that could not would be left out
                // of the proof.
                Node::decode(&subject).ok()
            }),
            Self::Told(facts) => {
                let loss = |fact| match fact {
                    DomainFact::Loss(node) => Some(node),
                    _ => None,
                };
                Ok(facts.into_iter().filter_map(loss).collect())
            }
        }
    }
}

fn of_nimbers(known: Known, asked: &Asked, watched: Arc<Watched>) -> Result<Proof, Problem> {
    let known = known.nimbers(&watched)?;
    let claim = sprig_certify::Claim::Outcome;
    let within = |small| {
        let settings = settings(asked.game, small, &watched);
        Extract::<Nimbers>::new(known.iter().cloned(), &[], &asked.canonical, claim, settings)
    };
    let [few, many] = SMALL;
    let extract = match within(few) {
        Err(CertifyError::Missing(_)) => within(many),
        found => found,
    };
    let mut extract = extract.map_err(|error| unfound(asked, &error))?;
    smaller(&mut extract, asked, &watched)?;
    let claim = match extract.nimber() {
        None => Claim::Win,
        Some(Nimber::ZERO) => Claim::Loss,
        Some(nimber) => Claim::Nimber(nimber),
    };
    let fact = |(land, nimber): (CanonicalLand, _)| Fact { land: written([&land]), nimber };
    let facts: Vec<Fact> = extract.facts().map(fact).collect();
    let position = asked.canonical.to_position();
    let header = Header {
        game: certified(asked.game),
        play: Rule::Normal,
        position,
        claim,
        facts: facts.len() as u64,
    };
    put_down(header, &Facts::Nimbers(facts))
}

fn of_losses(known: Known, asked: &Asked, watched: Arc<Watched>) -> Result<Proof, Problem> {
    let spots = sprig_misere::base_of(&asked.canonical);
    if spots > BASE {
        let detail = format!("its proof stands on the trees of {spots} spots, which take minutes");
        return Err(Problem::too_dear(detail, "sprig certify --misere"));
    }
    let of = Position::start(BASE);
    let base = base(asked.game, &of, &watched)?;
    let known = known.losses(&watched)?;
    let losses = Losses::new(base, known, &[]).map_err(|error| unfound(asked, &error))?;
    let settings = settings(asked.game, SMALL[0], &watched);
    let extract = Extract::<Losses>::new(losses, &asked.canonical, settings);
    let mut extract = extract.map_err(|error| unfound(asked, &error))?;
    smaller(&mut extract, asked, &watched)?;
    let claim = if extract.is_loss() { Claim::Loss } else { Claim::Win };
    let loss = |node: Written| Loss {
        lands: written(node.lands.lands()),
        sums: node.sums.iter().map(|sum| written(sum.lands())).collect(),
    };
    let facts = extract.facts().map_err(|error| unfound(asked, &error))?;
    let facts: Vec<Loss> = facts.into_iter().map(loss).collect();
    let (play, position) = (Rule::Misere { base: of }, asked.canonical.to_position());
    let header =
        Header { game: certified(asked.game), play, position, claim, facts: facts.len() as u64 };
    put_down(header, &Facts::Losses(facts))
}

/// A game as certificates name it.
fn certified(game: Game) -> sprig_certificate::Game {
    match game {
        Game::Sprouts => sprig_certificate::Game::Sprouts,
        Game::BlackAndWhite => sprig_certificate::Game::BlackAndWhite,
    }
}

/// The trees of all lands of the game tree of a position.
fn base(game: Game, of: &Position, watched: &Watched) -> Result<Base, Problem> {
    let mut base = Base::of(game);
    let go_on = |_: &News<'_>| match watched.step() {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let built = base.build(&CanonicalPosition::of(of), NonZero::<usize>::MIN, go_on);
    built.map_err(|_| stopped())?;
    Ok(base)
}

/// The verified facts of a kind, each as `take` makes it.
fn verified<T>(
    snapshot: &Snapshot,
    kind: FactKind,
    watched: &Watched,
    take: impl Fn(Box<[u8]>, Value) -> Option<T>,
) -> Result<Vec<T>, Problem> {
    let count = snapshot.worth.verified.of(kind);
    if count > KNOWN {
        return Err(too_many(count));
    }
    let mut taken = Vec::new();
    for stored in snapshot.reader.facts(kind) {
        let fact = stored.map_err(|error: StoreError| broken(&error))?.fact;
        if !watched.step() {
            return Err(stopped());
        }
        if fact.status == Status::Verified {
            taken.extend(take(fact.subject, fact.value));
        }
    }
    Ok(taken)
}

fn too_many(count: u64) -> Problem {
    let detail = format!(
        "the proof would be looked for among {count} facts, and it is among at most {KNOWN}"
    );
    Problem::too_dear(detail, "sprig certify")
}

fn settings(game: Game, small: u16, watched: &Arc<Watched>) -> Settings {
    let threads = NonZero::<usize>::MIN;
    Settings { game, small, seed: 1, threads, watched: Arc::clone(watched) }
}

/// Makes a proof smaller for a short time.
fn smaller<R: Rules>(
    extract: &mut Extract<R>,
    asked: &Asked,
    watched: &Watched,
) -> Result<(), Problem> {
    let begin = Instant::now();
    for _ in 0..ROUNDS * extract.size() {
        if begin.elapsed() > SMALLER || watched.is_stopped() {
            break;
        }
        let left = (1.0 - begin.elapsed().as_secs_f64() / SMALLER.as_secs_f64()).max(0.0);
        extract.minimize(CHANGES, left * left).map_err(|error| unfound(asked, &error))?;
    }
    Ok(())
}

/// Lands as a written position.
fn written<'a>(lands: impl IntoIterator<Item = &'a CanonicalLand>) -> Position {
    Position(lands.into_iter().map(CanonicalLand::to_land).collect())
}

fn put_down(header: Header, facts: &Facts) -> Result<Proof, Problem> {
    let put = |form| {
        let mut bytes = Vec::new();
        sprig_certificate::write(&header, facts, form, &mut bytes).map(|()| bytes)
    };
    // To write into memory cannot fail, and certificates are text.
    let failed = |_| Problem::new(Kind::Failed, "the proof cannot be written", "ask again");
    let packed = put(Form::Gzip).map_err(failed)?.into();
    let text = String::from_utf8(put(Form::Text).map_err(failed)?).unwrap_or_default();
    Ok(Proof { packed, text, header })
}

/// The file name of the certificate of a position. Signs that some systems do not allow in names
/// become hyphens.
pub(crate) fn file_name(asked: &Asked) -> String {
    let text = asked.canonical.to_string();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = text.chars().map(plain).take(60).collect();
    format!("{}-{name}.cert", asked.play.name())
}

fn unproved(asked: &Asked) -> Problem {
    let detail = format!("no proof of who wins `{}` is known here", asked.canonical);
    Problem::new(Kind::NotFound, detail, "`sprig solve` may find one")
}

fn unfound(asked: &Asked, error: &CertifyError) -> Problem {
    match error {
        CertifyError::Missing(_) => unproved(asked),
        CertifyError::Stopped => stopped(),
        CertifyError::TooManyMoves(_) | CertifyError::Unlisted(_) | CertifyError::NoLand(_) => {
            Problem::too_dear(error.to_string(), "sprig certify")
        }
        error => {
            tracing::error!("{error}");
            let remedy = "see the log of the process that you asked";
            Problem::new(Kind::Failed, "the facts contradict each other", remedy)
        }
    }
}
