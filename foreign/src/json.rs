//! JSON Lines: one object a line, whose keys say what it is about. An object that is merely claimed
//! says so: `"claimed":true`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sprig_engine::Nimber;

use crate::error::Problem;
use crate::fields::{Field, Misfit, Names};
use crate::{Name, Record};

/// The objects there are.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Object {
    Nimber(NimberOf),
    Rct(RctOf),
    Tree(Tree),
    Loss(Loss),
}

/// `{"land":"0*3","nimber":1}`
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NimberOf {
    pub land: String,
    pub nimber: u64,
    /// Whether the writer had not checked it. A reader checks everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}

/// `{"land":"0*3","rct":"5b1c.."}`
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RctOf {
    pub land: String,
    pub rct: String,
    /// Whether the writer had not checked it. A reader checks everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}

/// `{"rct":"1c9a..","options":["77de.."]}`
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tree {
    pub rct: String,
    pub options: Vec<String>,
    /// Whether the writer had not checked it. A reader checks everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}

/// `{"loss":"0*8","one":true,"rcts":["1c9a.."]}`
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Loss {
    pub loss: String,
    pub one: bool,
    pub rcts: Vec<String>,
    /// Whether the writer had not checked it. A reader checks everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}

/// Reads a line.
pub(crate) fn read(line: &str) -> Result<Record, Misfit> {
    let object = serde_json::from_str(line).map_err(|error| match error.column() {
        // Without a column, the text is JSON, but none of the objects.
        0 => flaw(line),
        column => (column, Problem::Json("the line is not JSON".to_owned())),
    })?;
    let place = Place(line);
    Ok(match object {
        Object::Nimber(NimberOf { land, nimber, .. }) => {
            let wrong = |_| place.of(&nimber.to_string(), Problem::Nimber);
            Record::Nimber {
                position: place.position(&land)?,
                nimber: Nimber::new(nimber).map_err(wrong)?,
            }
        }
        Object::Rct(RctOf { land, rct, .. }) => {
            Record::Rct { position: place.position(&land)?, rct: place.name(&rct)? }
        }
        Object::Tree(Tree { rct, options, .. }) => {
            Record::Tree { rct: place.name(&rct)?, options: place.names(&options)? }
        }
        Object::Loss(Loss { loss, one, rcts, .. }) => {
            Record::Loss { position: place.position(&loss)?, one, rcts: place.names(&rcts)? }
        }
    })
}

/// What a key holds.
#[derive(Clone, Copy)]
enum Holds {
    Text,
    Texts,
    Number,
    Truth,
}

impl Holds {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Self::Number => value.is_u64(),
            Self::Truth => value.is_boolean(),
        }
    }

    /// What a value that does not fit is.
    fn missed(self) -> &'static str {
        match self {
            Self::Text => "no text",
            Self::Texts => "no list of texts",
            Self::Number => "no whole number from 0 on",
            Self::Truth => "neither true nor false",
        }
    }
}

/// The objects: the key that tells one from those below it, and all keys that it needs.
const OBJECTS: [(&str, &[(&str, Holds)]); 4] = [
    ("nimber", &[("land", Holds::Text), ("nimber", Holds::Number)]),
    ("options", &[("rct", Holds::Text), ("options", Holds::Texts)]),
    ("loss", &[("loss", Holds::Text), ("one", Holds::Truth), ("rcts", Holds::Texts)]),
    ("rct", &[("land", Holds::Text), ("rct", Holds::Text)]),
];

/// What is wrong with JSON that is none of the objects, and where.
fn flaw(line: &str) -> Misfit {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(line) else {
        return (1, Problem::Json("the line is no object".to_owned()));
    };
    let unclear = (1, Problem::Json("the keys and values make no fact".to_owned()));
    let Some((_, needed)) = OBJECTS.into_iter().find(|(key, _)| object.contains_key(*key)) else {
        return unclear;
    };
    let at = |key: &str, what: &str| {
        let column = Place(line).column(&format!("\"{key}\""));
        (column, Problem::Json(format!("`{key}` is {what}")))
    };
    let claimed = ("claimed", Holds::Truth);
    for &(key, holds) in needed.iter().chain([&claimed]) {
        match object.get(key) {
            Some(value) if !holds.fits(value) => return at(key, holds.missed()),
            None if key != claimed.0 => return at(key, "missing"),
            _ => {}
        }
    }
    let is_known = |name: &str| name == claimed.0 || needed.iter().any(|(key, _)| *key == name);
    let other = object.keys().find(|name| !is_known(name));
    other.map_or(unclear, |other| at(other, "no key of such a line"))
}

/// Finds the columns of values, which the parser does not tell.
struct Place<'a>(&'a str);

impl Place<'_> {
    fn column(&self, value: &str) -> usize {
        self.0.find(value).map_or(1, |at| self.0[..at].chars().count() + 1)
    }

    fn of(&self, value: &str, problem: impl FnOnce(String) -> Problem) -> Misfit {
        (self.column(value), problem(value.to_owned()))
    }

    fn position(&self, text: &str) -> Result<sprig_engine::Position, Misfit> {
        let position = Field::alone(text).position();
        position.map_err(|(column, problem)| (self.column(text) + column - 1, problem))
    }

    fn name(&self, text: &str) -> Result<Name, Misfit> {
        let name = Field::alone(text).name(Names::Keys);
        name.map_err(|(_, problem)| (self.column(text), problem))
    }

    fn names(&self, texts: &[String]) -> Result<Vec<Name>, Misfit> {
        texts.iter().map(|text| self.name(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_fact_is_named() {
        for (line, column, what) in [
            (r#"{"land":"0*3","nimber":"1"}"#, 15, "`nimber` is no whole number"),
            (r#"{"land":"0*3","nimber":-1}"#, 15, "`nimber` is no whole number from 0 on"),
            (r#"{"land":3,"nimber":1}"#, 2, "`land` is no text"),
            (r#"{"nimber":1}"#, 1, "`land` is missing"),
            (r#"{"land":"0","nimber":1,"x":1}"#, 24, "`x` is no key of such a line"),
            (r#"{"land":"0","nimber":1,"claimed":1}"#, 24, "`claimed` is neither true nor false"),
            (r#"{"rct":"00","options":[1]}"#, 13, "`options` is no list of texts"),
            (r#"{"land":"0","nimbr":1}"#, 1, "the keys and values make no fact"),
            ("[1]", 1, "the line is no object"),
            ("{\"land\":", 8, "the line is not JSON"),
        ] {
            let (at, problem) = read(line).expect_err("it is no fact");
            assert!(problem.to_string().starts_with(what), "{line}: {problem}");
            assert_eq!(at, column, "{line}: {problem}");
        }
    }
}
