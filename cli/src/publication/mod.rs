//! A publication: a folder with verified facts and certificates in files, for everybody to fetch.
//!
//! `manifest.json` names every file with its size and SHA-256. A program that fetches a publication
//! believes neither the files nor the manifest: hashes find damage, and the facts are claims until
//! they are audited.

pub mod fetch;
pub mod http;
pub mod manifest;
pub mod page;
pub mod parts;

pub use manifest::{Certified, Facts, Manifest, Published};
