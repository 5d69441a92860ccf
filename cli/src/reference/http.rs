//! The page of what programs can ask of the explorer, from its OpenAPI document.

use serde_json::Value;

use super::markdown::{code, sentence, table};

const DOCUMENT: &str = include_str!("../../../gateway/assets/openapi.json");

const INTRO: &str = "\
# HTTP

The interface of `sprig explore` for programs, from the OpenAPI document that it serves as `/v1/openapi.json`, which has
the shape of every answer. [The explorer](../explorer.md) says how to use it.

";

pub fn page() -> String {
    let document: Value = serde_json::from_str(DOCUMENT).expect("a test reads it");
    let empty = serde_json::Map::new();
    let paths = document["paths"].as_object().unwrap_or(&empty);
    let rows = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.filter(|(method, _)| ["get", "post", "delete"].contains(&method.as_str())).map(
            move |(method, call)| {
                let words = |key: &str| call[key].as_str().unwrap_or_default();
                let about = [words("summary"), words("description")].join(" ");
                let parameters = call["parameters"].as_array().into_iter().flatten();
                let parameters = parameters.filter_map(|parameter| {
                    let name = parameter["name"].as_str().or(parameter["$ref"].as_str())?;
                    Some(code(name.rsplit('/').next().unwrap_or(name)))
                });
                [
                    code(&format!("{} {path}", method.to_uppercase())),
                    parameters.collect::<Vec<_>>().join(", "),
                    sentence(&about),
                ]
            },
        )
    });
    INTRO.to_owned() + &table(["call", "parameters", "answers"], rows)
}
