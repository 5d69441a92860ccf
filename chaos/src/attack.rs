//! A reader and workers that do all the harm that they may, as fast as they can, until their
//! process is killed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngCore, SeedableRng};
use sprig_domain::Play;
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::wire::clients_client::ClientsClient;
use sprig_proto::{Access, Line, wire};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::liars::{Liar, Lie, Lore, Mouth, Said, dear_position};
use crate::start::Start;
use crate::tokens::{READER, Tokens};

/// Readers, each with a connection of its own.
const READERS: usize = 4;

/// Calls of a reader at once.
const AT_ONCE: usize = 16;

/// What liars speak about: the smaller, the less their own core has to do for it.
const START: Start = Start { spots: 12, misere: false };

/// Runs the attacks; does not return while the coordinator lives.
///
/// # Errors
/// When there are no tokens.
pub async fn attack(url: &str, tokens: &Path, seed: u64) -> anyhow::Result<()> {
    let tokens = Tokens::there(tokens);
    let mut dice = SmallRng::seed_from_u64(seed);
    let lore = Lore::default();
    let (truth, poison) = (lore.facts(START)?, Arc::new(lore.poisoned(START, &mut dice)?));
    let mut attackers = JoinSet::new();
    for (number, &lie) in Lie::ALL.iter().enumerate() {
        let name = format!("liar-{number}");
        let own = SmallRng::seed_from_u64(dice.random());
        let liar = Liar {
            mouth: Mouth::new(lie, START, Arc::clone(&truth), Arc::clone(&poison), own),
            pace: Duration::from_millis(1),
            url: url.to_owned(),
            access: tokens.access(&name)?,
            names: (0..u16::MAX).map(|life| format!("{name}-{life}")).collect(),
            victim: None,
            said: Arc::new(Said::default()),
        };
        attackers.spawn(liar.live());
    }
    let access = tokens.access(READER)?;
    for _ in 0..READERS {
        let own = SmallRng::seed_from_u64(dice.random());
        attackers.spawn(read(url.to_owned(), access.clone(), own));
    }
    while attackers.join_next().await.is_some() {}
    Ok(())
}

/// Makes calls that are expensive, malformed or given up. Connects again when it is sent away.
async fn read(url: String, access: Access, mut dice: SmallRng) {
    loop {
        if let Ok(calls) = connected(&url, &access).await {
            let mut at_once = JoinSet::new();
            for _ in 0..4_000 {
                let (calls, own) = (calls.clone(), SmallRng::seed_from_u64(dice.random()));
                at_once.spawn(call(calls, own));
                while at_once.len() >= AT_ONCE {
                    at_once.join_next().await;
                }
            }
        }
        sleep(Duration::from_millis(100)).await;
    }
}

async fn connected(url: &str, access: &Access) -> anyhow::Result<ClientsClient<Line>> {
    let channel = access.endpoint(url)?.connect().await.context("no connection")?;
    Ok(ClientsClient::new(access.line(channel)))
}

/// One call, given up after a while that is mostly too short.
async fn call(mut calls: ClientsClient<Line>, mut dice: SmallRng) {
    let patience = Duration::from_millis(*[1, 20, 150, 2_000].choose(&mut dice).expect("some"));
    let play = if dice.random_bool(0.3) { Play::Misere } else { Play::Normal };
    let position = match dice.random_range(0..3) {
        0 => dear_position(dice.random_range(8..=20)),
        1 => CanonicalPosition::of(&Position::start(dice.random_range(20..=60))),
        _ => CanonicalPosition::of(&Position::start(dice.random_range(1..=10))),
    };
    let inquiry = wire::Inquiry::of(&position, play);
    let number = *[0, 1, 2, u64::MAX, dice.next_u64()].choose(&mut dice).expect("some");
    // The result does not matter: the call is here to be begun.
    let _given_up = match dice.random_range(0..7) {
        0 | 1 => timeout(patience, calls.query(inquiry)).await.is_ok(),
        2 => timeout(patience, calls.moves(inquiry)).await.is_ok(),
        3 => {
            let mut lands = vec![vec![0; dice.random_range(0..4_000)]];
            dice.fill_bytes(&mut lands[0]);
            let position = Some(wire::Position { lands, text: String::new() });
            let inquiry = wire::Inquiry { position, ..inquiry };
            timeout(patience, calls.query(inquiry)).await.is_ok()
        }
        4 => {
            let watched = async {
                let mut jobs = calls.watch(wire::JobId { id: number }).await?.into_inner();
                while jobs.message().await?.is_some() {}
                Ok::<(), tonic::Status>(())
            };
            timeout(patience, watched).await.is_ok()
        }
        5 => {
            let request = wire::JobsRequest {
                before: number,
                limit: dice.next_u32(),
                ..wire::JobsRequest::default()
            };
            timeout(patience, calls.jobs(request)).await.is_ok()
        }
        _ => timeout(patience, calls.status(wire::StatusRequest {})).await.is_ok(),
    };
}
