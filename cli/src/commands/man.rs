//! `sprig man`: manual pages.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use clap_mangen::Man;

use crate::help;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  sprig man | man -l -                   the page of sprig
  sprig man ~/.local/share/man/man1      a page for every command; then `man sprig-solve`";

/// Write the manual pages: one for each command
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Manual {
    /// Folder for sprig.1, sprig-solve.1 and so on; it is made where there is none [default: sprig.1 on standard output]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Manual {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match &self.folder {
            None => {
                let mut page = Vec::new();
                Man::new(help::command()).render(&mut page).context("cannot write the page")?;
                output::print(page)?;
            }
            Some(folder) => {
                let shown = folder.display();
                fs::create_dir_all(folder).with_context(|| format!("cannot make {shown}"))?;
                let written = clap_mangen::generate_to(help::command(), folder);
                written.with_context(|| format!("cannot write the pages to {shown}"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
