//! The page of what commands print with `--json`.

use super::keys::{Key, keys};
use super::markdown::{code, sentence, table};
use crate::commands as c;

const INTRO: &str = "\
# What programs read

With `--json`, standard output is JSON: one object on one line, and where there are several results one a line.
What goes wrong is an object, too ([errors](exit-codes.md)). Keys are added and never change their meaning. A path like
`moves[].child` is the key `child` in each object of the list `moves`.

";

/// Keys that mean the same in every answer.
const SHARED: &[(&str, &str)] = &[
    ("position", "the position as it was typed"),
    ("written", "the position as it was read, not reduced: the words of the moves refer to it"),
    ("canonical", "its canonical form"),
    ("play", "`normal`, or `misere`: who cannot move wins"),
    ("outcome", "`win` or `loss` for the player to move"),
    ("nimber", "the nimber, where it was asked for or follows"),
    ("expansions", "lands, or nodes of misère play, whose children were generated"),
    ("facts", "how many facts there are, were proved, or stand in the file"),
    ("lands", "lands, each in its canonical form; or how many"),
    ("seconds", "seconds by the clock"),
    ("bytes", "size in bytes"),
    ("game", "the game: `sprouts`, or a variant of it"),
    ("claim", "what is claimed: `win`, `loss` or `nimber N`"),
    ("base", "the base of a certificate of misère play"),
    ("move", "the move, in words"),
    ("child", "the position that it leads to, in its canonical form"),
    ("nimbers", "nimbers of lands"),
    ("trees", "reduced canonical trees"),
    ("rcts", "lands with their trees; or reduced canonical trees"),
    ("losses", "lost nodes of misère play"),
    ("verified", "what follows from verified facts"),
    ("claimed", "what is merely claimed"),
    ("key", "the content key of a tree; or the name of a seal key"),
    ("db", "the folder of the database"),
    ("name", "its name"),
    ("files", "how many files"),
    ("folder", "the folder"),
    ("file", "the file"),
    ("build", "the program: version and platform"),
    ("job", "the number of the job"),
    ("jobs", "jobs; or how many"),
    ("seed", "where the random numbers come from"),
    ("size", "rows and columns of the board"),
    ("board", "the board, row by row"),
    ("surface", "the surface: 0 the plane, G with G handles, -K with K cross-caps"),
    ("rct", "the tree as nested sets, or its key where these are too long"),
    ("canonical_trees", "canonical trees; or how many there are"),
    ("to_move", "who is to move"),
    ("proof", "the proof that was found"),
    ("checked", "whether it was read again and checked"),
    ("repeat", "what a repeated position means"),
    ("history", "what is known of earlier positions"),
    ("winner", "who wins, or has won"),
    ("event", "what happens"),
    ("bans", "who is not listened to any more"),
    ("workers", "connected workers; or how many work for the job"),
    ("recorded", "how much there is at least, as the record of the database says"),
];

/// Each command and the keys of its answer.
fn answers() -> Vec<(&'static str, Vec<Key>)> {
    vec![
        ("solve, nimber", keys::<crate::solved::Solved>()),
        ("campaign", keys::<crate::campaign::journal::Entry>()),
        ("campaign --list", keys::<crate::campaign::Listed>()),
        ("starts", keys::<c::starts::Table>()),
        ("plan", keys::<c::plan::Planned>()),
        ("moves", keys::<crate::ahead::Found>()),
        ("best", keys::<c::best::Chosen>()),
        ("query", keys::<c::query::Known>()),
        ("canon", keys::<c::canon::Canonical>()),
        ("children", keys::<c::children::Listed>()),
        ("length", keys::<c::length::Lasting>()),
        ("certify", keys::<c::certify::Certified>()),
        ("verify", keys::<c::verify::Verified>()),
        ("certificate text, certificate pack", keys::<c::certificate::Written>()),
        ("play-out", keys::<crate::strategy::Strategy>()),
        ("play", keys::<c::play::Event>()),
        ("replay", keys::<c::replay::Game>()),
        ("cards", keys::<c::cards::Laid>()),
        ("cards --games", keys::<c::cards_needed::Needed>()),
        ("import", keys::<crate::import::Report>()),
        ("export", keys::<c::export::Written>()),
        ("merge", keys::<c::merge::Merged>()),
        ("publish", keys::<c::publish::Made>()),
        ("fetch", keys::<c::fetch::Fetched>()),
        ("audit", keys::<c::audit::Audited>()),
        ("adopt", keys::<c::adopt::Adopted>()),
        ("db info", keys::<c::db::Info>()),
        ("db list", keys::<c::db::Page>()),
        ("db check", keys::<c::db::Sound>()),
        ("db compact", keys::<c::db::Compacted>()),
        ("db accept", keys::<c::db::Accepted>()),
        ("backup", keys::<c::backup::Made>()),
        ("restore", keys::<c::restore::Restored>()),
        ("promote", keys::<c::promote::Promoted>()),
        ("submit", keys::<c::submit::Told>()),
        ("status, drain", keys::<c::status::Cluster>()),
        ("workers", keys::<c::workers::Crew>()),
        ("jobs", keys::<c::jobs::Page>()),
        ("look", keys::<sprig_ask::SightRow>()),
        ("wish", keys::<sprig_ask::WishesRow>()),
        ("pause, resume, cancel, priority, budget, deadline", keys::<sprig_ask::JobRow>()),
        ("unban", keys::<c::unban::Lifted>()),
        ("certs", keys::<c::certs::Made>()),
        ("certs --check", keys::<c::certs::Checked>()),
        ("token", keys::<c::token::Made>()),
        ("token --list", keys::<c::token::Listed>()),
        ("token --revoke", keys::<c::token::TakenBack>()),
        ("invite", keys::<c::invite::Invited>()),
        ("credit", keys::<c::credit::Credits>()),
        ("doctor", keys::<c::doctor::Findings>()),
        ("hand-in", keys::<c::hand_in::Done>()),
        ("rct", keys::<c::rct::Found>()),
        ("rct-base", keys::<c::rct_base::Built>()),
        ("tree-counts", keys::<c::tree_counts::Counted>()),
        ("small-trees", keys::<c::small_trees::Counted>()),
        ("compare", keys::<c::compare::Compared>()),
        ("quotient", keys::<c::quotient::Found>()),
        ("node", keys::<c::node::Shown>()),
        ("brussels", keys::<c::brussels::Answered>()),
        ("antwerp", keys::<c::antwerp::Answered>()),
        ("surfaces", keys::<c::surfaces::Found>()),
        ("pousse judge", keys::<c::pousse::Judged>()),
        ("pousse solve", keys::<c::pousse::Solved>()),
        ("pousse best", keys::<c::pousse::Valued>()),
        ("impossible check", keys::<c::impossible::Checked>()),
        ("impossible deal", keys::<c::impossible::Dealt>()),
        ("impossible advise", keys::<c::impossible::Advising>()),
        ("impossible match", keys::<c::impossible_match::Matched>()),
        ("impossible ends", keys::<c::impossible_match::Ended>()),
        ("octal", keys::<c::octal::Found>()),
        ("octal --up-to", keys::<c::octal::Sequence>()),
        ("config show", keys::<c::config::Shown>()),
        ("bench", keys::<sprig_bench::Report>()),
        ("version", keys::<c::version::Versions>()),
    ]
}

pub fn page() -> String {
    let mut text = INTRO.trim_end().to_owned() + "\n";
    for (command, keys) in answers() {
        text += &format!("\n## {command}\n\n");
        let rows = keys.into_iter().map(|Key { path, kind, meaning }| {
            let last = path.rsplit('.').next().unwrap_or(&path);
            let shared = SHARED.iter().find(|(key, _)| *key == last);
            let shared = shared.map(|(_, shared)| *shared).filter(|_| meaning.is_empty());
            [code(&path), kind, sentence(shared.unwrap_or(&meaning))]
        });
        text += &table(["key", "holds", "meaning"], rows);
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::help;

    /// Every command that has `--json`.
    fn collect(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let path = format!("{path} {}", sub.get_name()).trim_start().to_owned();
            if sub.get_arguments().any(|arg| arg.get_long() == Some("json")) {
                found.push(path.clone());
            }
            collect(sub, &path, found);
        }
    }

    #[test]
    fn every_command_with_json_stands_here() {
        let mut root = help::command();
        root.build();
        let mut commands = Vec::new();
        collect(&root, "", &mut commands);
        assert!(commands.len() > 50, "{commands:?}");
        let answers = answers();
        let listed: Vec<_> = answers.iter().flat_map(|(names, _)| names.split(", ")).collect();
        for command in &commands {
            assert!(listed.contains(&command.as_str()), "add `{command}` to {}", file!());
        }
        for name in listed {
            let command = name.split(" --").next().unwrap_or(name);
            assert!(commands.iter().any(|known| known == command), "{name} is no command");
        }
    }

    #[test]
    fn every_key_has_a_meaning() {
        let mut silent = Vec::new();
        for (command, keys) in answers() {
            for Key { path, meaning, .. } in keys {
                let last = path.rsplit('.').next().unwrap_or(&path);
                let is_shared = SHARED.iter().any(|(key, _)| *key == last);
                if meaning.is_empty() && !is_shared {
                    silent.push(format!("{command}: {path}"));
                }
            }
        }
        assert!(silent.is_empty(), "say what these mean, above the field:\n{}", silent.join("\n"));
    }
}
