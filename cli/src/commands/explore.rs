//! `sprig explore`: pages in a browser that show what is known.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use sprig_gateway::{Gateway, Limits, Replica, Source};
use sprig_proto::Visitors;
use tokio::runtime::Builder;

use crate::connect::{self, Credentials};
use crate::failure::Usage;
use crate::stop::Stop;
use crate::switch::switch;
use crate::trace::say;
use crate::variant::Variant;
use crate::{database, notify, seal};

/// How long blocked threads may delay the end of the process.
const END: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  sprig explore --db facts               then open http://127.0.0.1:7480 in a browser
  sprig explore --db facts --listen 127.0.0.1:0
                                         on a free port, which is printed
  sprig explore --coordinator http://10.0.0.1:7425
                                         what a cluster knows
  sprig explore --coordinator http://127.0.0.1:7425 --steer
                                         the same, and who has a token may steer searches
  sprig explore --db facts --variant black-and-white
                                         what is known of that game, and play against it
  curl http://127.0.0.1:7480/v1/positions/14
                                         the same for programs";

/// Show what is known in a browser: pages with pictures, and an interface for programs
///
/// Reads a database, which may be in use, or asks a coordinator; changes nothing, unless visitors
/// may steer (--steer). Prints its address, and answers until Ctrl-C or SIGTERM. What the pages mean stands under /about.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Explore {
    #[command(flatten)]
    whom: Whom,
    #[command(flatten)]
    variant: Variant,
    /// Address to listen on; port 0 takes a free one
    #[arg(
        long,
        value_name = "ADDR",
        env = "SPRIG_EXPLORE_LISTEN",
        default_value = "127.0.0.1:7480"
    )]
    listen: String,
    /// Everyone who reaches the address may read: needed to listen beyond this machine
    #[arg(long, env = "SPRIG_PUBLIC", value_parser = switch)]
    public: bool,
    /// Visitors may steer searches of the coordinator, each with a token of their own
    #[arg(long, env = "SPRIG_STEER", value_parser = switch)]
    steer: bool,
    #[command(flatten)]
    credentials: Credentials,
}

/// Whom to ask.
#[derive(Args)]
#[group(multiple = false)]
struct Whom {
    /// Folder of a database
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    /// Address of a coordinator [env: SPRIG_COORDINATOR=, unless there is --db]
    #[arg(long, value_name = "URL")]
    coordinator: Option<String>,
}

impl Explore {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let listen = self.address()?;
        let is_near = listen.ip().is_loopback();
        if !is_near && !self.public {
            return Err(Usage(format!(
                "{listen} can be reached from other machines, and everybody there could read: say --public \
                 if that is meant, or listen on 127.0.0.1"
            ))
            .into());
        }
        if !is_near && self.steer && !self.credentials.insecure() {
            return Err(Usage(format!(
                "the tokens of visitors would travel to {listen} for everybody to read: listen on 127.0.0.1, \
                 behind a proxy that speaks TLS, or say --insecure if the network is yours"
            ))
            .into());
        }
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            let (source, visitors) = self.source().await?;
            let mut stop = Stop::listen()?;
            let gateway = Gateway::listen(listen, source, Limits::default()).await;
            let gateway = gateway.with_context(|| {
                format!("cannot listen on {listen}; choose another address with --listen")
            })?;
            let gateway = match visitors {
                Some(visitors) => gateway.steered_by(visitors),
                None => gateway,
            };
            say(&format!("open http://{} in a browser; Ctrl-C ends it", gateway.local_addr()?));
            notify::ready();
            gateway.serve(stop.requested()).await;
            notify::stopping();
            anyhow::Ok(())
        });
        // Unfinished answers are given up.
        runtime.shutdown_timeout(END);
        ended.map(|()| ExitCode::SUCCESS)
    }

    /// Whom the pages ask, and how visitors steer, if they may.
    async fn source(&self) -> anyhow::Result<(Source, Option<Visitors>)> {
        let game = self.variant.game();
        if let Some(folder) = &self.whom.db {
            if self.steer {
                let remedy = "ask a coordinator, with --coordinator URL in the place of --db";
                let wrong = "a database has no searches, so there is nothing to steer";
                return Err(Usage(format!("{wrong}: {remedy}")).into());
            }
            let secret = seal::secret(folder)?;
            let replica = Arc::new(Replica::open(folder.clone(), secret, game)?);
            database::say_worth(folder, replica.worth());
            return Ok((Source::Database(replica), None));
        }
        let url = connect::asked(self.whom.coordinator.as_ref())?;
        let client = self.credentials.connect(&url).await?;
        // Who may not read learns it now, and not from the first page.
        client.clone().status().await?;
        let visitors = if self.steer { Some(self.credentials.visitors(&url).await?) } else { None };
        Ok((Source::Cluster(Box::new(client), game), visitors))
    }

    fn address(&self) -> anyhow::Result<SocketAddr> {
        let mut addresses = self.listen.to_socket_addrs().into_iter().flatten();
        let address = addresses.next().ok_or_else(|| {
            Usage(format!(
                "`{}` is not an address to listen on; write it like 127.0.0.1:7480",
                crate::failure::escaped(&self.listen)
            ))
        })?;
        Ok(address)
    }
}
