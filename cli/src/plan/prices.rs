//! The prices of machines, from a table that the user writes.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::failure::{Usage, escaped};
use crate::memory;

/// A larger file is no table of prices.
const LARGEST: u64 = 1 << 20;

/// What to do about a file that is no table of prices.
const REMEDY: &str = "write a section for each kind of machine, [machines.small] and so on, with cores, memory and \
                      price (`sprig plan --help` shows one)";

/// An amount of money: `200 EUR`.
#[derive(Clone, PartialEq, Debug)]
pub struct Money {
    pub amount: f64,
    /// The currency, three capital letters.
    pub currency: String,
}

impl FromStr for Money {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "money is an amount and a currency, as in `200 EUR`".to_owned();
        let (amount, currency) = text.trim().split_once(' ').ok_or_else(wrong)?;
        let is_currency = currency.len() == 3 && currency.bytes().all(|b| b.is_ascii_uppercase());
        let amount = amount.parse::<f64>().ok();
        let amount = amount.filter(|amount| amount.is_finite() && *amount > 0.0 && is_currency);
        Ok(Self { amount: amount.ok_or_else(wrong)?, currency: currency.to_owned() })
    }
}

/// One kind of machines.
#[derive(Clone, Debug)]
pub struct Machine {
    pub name: String,
    pub cores: u16,
    /// The memory of a machine, in bytes.
    pub memory: usize,
    /// The price of an hour.
    pub price: Money,
    /// The speed of a core, as a multiple of the speed of the measured cores.
    pub speed: f64,
}

/// The file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    machines: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    cores: u16,
    memory: String,
    price: String,
    #[serde(default = "one")]
    speed: f64,
}

fn one() -> f64 {
    1.0
}

/// Reads a table of prices.
///
/// # Errors
/// [`Usage`] with the place and the remedy.
pub fn read(path: &Path) -> anyhow::Result<Vec<Machine>> {
    let shown = path.display();
    let found = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
    ensure!(
        found.len() <= LARGEST,
        "{shown} is no table of prices: it has more than {LARGEST} bytes"
    );
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let machines = parse(&text).map_err(|what| Usage(format!("{shown}: {what}")))?;
    Ok(machines)
}

fn parse(text: &str) -> Result<Vec<Machine>, String> {
    let table: Table = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let what = error.message().lines().next().unwrap_or("it cannot be read");
        let what = match what.strip_prefix("missing field ") {
            Some(field) => format!("{field} is missing"),
            None => what.to_owned(),
        };
        format!("line {line}: {what}; {REMEDY}")
    })?;
    let machines = table.machines.into_iter().map(|(name, row)| machine(name, &row));
    let machines = machines.collect::<Result<Vec<_>, _>>()?;
    let Some(first) = machines.first() else { return Err(format!("it has no machines; {REMEDY}")) };
    let other = machines.iter().find(|machine| machine.price.currency != first.price.currency);
    match other {
        None => Ok(machines),
        Some(other) => Err(format!(
            "`{}` is paid in {} and `{}` in {}: write all prices in one currency",
            first.name, first.price.currency, other.name, other.price.currency
        )),
    }
}

fn machine(name: String, row: &Row) -> Result<Machine, String> {
    let shown = escaped(&name);
    let at = |what: &str, text: &str, remedy: String| {
        format!("{what} `{}` of `{shown}` cannot be used: {remedy}", escaped(text))
    };
    let Row { cores, memory: bytes, price: hourly, speed } = row;
    let (cores, speed) = (*cores, *speed);
    let memory = memory::parse(bytes).map_err(|remedy| at("memory", bytes, remedy))?;
    let remedy = || "a price is that of one hour, as in `0.17 EUR/h`".to_owned();
    let money = hourly.trim().strip_suffix("/h").ok_or_else(|| at("price", hourly, remedy()))?;
    let price = money.parse::<Money>().map_err(|_| at("price", hourly, remedy()))?;
    if cores == 0 {
        return Err(at("cores", "0", "a machine has at least one".into()));
    }
    if !(0.05..=20.0).contains(&speed) {
        let remedy = "it is a number like 0.8, of times as fast as the cores that were measured";
        return Err(at("speed", &speed.to_string(), remedy.into()));
    }
    Ok(Machine { name, cores, memory, price, speed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_an_amount_and_a_currency() {
        let money = "200 EUR".parse::<Money>().expect("money");
        assert_eq!(money, Money { amount: 200.0, currency: "EUR".into() });
        for other in ["200", "EUR 200", "200 euro", "-1 EUR", "0 EUR", "inf EUR", "200EUR", ""] {
            assert!(other.parse::<Money>().is_err(), "{other}");
        }
    }

    #[test]
    fn a_table_that_is_none_is_refused_with_the_remedy() {
        let good = "[machines.a]\ncores = 4\nmemory = \"8G\"\nprice = \"0.17 EUR/h\"\n";
        let read = parse(good).expect("a table");
        assert_eq!((read[0].cores, read[0].memory, read[0].speed), (4, 8 << 30, 1.0));
        for (from, to, says) in [
            ("cores = 4", "cors = 4", "unknown field `cors`"),
            ("cores = 4", "cores = 0", "at least one"),
            ("0.17 EUR/h", "0.17 EUR/day", "one hour"),
            ("0.17 EUR/h", "0.17 EUR", "one hour"),
            ("8G", "8 apples", "512M or 4G"),
            ("cores = 4", "cores = 4\nspeed = 1000.0", "times as fast"),
            ("[machines.a]", "[machine.a]", "unknown field `machine`"),
            ("cores = 4\n", "", "line 1: `cores` is missing; write a section"),
            ("memory = \"8G\"", "memory = ", "line 3: "),
        ] {
            let error = parse(&good.replace(from, to)).expect_err(to);
            assert!(error.contains(says) && !error.contains('\n'), "{to}: {error}");
        }
        for empty in ["", "[machines]", "# nothing\n"] {
            let error = parse(empty).expect_err("empty");
            assert!(error.starts_with("it has no machines; write a section"), "{error}");
        }
        let two = good.to_owned() + &good.replace("machines.a", "machines.b").replace("EUR", "USD");
        assert!(parse(&two).expect_err("two").contains("one currency"));
    }
}
