//! What the searches of a job see, asked of its coordinator.

use sprig_domain::{Goal, JobId, Question, Ruleset};
use sprig_engine::{Nimber, Watched};
use sprig_proto::{Client, Sight};

use crate::explorer::Explorer;
use crate::problem::{Kind, Problem};
use crate::replica::Snapshot;
use crate::target::{Target, shown};

/// Most options that are told, and how many are told unasked.
pub(crate) const OPTIONS: (usize, usize) = (200, 20);

/// A place that somebody asks about: the text of a position, and the heap beside it. Without a text
/// it is what each search works at.
#[derive(Clone, Debug, Default)]
pub(crate) struct At {
    pub(crate) position: Option<String>,
    pub(crate) heap: Nimber,
    pub(crate) limit: u32,
}

impl At {
    /// The place that an address names.
    pub(crate) fn of(target: &Target) -> Result<Self, Problem> {
        target.only(&["at", "heap", "limit"])?;
        let largest = usize::from(Nimber::LIMIT - 1);
        let heap = Nimber::new(target.number("heap", 0..=largest, 0)? as u64).unwrap_or_default();
        let limit = target.number("limit", 1..=OPTIONS.0, OPTIONS.1)? as u32;
        // In addresses `~` stands for `|`.
        let position = target.value("at").filter(|text| !text.is_empty());
        let position = position.map(|text| text.replace('~', "|"));
        Ok(Self { position, heap, limit })
    }
}

impl Explorer {
    /// The place `text` beside a heap, under the rules of a job.
    pub(crate) async fn place(
        &self,
        rules: Ruleset,
        text: &str,
        heap: Nimber,
    ) -> Result<Goal, Problem> {
        let position = self.read(text).await?;
        Goal::new(rules, position, Question::Outcome { heap }).map_err(|error| {
            let detail = format!("`at` cannot be `{}`: {error}", shown(text));
            Problem::new(Kind::BadParameter, detail, "leave `heap` out in misère play")
        })
    }

    /// What the searches of a job see of a place.
    pub(crate) async fn sight(&self, id: JobId, at: &At) -> Result<Sight, Problem> {
        let rules = self.job(id).await?.0.goal.ruleset();
        let place = match &at.position {
            Some(text) => Some(self.place(rules, text, at.heap).await?),
            None => None,
        };
        let limit = at.limit;
        let of_database = |_: &Snapshot, _: &Watched| {
            Err(Problem::new(
                Kind::NotFound,
                "a database remembers jobs, and has no searches",
                "ask a page over a coordinator: `sprig explore --coordinator URL`",
            ))
        };
        let of_cluster = async move |mut client: Client| client.look(id, place, limit).await;
        self.ask(of_database, of_cluster).await
    }
}
