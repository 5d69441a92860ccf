//! JSON Lines: one object a line, whose keys say what it is about. An object that is merely claimed
//! says so: `"claimed":true`.

use serde::{Deserialize, Serialize};
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
    let object = serde_json::from_str(line).map_err(|error| {
        let column = error.column();
        // Without a column, the text is JSON, but none of the objects.
        (column.max(1), Problem::Json { is_json: column == 0 })
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
