//! The runner with the real search, on games small enough for a test.

use std::process::Command;

use serde_json::Value;
use sprig_bench::plot::{Series, svg};
use sprig_bench::{Answer, Error, Job, Plan, Question, Report, peers, pool};
use sprig_engine::{CanonicalPosition, Position};

fn launch() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sprig-bench"));
    command.arg("serve");
    command
}

fn plan(positions: &[&str], question: Question) -> Plan {
    Plan {
        positions: positions.iter().map(ToString::to_string).collect(),
        question,
        cumulative: false,
        threads: vec![1],
        memory: Some(100 << 20),
        seconds: None,
        repeats: 1,
    }
}

fn measured(plan: Plan) -> Report {
    let mut report = Report::new("test", plan);
    report.measure(launch, |_, _| {}).expect("small games can be solved");
    report
}

fn answers(report: &Report) -> Vec<Option<Answer>> {
    report.records.iter().map(sprig_bench::Record::answer).collect()
}

#[test]
fn outcomes_are_right_with_any_number_of_threads_and_every_time() {
    let report = measured(Plan {
        threads: vec![1, 2],
        repeats: 2,
        ..plan(&["3", "4", "5", "6", "2.2+0*3"], Question::Outcome)
    });
    // Both lands of the last one are worth 1.
    let expected = [Answer::Win, Answer::Win, Answer::Win, Answer::Loss, Answer::Loss];
    assert_eq!(answers(&report), expected.map(|answer| [Some(answer); 2]).concat());
    let places: Vec<_> = report.records.iter().map(|r| (&r.position[..], r.threads)).collect();
    assert_eq!(places[..4], [("3", 1), ("3", 2), ("4", 1), ("4", 2)]);
    for record in &report.records {
        assert_eq!(record.runs.len(), 2);
        assert!(record.runs.iter().all(|run| run.expansions > 0 && run.children >= run.expansions));
        assert!(record.runs.iter().all(|run| run.lands > 0 && run.bytes > 0 && run.facts > 0));
        assert!(record.runs.iter().all(|run| run.cpu_seconds > 0.0 && run.wall_seconds > 0.0));
    }
}

#[test]
fn tables_have_a_row_for_each_record_and_a_line_for_each_number_of_threads() {
    let report =
        measured(Plan { threads: vec![1, 2], ..plan(&["6", "0*2.AB|AB"], Question::Outcome) });
    let table = report.to_string();
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    assert_eq!(table.lines().filter(|line| cells(line) == 16).count(), 2 + 4, "{table}");
    assert!(table.contains("| 0*2.AB\\|AB |"), "{table}");
    assert!(
        table.contains("\n1 thread, 2 decided: ") && table.contains("\n2 threads, 2 decided: "),
        "{table}"
    );
    assert!(table.ends_with(" x one thread by the clock\n"), "{table}");
}

#[test]
fn nimbers_are_right() {
    let report = measured(plan(&["2", "3", "4", "5", "6"], Question::Nimber));
    let expected = [0, 1, 1, 1, 0].map(|nimber| Some(Answer::Nimber(nimber)));
    assert_eq!(answers(&report), expected);
}

#[test]
fn one_solver_profits_from_what_it_solved_before() {
    let twice = plan(&["6", "6"], Question::Outcome);
    let cumulative = measured(Plan { cumulative: true, ..twice.clone() });
    let expansions = |report: &Report| -> Vec<_> {
        report.records.iter().map(|r| r.runs[0].expansions).collect()
    };
    assert_eq!(expansions(&cumulative)[1], 0);
    let separate = expansions(&measured(twice));
    assert_eq!(separate, [expansions(&cumulative)[0]; 2]);
}

#[test]
fn a_deadline_leaves_a_position_open() {
    let report = measured(Plan { seconds: Some(0), ..plan(&["30"], Question::Outcome) });
    assert_eq!(answers(&report), [Some(Answer::Open)]);
}

#[test]
fn reports_are_json_of_a_fixed_shape() {
    let report = measured(plan(&["5"], Question::Outcome));
    let json = serde_json::to_value(&report).expect("a report is data");
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(keys(&json), ["cores", "label", "plan", "processor", "records"]);
    assert_eq!(
        keys(&json["plan"]),
        ["cumulative", "memory", "positions", "question", "repeats", "seconds", "threads"]
    );
    assert_eq!(keys(&json["records"][0]), ["position", "runs", "threads"]);
    assert_eq!(
        keys(&json["records"][0]["runs"][0]),
        [
            "answer",
            "bytes",
            "children",
            "collections",
            "cpu_seconds",
            "expansions",
            "facts",
            "lands",
            "load",
            "peak_bytes",
            "wall_seconds",
        ]
    );
    assert_eq!(json["plan"]["question"], "outcome");
    assert_eq!(json["records"][0]["runs"][0]["answer"], "win");
    assert_eq!(serde_json::from_value::<Report>(json).expect("the same shape"), report);
}

#[test]
fn bad_positions_are_refused_before_anything_runs() {
    for text in ["x", "", "0*400", "99999999999999999999999"] {
        let mut report = Report::new("test", plan(&["3", text], Question::Outcome));
        let result = report.measure(|| unreachable!("nothing may be started"), |_, _| {});
        assert!(matches!(result, Err(Error::Position { .. })), "{text}: {result:?}");
    }
}

#[test]
fn what_was_measured_before_a_failure_is_kept() {
    let mut report = Report::new("test", plan(&["3", "4"], Question::Outcome));
    let launches = std::cell::Cell::new(0);
    let launch_once = || {
        launches.set(launches.get() + 1);
        if launches.get() == 1 { launch() } else { Command::new("false") }
    };
    let error = report.measure(launch_once, |_, _| {}).expect_err("`false` solves nothing");
    assert!(error.to_string().starts_with("the measuring process failed on 4: "), "{error}");
    assert_eq!(answers(&report), [Some(Answer::Win), None]);
    assert_eq!(report.to_string().lines().filter(|line| line.starts_with("| 3 ")).count(), 0);
}

#[test]
fn too_little_memory_is_a_failure_of_the_process() {
    let job = Job {
        positions: vec!["8".into()],
        question: Question::Outcome,
        threads: 1,
        memory: Some(0),
        seconds: None,
    };
    let result = job.delegate(launch(), |_| {});
    assert!(matches!(result, Err(Error::Failed { .. })), "{result:?}");
}

#[test]
fn drawings_show_every_point_and_escape_names() {
    let mut series: Vec<Series> = peers::peers().into_iter().map(Series::from).collect();
    let mut report = measured(plan(&["3", "4", "0*2.AB|AB"], Question::Outcome));
    report.label = "a<b".into();
    series.push(Series::from(&report));
    assert_eq!(series[2].seconds.keys().copied().collect::<Vec<_>>(), [3, 4]);
    let drawing = svg(&series, "who <measured>");
    let points: usize = series.iter().map(|series| series.seconds.len()).sum();
    assert_eq!(drawing.matches("<circle").count(), points);
    assert!(drawing.contains("a&lt;b</text>") && drawing.contains("SPOTS</text>"));
    assert!(drawing.contains("who &lt;measured>"));
}

#[test]
fn the_pool_is_the_same_every_time() {
    let pool = pool::lands(100);
    assert_eq!(pool.len(), 100);
    assert_eq!(pool, pool::lands(100));
    for land in pool {
        assert!(land.lives() >= 6);
        let position = Position(vec![land]);
        assert_eq!(CanonicalPosition::of(&position).lands().len(), 1, "{position}");
    }
}
