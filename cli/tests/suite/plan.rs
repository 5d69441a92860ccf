//! Plans: what they rest on, and what is refused.
#![cfg(feature = "coordinator")]

use std::fs;

use crate::common::{answer, folder, json, refuses, root, text};

const PRICES: &str = "\
[machines.small]
cores = 2
memory = \"4G\"
price = \"0.10 EUR/h\"

[machines.large]
cores = 32
memory = \"128G\"
price = \"1.50 EUR/h\"
";

#[test]
fn a_plan_has_ranges_and_keeps_to_the_budget() {
    let folder = folder();
    let prices = text(folder.path().join("prices.toml"));
    fs::write(&prices, PRICES).expect("written");
    let plan =
        |more: &[&str]| json(&[&["plan", "53", "--prices", &prices, "--json"][..], more].concat());
    let all = plan(&[]);
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    for key in ["expansions", "core_hours", "memory"] {
        let [low, likely, high] = ["low", "likely", "high"].map(|end| number(&all[key][end]));
        assert!(0.0 < low && low < likely && likely < high, "{key}: {all}");
    }
    let offers = all["offers"].as_array().expect("offers");
    assert_eq!(offers.len(), 10, "1, 2, 4, 8 and 16 of each");
    let money = |offer: &serde_json::Value| number(&offer["money"]["likely"]);
    assert!(offers.is_sorted_by(|a, b| money(a) <= money(b)));
    // The fastest of all without a budget, and a slower one within less than that costs.
    let best = |plan: &serde_json::Value| {
        let place = plan["within_budget"].as_u64()?;
        Some(plan["offers"][place as usize].clone())
    };
    let fastest = best(&all).expect("there is one");
    let least = money(&offers[0]);
    let budget = format!("{:.6} EUR", (least + money(&fastest)) / 2.0);
    let within = best(&plan(&["--budget", &budget])).expect("the cheapest, at least");
    assert!(number(&within["hours"]["likely"]) > number(&fastest["hours"]["likely"]));
    let little = format!("{:.6} EUR", least / 2.0);
    assert_eq!(best(&plan(&["--budget", &little])), None);
    let said = answer(&["plan", "53", "--prices", &prices]);
    assert!(said.contains("  fastest\n") && !said.contains("budget"), "{said}");
    let said = answer(&["plan", "53", "--prices", &prices, "--budget", &budget]);
    assert!(said.contains("  fastest within the budget\n"), "{said}");
    // Small positions cost something, too.
    let said = answer(&["plan", "20", "--prices", &prices]);
    assert!(!said.contains("0.00 ("), "{said}");
    let said = answer(&["plan", "53", "--prices", &prices, "--budget", &little]);
    assert!(said.contains("nothing within the budget; at least"), "{said}");
}

#[test]
fn what_is_no_plan_is_refused_with_the_remedy() {
    let folder = folder();
    let path = folder.path().join("prices.toml");
    let prices = text(&path);
    fs::write(&path, PRICES).expect("written");
    refuses(&["plan", "53", "--prices", &prices, "--budget", "20 USD"], &["USD", "EUR"]);
    refuses(&["plan", "53", "--prices", &prices, "--budget", "20"], &["200 EUR"]);
    refuses(&["plan", "0*2.AB|AB", "--prices", &prices], &["start position"]);
    refuses(&["plan", "53", "--prices", &prices, "--measured", "25"], &["25=33568"]);
    fs::write(&path, PRICES.replace("cores", "cors")).expect("written");
    refuses(&["plan", "53", "--prices", &prices], &["unknown field `cors`", "[machines.small]"]);
    fs::write(&path, "").expect("written");
    refuses(&["plan", "53", "--prices", &prices], &["prices.toml: it has no machines", "--help"]);
    fs::write(&path, PRICES.replace("1.50 EUR/h", "36 EUR/day")).expect("written");
    refuses(&["plan", "53", "--prices", &prices], &["`large`", "0.17 EUR/h"]);
}

#[test]
fn what_a_plan_rests_on_stands_in_the_runs() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("it is there");
    let run = read("bench/runs/2026-11-26-alone.json");
    let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    let rows = run["rows"].as_array().expect("rows");
    let measured = read("campaign/src/measured.tsv");
    let lines: Vec<&str> = measured.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), rows.len());
    for (line, row) in lines.iter().zip(rows) {
        // Spots, expansions, CPU seconds and MB, in the order of the columns there.
        let cell = |column: usize| {
            row[column].as_str().map_or_else(|| row[column].to_string(), str::to_owned)
        };
        let there = [0, 2, 1, 3].map(cell).join("\t");
        assert_eq!(*line, there);
    }
}
