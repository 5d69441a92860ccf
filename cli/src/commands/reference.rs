//! `sprig reference`: the pages of the reference, for those who change Sprig.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::reference;

/// Write the pages of the reference
#[derive(Args)]
pub struct Reference {
    /// Folder of the pages
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write nothing; fail when a page is not what the code says
    #[arg(long)]
    check: bool,
}

impl Reference {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut stale = Vec::new();
        for (name, shall) in reference::pages()? {
            let path = self.folder.join(name);
            if fs::read_to_string(&path).is_ok_and(|is| is == shall) {
                continue;
            }
            if !self.check {
                fs::create_dir_all(&self.folder)
                    .and_then(|()| fs::write(&path, shall))
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
            stale.push(path.display().to_string());
        }
        let stale = stale.join(", ");
        anyhow::ensure!(
            !self.check || stale.is_empty(),
            "not what the code says: {stale}; `sprig reference {}` writes them",
            self.folder.display()
        );
        Ok(ExitCode::SUCCESS)
    }
}
