//! The result of an import.

use std::time::Instant;

use serde::Serialize;
use sprig_ask::plural;

use super::Plan;
use crate::output::Answer;

/// Most complaints that are printed. The others are counted.
const COMPLAINTS: u64 = 20;

/// Counts, which are also the keys of the JSON object. Complaints go to standard error as they come up.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Report<'a> {
    /// Lines read, without headers.
    lines: u64,
    /// Different claims: lines that say the same in other words count once.
    claims: u64,
    /// Claims that the database knew.
    pub known: u64,
    /// Claims that follow from others, taken in.
    pub followed: u64,
    /// Claims proved by a search, taken in.
    pub searched: u64,
    /// Claims outside the sample, left out.
    pub unchecked: u64,
    /// Claims that are false.
    pub wrong: u64,
    /// Claims that contradict another of the files, or the database.
    pub contradictions: u64,
    /// Claims that could neither be proved nor refuted, and were left out.
    pub undecided: u64,
    /// Wall time.
    seconds: f64,
    #[serde(skip)]
    plan: &'a Plan,
    #[serde(skip)]
    begin: Instant,
    #[serde(skip)]
    complaints: u64,
}

impl<'a> Report<'a> {
    pub fn new(plan: &'a Plan, lines: u64, begin: Instant) -> Self {
        Self {
            lines,
            claims: 0,
            known: 0,
            followed: 0,
            searched: 0,
            unchecked: 0,
            wrong: 0,
            contradictions: 0,
            undecided: 0,
            seconds: 0.0,
            plan,
            begin,
            complaints: 0,
        }
    }

    /// Reports what is wrong with the claim at a place.
    pub fn complain(&mut self, place: u64, what: &str) {
        self.complaints += 1;
        if self.complaints <= COMPLAINTS {
            remark!("sprig: {}: {what}", self.plan.place(place));
        }
    }

    /// Completes the report.
    pub fn end(&mut self) {
        self.claims = self.known
            + self.followed
            + self.searched
            + self.unchecked
            + self.wrong
            + self.contradictions
            + self.undecided;
        self.seconds = (self.begin.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        if self.complaints > COMPLAINTS {
            remark!("sprig: and {} more", self.complaints - COMPLAINTS);
        }
    }

    /// Whether every claim is true, as far as claims were checked.
    pub fn is_clean(&self) -> bool {
        self.wrong + self.contradictions + self.undecided == 0
    }
}

impl Answer for Report<'_> {
    fn text(&self) -> String {
        let rows = [
            ("lines", self.lines),
            ("claims", self.claims),
            ("known before", self.known),
            ("checked by step", self.followed),
            ("proved by search", self.searched),
            ("left unchecked", self.unchecked),
            ("wrong", self.wrong),
            ("contradictions", self.contradictions),
            ("undecided", self.undecided),
        ];
        let rows = rows.iter().map(|(what, count)| format!("{what:18}{count}\n"));
        rows.collect::<String>() + &format!("{:18}{:.2}\n", "seconds", self.seconds)
    }

    fn line(&self) -> String {
        let claims = plural(self.claims, "claim");
        format!("{} of {claims} taken in", self.followed + self.searched)
    }
}
