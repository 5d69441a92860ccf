//! Where answers are worked out: a few at once, each within a limit of time. They are kept for the
//! next request.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sprig_domain::{Game, Play, Ruleset};
use sprig_engine::Watched;
use sprig_engine::paper::Paper;
use sprig_engine::{Budget, CanonicalPosition};
use sprig_proto::{Client, ClientError, Visitors};
use sprig_sketch::{Board, Look, Misdrawn, NoBoard, Picture, Point, SketchError, Theme};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinError;

use crate::answer::{Answer, Standing};
use crate::asked::{self, Asked};
use crate::cache::Cache;
use crate::credit::Credits;
use crate::document::{Step, StrokeOf};
use crate::events::Events;
use crate::pousse::Analysts;
use crate::problem::{Kind, Problem};
use crate::proofs::Proofs;
use crate::replies::Replies;
use crate::source::{
    Source, ahead_in_cluster, ahead_in_database, at_sight, away, of_cluster, of_database, refused,
    stopped, unanswered,
};
use crate::starts::Starts;

/// How long one answer may take.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);
/// How long a coordinator may take to answer: a second longer than it spends on one answer itself.
const HEARD: Duration = Duration::from_secs(11);
/// Most questions that a coordinator is asked at once.
const CALLS: usize = 64;
/// How long an answer waits for its turn.
pub(crate) const TURN: Duration = Duration::from_secs(10);
/// Most answers that wait for a turn.
const WAITING: usize = 256;
/// How long a whole best line may take.
const LINE: Duration = Duration::from_secs(20);
/// How long an answer of a coordinator counts as new.
const FRESH: Duration = Duration::from_secs(5);
/// Bytes of answers that are kept.
const ANSWERS: usize = 64 << 20;
/// Bytes of pictures that are kept.
const PICTURES: usize = 64 << 20;
/// Longest text of a position that is drawn, in bytes.
const DRAWN: usize = 300;

/// The position of a picture, its theme, whether it has labels, and the child whose move is drawn
/// as a curve, if there is one.
type Drawing = (CanonicalPosition, u8, bool, Option<CanonicalPosition>);
/// The position as it was written, the play, and the generation of facts. An answer that is
/// complete has no generation.
type Question = (String, Play, Option<u64>);

pub(crate) struct Explorer {
    pub(crate) source: Source,
    /// How visitors steer searches. None: nobody can change anything.
    pub(crate) visitors: Option<Visitors>,
    answers: Cache<Question, Answer>,
    pictures: Cache<Drawing, Drawn>,
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    calls: Arc<Semaphore>,
    begun: Instant,
    pub(crate) replies: Replies,
    pub(crate) starts: Starts,
    pub(crate) events: Events,
    pub(crate) proofs: Proofs,
    pub(crate) credits: Arc<Credits>,
    pub(crate) pousse: Analysts,
}

/// A picture, and what it shows in words.
pub(crate) struct Drawn {
    pub(crate) svg: String,
    pub(crate) words: String,
    /// Whether fresh spots are drawn as one, so that not every move is a curve.
    pub(crate) is_grouped: bool,
}

/// A best line, and whether it leads to the end of the game.
pub(crate) struct Line {
    pub(crate) steps: Vec<Step>,
    pub(crate) ended: bool,
}

/// Stops the work when no request waits for it any more.
struct Waited(Arc<Watched>);

impl Drop for Waited {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Explorer {
    pub(crate) fn new(source: Source) -> Self {
        let threads = std::thread::available_parallelism().map_or(2, NonZero::get);
        Self {
            source,
            visitors: None,
            answers: Cache::new(ANSWERS),
            pictures: Cache::new(PICTURES),
            turns: Arc::new(Semaphore::new(threads.max(2))),
            waiting: AtomicUsize::new(0),
            calls: Arc::new(Semaphore::new(CALLS)),
            begun: Instant::now(),
            replies: Replies::default(),
            starts: Starts::default(),
            events: Events::default(),
            proofs: Proofs::default(),
            credits: Arc::default(),
            pousse: Analysts::default(),
        }
    }

    /// The game that the source tells about.
    pub(crate) fn game(&self) -> Game {
        self.source.game()
    }

    /// The game with this play.
    pub(crate) fn rules(&self, play: Play) -> Ruleset {
        Ruleset { game: self.game(), play }
    }

    /// Works something out on a thread of its own, once a turn is free.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(Arc<Watched>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let queued = self.waiting.fetch_add(1, Ordering::Relaxed);
        let turn = match queued < WAITING {
            true => {
                let turn = Arc::clone(&self.turns).acquire_owned();
                tokio::time::timeout(TURN, turn).await.ok().and_then(Result::ok)
            }
            false => None,
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        let turn = turn.ok_or_else(busy)?;
        let waited = Waited(Arc::default());
        let watched = Arc::clone(&waited.0);
        let task = tokio::task::spawn_blocking(move || {
            let done = work(watched);
            drop(turn);
            done
        });
        match tokio::time::timeout(ANSWER, task).await {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => Err(failed(&panic)),
            Err(_) => Err(stopped()),
        }
    }

    /// What a coordinator answers, in time. Nobody else waits for a turn meanwhile.
    pub(crate) async fn hear<T: Send + 'static, F: Future<Output = Result<T, ClientError>>>(
        &self,
        client: &Client,
        call: impl FnOnce(Client) -> F + Send + 'static,
    ) -> Result<T, Problem> {
        let late = || away(&format!("nothing was heard for {} seconds", HEARD.as_secs()));
        let turn = tokio::time::timeout(HEARD, Arc::clone(&self.calls).acquire_owned()).await;
        let turn = turn.map_err(|_| busy())?;
        let (client, runtime) = (client.clone(), Handle::current());
        // Not every call may go from thread to thread.
        let task = tokio::task::spawn_blocking(move || {
            let done = runtime.block_on(async { tokio::time::timeout(HEARD, call(client)).await });
            drop(turn);
            done
        });
        match task.await {
            Ok(Ok(done)) => done.map_err(refused),
            Ok(Err(_)) => Err(late()),
            Err(panic) => Err(failed(&panic)),
        }
    }

    /// A number that grows when there may be something new.
    pub(crate) fn generation(&self) -> u64 {
        match &self.source {
            Source::Database(replica) => replica.now().generation,
            Source::Cluster(..) => self.begun.elapsed().as_secs() / FRESH.as_secs(),
        }
    }

    /// Reads a text as a position, and finds what is known of it.
    pub(crate) async fn standing(
        &self,
        text: &str,
        play: Play,
    ) -> Result<(Asked, Standing), Problem> {
        let (text, rules) = (text.to_owned(), self.rules(play));
        let (asked, standing) = match &self.source {
            Source::Database(replica) => {
                let snapshot = replica.now();
                let look = move |watched: Arc<Watched>| {
                    let asked = Asked::of(&text, rules)?;
                    let told = at_sight(&snapshot, &asked, &watched)?;
                    Ok((asked, told.map(|told| Standing::new(play, told))))
                };
                self.work(look).await?
            }
            Source::Cluster(client, _) => {
                let asked = self.work(move |_| Asked::of(&text, rules)).await?;
                let position = asked.canonical.clone();
                let told =
                    self.hear(client, move |client| of_cluster(client, position, rules)).await?;
                let standing = Standing::new(play, told);
                (asked, (!standing.is_open(play)).then_some(standing))
            }
        };
        let standing = match standing {
            Some(standing) => standing,
            None => self.answer(&asked).await?.standing.clone(),
        };
        Ok((asked, standing))
    }

    /// Reads a text as a position, and finds what is known of it and of its moves.
    pub(crate) async fn position(
        &self,
        text: &str,
        play: Play,
    ) -> Result<(Asked, Arc<Answer>), Problem> {
        let (text, rules) = (text.to_owned(), self.rules(play));
        let asked = self.work(move |_| Asked::of(&text, rules)).await?;
        let answer = self.answer(&asked).await?;
        Ok((asked, answer))
    }

    /// What is known of a position and of its moves.
    pub(crate) async fn answer(&self, asked: &Asked) -> Result<Arc<Answer>, Problem> {
        let (written, play) = (asked.paper.position().to_string(), asked.play);
        let generation = self.generation();
        for generation in [None, Some(generation)] {
            if let Some(answer) = self.answers.get(&(written.clone(), play, generation)) {
                return Ok(answer);
            }
        }
        let asked = asked.clone();
        let answer = match &self.source {
            Source::Database(replica) => {
                let snapshot = replica.now();
                let look = move |watched: Arc<Watched>| {
                    let standing = Standing::new(play, of_database(&snapshot, &asked, &watched)?);
                    let ahead = ahead_in_database(&snapshot, &asked, &watched)?;
                    Answer::new(&asked, standing, ahead, &watched)
                };
                self.work(look).await?
            }
            Source::Cluster(client, _) => {
                let (position, rules) = (asked.canonical.clone(), asked.rules());
                let told = async move |client: Client| {
                    let told = of_cluster(client.clone(), position.clone(), rules).await?;
                    Ok((told, ahead_in_cluster(client, position, rules).await?))
                };
                let (told, ahead) = self.hear(client, told).await?;
                let look = move |watched: Arc<Watched>| {
                    Answer::new(&asked, Standing::new(play, told), ahead, &watched)
                };
                self.work(look).await?
            }
        };
        let (answer, bytes) = (Arc::new(answer), written.len());
        let generation = (!answer.is_complete).then_some(generation);
        let bytes = bytes + answer.bytes();
        self.answers.keep((written, play, generation), Arc::clone(&answer), bytes);
        Ok(answer)
    }

    /// The best line: the best move, the best answer and so on, for as long as it is known who
    /// wins.
    pub(crate) async fn line(&self, asked: &Asked) -> Result<Line, Problem> {
        let end = Instant::now() + LINE;
        let (mut asked, mut steps) = (asked.clone(), Vec::new());
        loop {
            let answer = self.answer(&asked).await?;
            let Some(moves) = &answer.moves else { return Ok(Line { steps, ended: false }) };
            let Some(best) = moves.first() else { return Ok(Line { steps, ended: true }) };
            if best.found.outcome.is_none() || !best.found.verified || Instant::now() > end {
                return Ok(Line { steps, ended: false });
            }
            steps.push(Step::new(&asked.paper, best));
            asked = asked.after(&best.reached.witness)?;
        }
    }

    /// The picture of a position.
    pub(crate) async fn picture(
        &self,
        position: &CanonicalPosition,
        look: Look,
    ) -> Result<Arc<Drawn>, Problem> {
        self.picture_of(position, look, None).await
    }

    /// The picture of a position, with the curve of the move to a child, if one is given.
    pub(crate) async fn picture_of(
        &self,
        position: &CanonicalPosition,
        look: Look,
        child: Option<CanonicalPosition>,
    ) -> Result<Arc<Drawn>, Problem> {
        let theme = match look.theme {
            Theme::Light => 0,
            Theme::Dark => 1,
            Theme::Print => 2,
        };
        let key = (position.clone(), theme, look.labels, child.clone());
        if let Some(drawn) = self.pictures.get(&key) {
            return Ok(drawn);
        }
        let length = position.to_string().len();
        if length > DRAWN {
            let detail = format!("its text has {length} bytes, and at most {DRAWN} are drawn here");
            return Err(Problem::too_dear(detail, "sprig draw"));
        }
        let position = position.clone();
        let draw = move |watched: Arc<Watched>| {
            let mut picture = Picture::of(&position).map_err(undrawn)?;
            if let Some(child) = child {
                let mut budget = Budget::default().until(watched.flag());
                let drawn = picture.towards(&child, &mut budget);
                picture = drawn.map_err(|why| unanswered(why.into()))?;
                if picture.curve.is_none() {
                    let moves = Paper::of(&position.to_position()).moves(&mut budget);
                    let moves = moves.map_err(|why| unanswered(why.into()))?;
                    let is_move = moves.iter().any(|reached| reached.child == child);
                    let is_hidden = is_move && picture.is_grouped();
                    return Err(without_curve(&position, &child, is_hidden));
                }
            }
            let (svg, words) = (picture.svg(&look), picture.description());
            Ok(Drawn { svg, words, is_grouped: picture.is_grouped() })
        };
        let drawn = Arc::new(self.work(draw).await?);
        self.pictures.keep(key, Arc::clone(&drawn), drawn.svg.len() + 500);
        Ok(drawn)
    }

    /// Finds which move a curve is that was drawn into the picture of a position: the child, and
    /// the words of the move.
    pub(crate) async fn stroke(&self, text: &str, points: Vec<Point>) -> Result<StrokeOf, Problem> {
        let position = self.read(text).await?;
        // Fails if the position cannot be drawn, as a curve then has no picture to be in.
        self.picture(&position, Look::default()).await?;
        self.work(move |watched| {
            let misdrawn = |error: Misdrawn| {
                let remedy =
                    "draw from spot to spot without touching anything, or choose from the list";
                Problem::new(Kind::Misdrawn, error.to_string(), remedy)
            };
            let board = Board::of(&position, &mut Budget::default().until(watched.flag()));
            let board = board.map_err(|error| match error {
                NoBoard::Sketch(error) => undrawn(error),
                NoBoard::Unlisted(why) => unanswered(why.into()),
            })?;
            let reached = board.read(&points).map_err(misdrawn)?;
            Ok(StrokeOf {
                canonical: position.to_string(),
                child: reached.child.to_string(),
                words: board.words(reached),
            })
        })
        .await
    }

    /// Reads a text as a position.
    pub(crate) async fn read(&self, text: &str) -> Result<CanonicalPosition, Problem> {
        let text = text.to_owned();
        self.work(move |_| Ok(CanonicalPosition::of(&asked::read(&text)?))).await
    }
}

/// The problem when all turns are taken.
pub(crate) fn busy() -> Problem {
    let remedy = "ask again after the seconds of Retry-After";
    Problem::new(Kind::Busy, "all turns are taken", remedy)
}

/// The problem when no curve leads to a child: it is none, or its move is among fresh spots that are
/// drawn as one.
fn without_curve(
    position: &CanonicalPosition,
    child: &CanonicalPosition,
    is_hidden: bool,
) -> Problem {
    let detail = format!("no curve in `{position}` leads to `{child}`");
    let (detail, remedy) = if is_hidden {
        (
            detail + ": its fresh spots are drawn as one, so that not every move can be shown",
            "ask for the picture of the child itself, without `child`",
        )
    } else {
        (detail, "ask for a child that stands in the list of its moves")
    };
    Problem::new(Kind::NotFound, detail, remedy)
}

fn undrawn(error: SketchError) -> Problem {
    let remedy = "ask for a position that can be drawn on the plane";
    Problem::new(Kind::TooDear, error.to_string(), remedy)
}

fn failed(panic: &JoinError) -> Problem {
    tracing::error!("an answer failed: {panic}");
    let remedy = "tell the makers of Sprig, with the address that you asked";
    Problem::new(Kind::Failed, "the answer failed, which is a bug", remedy)
}
