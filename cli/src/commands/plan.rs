//! `sprig plan`: machines, hours and money for a start position.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_campaign::plan::{Effort, Estimate, Measured, effort, hours, measured};
use sprig_campaign::{MAX_SPOTS, is_predicted_win};

use crate::duration::in_words;
use crate::failure::Usage;
use crate::output::{self, Answer, Format};
use crate::plan::prices::{self, Machine, Money};
use crate::positions::OnePosition;
use crate::table::table;

/// Most digits after the point of an amount of money.
const MOST_DIGITS: usize = 9;

const EXAMPLES: &str = "\
Examples:
  sprig plan 53 --prices prices.toml --budget '20 EUR'
  sprig plan 49 --prices prices.toml --measured 43=1200000
                                         with what you have measured of its kind

A table of prices has a section for each kind of machine:
  [machines.small]
  cores = 4
  memory = \"8G\"
  price = \"0.17 EUR/h\"
  speed = 0.8                            times as fast as the cores that were measured: 0.27 divided by the
                                         CPU seconds that `sprig bench 23` takes there; 1 where it is not said";

/// Say what solving a start position may cost: machines, hours, money
///
/// It is judged by start positions that were solved with this program, and by races of several
/// workers. Each number has a range, outside of which it should be one time in ten; what was
/// measured on two cores and is said of a hundred has a wide one. The largest of several machines
/// holds the coordinator, too.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Plan {
    #[command(flatten)]
    position: OnePosition,
    /// Table of what machines cost, in TOML
    #[arg(long, value_name = "FILE")]
    prices: PathBuf,
    /// What it may cost, as in '200 EUR'
    #[arg(long, value_name = "MONEY")]
    budget: Option<Money>,
    /// Most machines of a kind
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=1024))]
    most: u16,
    /// A start position that you have solved from an empty database, and its expansions: they
    /// count, too
    #[arg(long, value_name = "SPOTS=EXPANSIONS", value_parser = known)]
    measured: Vec<Measured>,
    #[command(flatten)]
    format: Format,
}

fn known(text: &str) -> Result<Measured, String> {
    let parse = || {
        let (spots, expansions) = text.split_once('=')?;
        let (spots, expansions) = (spots.parse::<u16>().ok()?, expansions.parse::<u32>().ok()?);
        (2..=MAX_SPOTS).contains(&spots).then_some(())?;
        (expansions > 0).then_some((spots, expansions))
    };
    let (spots, expansions) =
        parse().ok_or("it is a number of spots and one of expansions, as in 25=33568")?;
    Ok(Measured { spots, expansions: expansions.into(), needs: None })
}

/// A plan. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Planned {
    position: String,
    /// The conjectured outcome.
    conjecture: &'static str,
    /// Whether this very position was measured.
    measured: bool,
    /// Spots of the measured start positions of its kind: those with the same remainder modulo 6.
    kin: Vec<u16>,
    expansions: Range,
    /// Hours of one core.
    core_hours: Range,
    /// Bytes that a search wants which never has to forget.
    memory: Range,
    /// Of all money here.
    currency: String,
    /// From the cheapest to the dearest.
    offers: Vec<Offer>,
    /// The fastest offer whose likely price is within the budget, by its place among the offers.
    within_budget: Option<usize>,
    /// Whether a budget was said. Without one, every offer is within it.
    #[serde(skip)]
    has_budget: bool,
}

/// Where a number lies, nine times in ten.
#[derive(Clone, Copy, Serialize, schemars::JsonSchema)]
pub struct Range {
    /// Less would be a surprise.
    low: f64,
    /// More is as likely as less.
    likely: f64,
    /// More would be a surprise.
    high: f64,
}

impl From<Estimate> for Range {
    fn from(estimate: Estimate) -> Self {
        Self { low: estimate.low(), likely: estimate.likely, high: estimate.high() }
    }
}

/// Some machines of one kind.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Offer {
    /// The kind of machines.
    machine: String,
    /// How many of them.
    count: u16,
    /// Cores of all together.
    cores: u32,
    /// Hours by the clock.
    hours: Range,
    /// What they cost.
    money: Range,
    /// Whether one machine likely has the memory for tables that never have to forget; with less, a
    /// search takes more expansions.
    has_memory: bool,
}

impl Offer {
    fn of(effort: &Effort, machine: &Machine, count: u16) -> Self {
        let cores = u32::from(machine.cores) * u32::from(count);
        let hours = hours(effort, f64::from(cores), machine.speed);
        let money = hours.scaled(machine.price.amount * f64::from(count));
        let has_memory = machine.memory as f64 >= effort.memory.likely;
        let (hours, money, machine) = (hours.into(), money.into(), machine.name.clone());
        Self { machine, count, cores, hours, money, has_memory }
    }
}

impl Answer for Planned {
    fn text(&self) -> String {
        let Self { position, conjecture, measured, kin, expansions, core_hours, memory, .. } = self;
        let kin: Vec<_> = kin.iter().map(u16::to_string).collect();
        let basis = if *measured { "it was measured itself" } else { "it was not measured" };
        let mut text = format!(
            "position    {position}, conjectured a {conjecture}\n\
             rests on    {} spots of its kind; {basis}\n\
             expansions  {}\none core    {}\nmemory      {}\n\n",
            kin.join(", "),
            in_range(*expansions, |n| format!("{n:.0}")),
            in_range(*core_hours, time),
            in_range(*memory, |bytes| format!("{:.0} MB", bytes / 1e6)),
        );
        let best = if self.has_budget { "fastest within the budget" } else { "fastest" };
        let rows = self.offers.iter().enumerate().map(|(place, offer)| {
            let note = match (self.within_budget == Some(place), offer.has_memory) {
                (true, true) => best.to_owned(),
                (true, false) => format!("{best}; short of memory"),
                (false, true) => String::new(),
                (false, false) => "short of memory".to_owned(),
            };
            [
                offer.machine.clone(),
                offer.count.to_string(),
                offer.cores.to_string(),
                in_range(offer.hours, time),
                in_range(offer.money, amount),
                note,
            ]
        });
        let heading = ["MACHINE", "COUNT", "CORES", "TIME", &self.currency, ""];
        text += &table(heading, &[], rows);
        text + &self.line() + "\n"
    }

    fn line(&self) -> String {
        let offer = self.within_budget.and_then(|place| self.offers.get(place));
        match (offer, self.offers.first()) {
            (Some(offer), _) => {
                let Offer { machine, count, hours, money, .. } = offer;
                let (time, money) = (time(hours.likely), amount(money.likely));
                format!("{}: {count} x {machine}, {time}, {money} {}", self.position, self.currency)
            }
            (None, Some(cheapest)) => {
                let (money, currency) = (amount(cheapest.money.likely), &self.currency);
                format!("{}: nothing within the budget; at least {money} {currency}", self.position)
            }
            (None, None) => format!("{}: no offers", self.position),
        }
    }
}

/// An amount of money for people: to the hundredth, and of small ones two digits.
fn amount(money: f64) -> String {
    let zeros = if money > 0.0 { (-money.log10()).ceil().max(0.0) as usize } else { 0 };
    format!("{money:.*}", (zeros + 1).clamp(2, MOST_DIGITS))
}

/// A duration for people.
fn time(hours: f64) -> String {
    in_words(hours * 3600.0)
}

fn in_range(range: Range, shown: impl Fn(f64) -> String) -> String {
    format!("{} ({} to {})", shown(range.likely), shown(range.low), shown(range.high))
}

impl Plan {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (_, position) = self.position.read_spots()?;
        let spots = (2..=MAX_SPOTS).find(|&spots| {
            sprig_engine::Position::start(spots.into()).to_string() == position.to_string()
        });
        let spots = spots.ok_or_else(|| {
            Usage(format!(
                "a plan is for a start position of 2 to {MAX_SPOTS} spots on the sphere, as in 53 or '0*53'; of others nothing was measured"
            ))
        })?;
        let machines = prices::read(&self.prices)?;
        let currency = machines[0].price.currency.clone();
        if let Some(budget) = self.budget.as_ref().filter(|budget| budget.currency != currency) {
            let text = format!(
                "the budget is in {} and the prices in {currency}: write both in one currency",
                budget.currency
            );
            return Err(Usage(text).into());
        }
        let known: Vec<_> = measured().into_iter().chain(self.measured.iter().copied()).collect();
        let effort = effort(spots, &known)?;
        let counts = || (0..).map(|power| 1_u16 << power).take_while(|&count| count <= self.most);
        let mut offers: Vec<_> = machines
            .iter()
            .flat_map(|machine| counts().map(|count| Offer::of(&effort, machine, count)))
            .collect();
        offers.sort_by(|a, b| a.money.likely.total_cmp(&b.money.likely));
        let most = self.budget.as_ref().map_or(f64::INFINITY, |budget| budget.amount);
        let fits = offers.iter().enumerate().filter(|(_, offer)| offer.money.likely <= most);
        let within_budget = fits
            .min_by(|(_, a), (_, b)| a.hours.likely.total_cmp(&b.hours.likely))
            .map(|(place, _)| place);
        let planned = Planned {
            position: format!("0*{spots}"),
            conjecture: if is_predicted_win(false, spots.into()) { "win" } else { "loss" },
            measured: effort.is_measured,
            kin: effort.kin,
            expansions: effort.expansions.into(),
            core_hours: effort.core_hours.into(),
            memory: effort.memory.into(),
            currency,
            offers,
            within_budget,
            has_budget: self.budget.is_some(),
        };
        output::answer(&self.format, &planned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_amounts_have_two_digits_as_well() {
        for (money, shown) in [
            (0.0, "0.00"),
            (1234.567, "1234.57"),
            (1.0, "1.00"),
            (0.3, "0.30"),
            (0.1, "0.10"),
            (0.034, "0.034"),
            (0.000_412, "0.00041"),
            (1e-30, "0.000000000"),
        ] {
            assert_eq!(amount(money), shown, "{money}");
        }
    }
}
