//! The pages show what was measured.

use std::fs;
use std::path::Path;

use sprig_bench::pages::{PageError, pages};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root of the repository")
}

#[test]
fn tables_and_charts_are_of_todays_data() {
    let pages = pages(root()).expect("every page can be rendered");
    assert!(pages.len() > 8, "{} pages", pages.len());
    for page in pages {
        assert_eq!(
            page.is,
            page.shall,
            "{} is stale; `cargo run --release -p sprig-bench -- pages` renders it",
            page.path.display()
        );
    }
}

/// What the front page says is the mean of the table.
#[test]
fn the_headline_is_the_mean_of_its_table() {
    let data = fs::read_to_string(root().join("bench/runs/2026-11-22-peers.json"));
    let data: serde_json::Value = serde_json::from_str(&data.expect("it is there")).expect("JSON");
    let ratios = data["rows"].as_array().expect("rows").iter();
    let logs: Vec<f64> = ratios.map(|row| row[2].as_f64().expect("a ratio").ln()).collect();
    let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp().round();
    let page = |name| fs::read_to_string(root().join(name)).expect("it is there");
    assert!(page("README.md").contains(&format!("a {mean}th of the CPU time of SPOTS")));
    assert!(page("docs/performance.md").contains(&format!("is **{mean}**")));
}

#[test]
fn another_figure_makes_a_page_stale() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path().join("bench/runs");
    fs::create_dir_all(&runs).expect("made");
    fs::copy(root().join("bench/runs/2026-11-22-chart.json"), runs.join("2026-11-22-chart.json"))
        .expect("copied");
    let data =
        r#"{"machine": "M", "load": 1.5, "commit": "abc", "columns": ["n"], "rows": [[1000]]}"#;
    fs::write(runs.join("x.json"), data).expect("written");
    let page = folder.path().join("page.md");
    fs::write(&page, "# P\n<!-- runs: x.json -->\n<!-- /runs -->\nend\n").expect("written");
    let rendered = || {
        let pages = pages(folder.path()).expect("it can be rendered");
        pages.into_iter().find(|found| found.path == page).expect("it has a table")
    };
    let first = rendered();
    let table = "| n |\n| --: |\n| 1,000 |\n\nData: [x.json](bench/runs/x.json); M; load 1.50; commit abc.\n";
    assert_eq!(
        first.shall,
        format!("# P\n<!-- runs: x.json -->\n\n{table}\n<!-- /runs -->\nend\n")
    );
    fs::write(&page, &first.shall).expect("written");
    assert_eq!(rendered().is, rendered().shall);
    fs::write(runs.join("x.json"), data.replace("1000", "1001")).expect("written");
    assert_ne!(rendered().is, rendered().shall);
}

#[test]
fn what_cannot_be_shown_names_the_line() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("bench/runs")).expect("made");
    fs::write(folder.path().join("bench/runs/x.json"), "[{\"a\": 1}]").expect("written");
    for (asked, said) in [
        ("missing.json", "page.md, line 2: cannot read"),
        ("x.json b", "page.md, line 2: no row has `b`"),
        ("x.json /7", "page.md, line 2: x.json has nothing at `/7`"),
        ("a", "page.md, line 2: name a file of bench/runs"),
    ] {
        let text = format!("\n<!-- runs: {asked} -->\n<!-- /runs -->\n");
        fs::write(folder.path().join("page.md"), text).expect("written");
        let error = pages(folder.path()).err().expect("refused").to_string();
        assert!(error.starts_with(said), "{asked}: {error}");
    }
    fs::write(folder.path().join("page.md"), "<!-- runs: x.json -->\n").expect("written");
    assert!(matches!(pages(folder.path()), Err(PageError::Open { line: 1, .. })));
}
