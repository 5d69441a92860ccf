//! Impossible! in the browser: rows that can be met or not, rows to try, and games against the
//! program.

use crate::common::{Said, Server};
use fastrand::Rng;
use sprig_gateway::Limits;
use sprig_impossible::{Answer, Deal, Game, Player, Row, Table, read_table};

/// A table as it stands in an address.
fn in_address(table: &Table) -> String {
    table.to_string().trim_end().replace('\n', "/").replace(' ', "+")
}

/// Places from 0, as the parameters of a form.
fn in_form(turned: &[usize]) -> String {
    (1..).zip(turned).map(|(row, place)| format!("&t{row}={}", place + 1)).collect()
}

/// The page, with code between backticks.
fn seen(said: &Said) -> String {
    said.body.replace("<code>", "`").replace("</code>", "`")
}

#[test]
fn rows_are_answered() {
    let server = Server::start(Limits::default());
    let mut random = Rng::with_seed(1);
    let (mut possible, mut impossible) = (0, 0);
    for rows in (1..=17).chain([5; 8]) {
        let table = Deal::table(rows, &mut random);
        let said = server.get(&format!("/impossible?rows={}", in_address(&table)));
        assert_eq!(said.status, 200, "{table}: {}", said.body);
        let turned = said.body.matches("turn over ").count();
        match table.challenge() {
            Answer::Possible(_) => {
                assert!(said.body.contains("It can be met."), "{table}: {}", said.body);
                // One in each row, and one in the words about ways.
                assert_eq!(turned, rows + 1, "{table}: {}", said.body);
                assert_eq!(
                    said.body.matches("playing red turned").count()
                        + said.body.matches("playing black turned").count(),
                    rows,
                    "{table}"
                );
                possible += 1;
            }
            Answer::Impossible(core) => {
                assert!(
                    said.body.contains("<strong>Impossible!</strong>"),
                    "{table}: {}",
                    said.body
                );
                assert!(said.body.contains("none of the "), "{table}: {}", said.body);
                assert_eq!(said.body.matches("class=\"core\"").count(), core.rows.len());
                let steps = core.not_red.len() + core.not_black.len();
                assert_eq!(said.body.matches(" is turned over, so ").count(), steps, "{table}");
                assert_eq!(said.body.matches(" stays after all.").count(), 2, "{table}");
                impossible += 1;
            }
        }
        assert_eq!(said.body.matches("class=\"number\">Row ").count(), rows);
    }
    assert!(possible > 4 && impossible > 4, "{possible} {impossible}");
    let said = server.get("/impossible?rows=R3+B3+R0/B0+R3+B2").body;
    assert!(said.contains("1 of the 9 ways to turn over one card in each row meets it"), "{said}");
    assert!(said.contains("turn over black 3") && said.contains("turn over black 10"), "{said}");
    let said = server.get("/impossible?rows=").body;
    assert!(said.contains("It can be met.") && said.contains("no row on the table"), "{said}");
    let start = server.get("/").body;
    assert!(start.contains("href=\"/impossible\""), "the first page leads there");
    assert!(server.get("/about").body.contains("href=\"/impossible\""));
    let about = server.get("/impossible").body;
    assert!(
        about.contains("<h1>Impossible!</h1>") && about.contains("Can these rows be met?"),
        "{about}"
    );
}

#[test]
fn rows_are_dealt_as_by_the_command() {
    let server = Server::start(Limits::default());
    let said = server.get("/impossible?deal=6&seed=7");
    let table = Deal::table(6, &mut Rng::with_seed(7));
    // The rows stand in the form, to be changed.
    assert!(said.body.contains(&table.to_string()), "{table}: {}", said.body);
    for path in ["/impossible?deal=6&seed=&try=on", "/impossible?deal=6&try=on"] {
        let said = server.get(path);
        assert_eq!(said.status, 303, "{path}");
        let to = said.location().expect("a seed is chosen").to_owned();
        assert!(to.starts_with("/impossible?deal=6&seed=") && to.ends_with("&try=on"), "{to}");
        assert_eq!(server.get(&to).status, 200, "{to}");
    }
}

#[test]
fn a_visitor_can_try_first() {
    let server = Server::start(Limits::default());
    for (rows, turned, can) in [
        ("R3 B3 R0 / B0 R3 B2", [1, 0].to_vec(), true),
        ("R3 B3 R0 / B0 R3 B2", [2, 2].to_vec(), false),
        ("R3 B3 R0 / B0 R3 B2 / R2 B0 BQ", [1, 0, 0].to_vec(), false),
    ] {
        let table = read_table(rows).expect(rows);
        let path = format!("/impossible?rows={}&try=on", in_address(&table));
        let asked = server.get(&path).body;
        assert!(asked.contains("Can you meet it?") && !asked.contains("It can be met"), "{asked}");
        assert!(
            !asked.contains("Why it is impossible") && !asked.contains("turned over"),
            "{asked}"
        );
        assert_eq!(asked.matches("type=\"radio\"").count(), 3 * table.rows().len());
        let said = server.get(&(path.clone() + &in_form(&turned))).body;
        assert_eq!(said.contains("You meet it."), can, "{rows}: {said}");
        assert_eq!(said.contains("That does not meet it."), !can, "{rows}: {said}");
        assert_eq!(said.matches(" stays red in ").count(), table.clashes(&turned).len());
        assert!(said.contains("Show the answer"), "{said}");
        let said = server.get(&(path + "&t1=2"));
        assert_eq!(said.status, 400);
        assert!(said.body.contains("no card is turned over in row 2"), "{}", said.body);
    }
}

#[test]
fn bad_rows_and_games_are_refused_with_their_place() {
    let server = Server::start(Limits::default());
    for (query, parts) in [
        ("rows=R3+B3", &["Line 1, column 1", "this row has 2 cards", "<textarea"][..]),
        ("rows=R3+B3+R0%0D%0AX1+R1+R2", &["Line 2, column 1", "`X1` is no card"]),
        ("rows=%3Cb%3E+R1+R2", &["&lt;b&gt;", "is no card"]),
        ("rows=R1+R1+R1", &["column 7", "third time"]),
        ("deal=0", &["`deal`", "from 1 to 17"]),
        ("deal=18&seed=1", &["`deal`", "from 1 to 17"]),
        ("deal=2&seed=x", &["`seed`", "from 0 to 4294967295"]),
        ("deal=2&rows=", &["both given and dealt"]),
        ("rows=R1+R2+R3&t1=4", &["`t1`", "from 1 to 3"]),
        ("rows=R1+R2+R3&t1=1&t2=1", &["`t2` names a row that is not there"]),
        ("rows=&try=maybe", &["`try`", "off, on"]),
        ("row=R1", &["there is no parameter `row`"]),
    ] {
        let said = server.get(&format!("/impossible?{query}"));
        assert_eq!(said.status, 400, "{query}: {}", said.body);
        for part in parts {
            assert!(seen(&said).contains(part), "{query}: no {part} in {}", said.body);
        }
    }
    for (query, parts) in [
        ("seed=-1", &["`seed`", "from 0 to 4294967295"][..]),
        ("seed=1&begins=me", &["`begins`", "you, sprig"]),
        ("seed=1&bluff=101", &["`bluff`", "from 0 to 100"]),
        ("seed=1&minutes=61", &["`minutes`", "from 0 to 60"]),
        ("seed=1&rows=R3B3", &["row 1: ", "a row has three cards, not 2"]),
        ("seed=1&rows=R3B3XX", &["row 1: ", "`XX` is no card"]),
        ("seed=1&rows=%C3%BC%C3%BC%C3%BC", &["row 1: ", "is no card"]),
        ("seed=1&rows=R3R3B3.R3R3B3", &["row ", "is not held by its player"]),
        ("seed=1&say=impossible", &["there is no row of the program to challenge"]),
        ("seed=1&say=what", &["`say`"]),
        ("seed=1&c1=2", &["`c1`"]),
        ("seed=1&until=soon", &["`until`"]),
    ] {
        let said = server.get(&format!("/impossible/play?{query}"));
        assert_eq!(said.status, 400, "{query}: {}", said.body);
        for part in parts {
            assert!(seen(&said).contains(part), "{query}: no {part} in {}", said.body);
        }
    }
}

/// A game in the browser.
struct Played<'a> {
    server: &'a Server,
    /// The same game beside it.
    game: Game,
    /// Where the visitor is.
    path: String,
    said: Said,
}

impl<'a> Played<'a> {
    fn begin(server: &'a Server, seed: u64, begins: Player, more: &str) -> Self {
        let who = if begins == Player::Person { "you" } else { "sprig" };
        let path = format!("/impossible/play?seed={seed}&begins={who}{more}");
        let said = server.get(&path);
        let mut played = Self { server, game: Game::new(seed, begins), path, said };
        played.follow();
        played
    }

    fn go(&mut self, path: String) {
        self.said = self.server.get(&path);
        self.path = path;
        self.follow();
    }

    /// Goes where the server sends to, and lays what it has laid.
    fn follow(&mut self) {
        while self.said.status == 303 {
            self.path = self.said.location().expect("a place").to_owned();
            self.said = self.server.get(&self.path);
        }
        let rows = self
            .path
            .split("&rows=")
            .nth(1)
            .map_or("", |rest| rest.split('&').next().unwrap_or(""));
        let rows: Vec<&str> = rows.split('.').filter(|row| !row.is_empty()).collect();
        for row in &rows[self.game.table().rows().len()..] {
            let row =
                row.as_bytes().chunks(2).map(|card| std::str::from_utf8(card).expect("ASCII"));
            let row = read_table(&row.collect::<Vec<_>>().join(" ")).expect("a row").rows()[0];
            if self.game.to_lay() == Player::Program {
                assert_eq!(self.game.answer(), row, "as on the command line: {}", self.path);
            }
            assert!(self.game.lay(row), "{}", self.path);
        }
    }

    /// Chooses cards in the form of the page.
    fn choose(&mut self, row: &Row) {
        assert_eq!(self.said.status, 200, "{}: {}", self.path, self.said.body);
        let mut hand = self.game.hand().to_vec();
        hand.sort_by_key(|card| (card.value, card.colour));
        let mut names = Vec::new();
        for card in row {
            let place =
                (0..hand.len()).find(|place| hand[*place] == *card && !names.contains(place));
            names.push(place.expect("a card of the hand"));
        }
        let names: String = names.iter().map(|place| format!("&c{}=on", place + 1)).collect();
        self.go(format!("{}{names}&lay=on", self.base()));
    }

    /// The address of the rows, without what was said after them.
    fn base(&self) -> String {
        let end = self.path.find("&rows=").map_or(self.path.len(), |at| {
            self.path[at + 1..].find('&').map_or(self.path.len(), |next| at + 1 + next)
        });
        self.path[..end].to_owned()
    }

    /// Lays rows until the program challenges one or has none that is safe: `false`.
    fn until_challenged(&mut self) -> bool {
        loop {
            assert_eq!(self.said.status, 200, "{}: {}", self.path, self.said.body);
            if self.said.body.contains("Sprig says “Impossible!” to your row.") {
                return true;
            }
            assert!(self.said.body.contains("Your hand"), "{}: {}", self.path, self.said.body);
            if self.game.table().colours().is_none() {
                return false;
            }
            let left = sprig_impossible::Colourings::of(self.game.table());
            let hand = self.game.hand();
            let safe = sprig_impossible::safe_rows(&left, hand);
            let row = safe.first().copied().unwrap_or([hand[0], hand[1], hand[2]]);
            self.choose(&row);
        }
    }
}

#[test]
fn games_end_with_a_challenge_and_a_judgement() {
    let server = Server::start(Limits::default());
    let (mut met, mut failed, mut won) = (0, 0, 0);
    for seed in 0..24 {
        let begins = if seed % 2 == 0 { Player::Person } else { Player::Program };
        let mut played = Played::begin(&server, seed, begins, "&bluff=20&minutes=0");
        if !played.until_challenged() {
            // The last row is the program's, and impossible.
            played.go(played.base() + "&say=impossible");
            let said = &played.said.body;
            assert!(
                said.contains("You have won.") && said.contains("cannot meet your challenge"),
                "{said}"
            );
            won += 1;
            continue;
        }
        let table = played.game.table().clone();
        let before = played.base();
        match table.challenge() {
            Answer::Possible(turned) => {
                played.go(before.clone() + &in_form(&turned));
                let said = &played.said.body;
                assert!(
                    said.contains("You have won.") && said.contains("You meet the challenge"),
                    "{said}"
                );
                let wrong: Vec<usize> = turned.iter().map(|place| (place + 1) % 3).collect();
                if !table.clashes(&wrong).is_empty() {
                    played.go(before + &in_form(&wrong));
                    let said = &played.said.body;
                    assert!(
                        said.contains("Sprig has won.") && said.contains("stays red in"),
                        "{said}"
                    );
                    assert!(said.contains("How it can be met"), "{said}");
                }
                met += 1;
            }
            Answer::Impossible(_) => {
                played.go(before + &in_form(&vec![0; table.rows().len()]));
                let said = &played.said.body;
                assert!(
                    said.contains("Sprig has won.") && said.contains("Why it is impossible"),
                    "{said}"
                );
                failed += 1;
            }
        }
    }
    assert!(met > 2 && failed + won > 2, "{met} {failed} {won}");
}

#[test]
fn a_challenge_has_a_time_limit() {
    let server = Server::start(Limits::default());
    let mut played = Played::begin(&server, 2, Player::Person, "&bluff=100&minutes=3");
    assert!(played.until_challenged());
    assert!(played.path.contains("&until="), "the clock runs: {}", played.path);
    assert!(played.said.body.contains("You have until "), "{}", played.said.body);
    let (base, now) = (played.base(), played.path.clone());
    let Answer::Possible(turned) = played.game.table().challenge() else { panic!("a bluff") };
    // In time; then the clock does not count any more.
    played.go(now + &in_form(&turned));
    assert!(played.said.body.contains("You have won."), "{}", played.said.body);
    assert!(!played.path.contains("until") && played.path.contains("&turn="), "{}", played.path);
    // Late, whatever is turned over.
    for more in [String::new(), in_form(&turned)] {
        let said = server.get(&format!("{base}&until=1{more}")).body;
        assert!(said.contains("Sprig has won.") && said.contains("The time is up"), "{said}");
        assert!(said.contains("How it can be met"), "{said}");
    }
    let said = server.get(&format!("{base}&turn=none")).body;
    assert!(said.contains("Sprig has won.") && said.contains("nothing over"), "{said}");
    let said = server.get(&format!("{base}&turn=1"));
    assert_eq!(said.status, 400, "{}", said.body);
    assert!(said.body.contains(" rows, in their order; 1 came"), "{}", said.body);
    // No row follows a challenge.
    let said = server.get(&format!("{base}.R1R2R3"));
    assert!(said.status == 400 && said.body.contains("comes after a challenge"), "{}", said.body);
}

#[test]
fn a_row_takes_three_cards() {
    let server = Server::start(Limits::default());
    let said = server.get("/impossible/play?seed=&begins=you");
    let base = said.location().expect("a seed is chosen").to_owned();
    for (chosen, count) in
        [("&lay=on", 0), ("&c1=on&c3=on&lay=on", 2), ("&c1=on&c2=on&c3=on&c4=on", 4)]
    {
        let said = server.get(&format!("{base}{chosen}"));
        assert_eq!(said.status, 400, "{}", said.body);
        let words = format!("A row has three cards, not {count}.");
        assert!(said.body.contains(&words), "{chosen}: {}", said.body);
        // What was chosen is still chosen.
        assert_eq!(said.body.matches(" checked").count(), count, "{chosen}: {}", said.body);
    }
    let said = server.get("/impossible/play").body;
    assert!(said.contains("Who begins") && said.contains("Sprig challenges wrongly"), "{said}");
}
