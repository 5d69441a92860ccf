//! The document of the interface against the running server: every address of it is asked in many
//! ways, and every answer must be one that the document says.

use crate::common::Server;
use serde_json::{Value, json};
use sprig_gateway::Limits;

/// Positions, and texts that are none.
const POSITIONS: [&str; 16] = [
    "4",
    "0*2.AB~AB",
    "0*2%2B0*3",
    "!",
    "0*99",
    "1,2;3",
    "0.0.AB.%7DAB.%7D%5D!",
    "0*2.AX",
    "%20",
    "%F0%9F%8C%80",
    "999999999",
    "1ab2bc1ca",
    "0*40",
    "ABCD~AB~CD",
    "0*3@1",
    "1AB.1AB@-1~0",
];

/// What stands in paths, and what is tried there.
const PLACES: [(&str, &[&str]); 3] = [
    ("{position}", &POSITIONS),
    ("{job}", &["1", "2", "0", "x", "-1", "99999999999999999999", "%F0%9F%8C%80"]),
    ("{key}", &["00000000000000000000000000000000", "ff", "xyz", "%00", "%C3%A9"]),
];

/// Values of parameters that no schema names.
const STRANGE: [&str; 8] =
    ["", "0", "-1", "x", "99999999999999999999", "%00", "1,2;3,4", "-5,1e3;nan,inf"];

/// The schema that a reference names.
fn meant<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(path) => document.pointer(&path[1..]).unwrap_or_else(|| panic!("no {path}")),
        None => schema,
    }
}

/// Whether a value has what a schema requires of an object; where that is nothing, a text is meant.
fn is_meant(schema: &Value, value: &Value) -> bool {
    let Some(required) = schema["required"].as_array() else { return value.is_string() };
    required.iter().all(|name| value.get(name.as_str().expect("a name")).is_some())
}

/// Checks a value against a schema of the document.
pub fn check(document: &Value, schema: &Value, value: &Value, place: &str) {
    let schema = meant(document, schema);
    if let Some(kinds) = schema["oneOf"].as_array() {
        let kind = kinds.iter().find(|kind| is_meant(meant(document, kind), value));
        let kind = kind.unwrap_or_else(|| panic!("{place}: {value} is none of {kinds:?}"));
        return check(document, kind, value, place);
    }
    let known = [
        "type",
        "enum",
        "description",
        "minimum",
        "maximum",
        "minLength",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
        "additionalProperties",
    ];
    for key in schema.as_object().expect("an object").keys() {
        assert!(known.contains(&key.as_str()), "{place}: this test does not check `{key}`");
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{place}: `{other}`"),
    };
    assert!(
        types.iter().any(|t| is(t.as_str().expect("a name"))),
        "{place}: {value} is no {types:?}"
    );
    if let Some(values) = schema["enum"].as_array() {
        assert!(values.contains(value), "{place}: {value}");
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64()) {
        assert!(number >= least, "{place}: {value}");
    }
    if let (Some(most), Some(number)) = (schema["maximum"].as_f64(), value.as_f64()) {
        assert!(number <= most, "{place}: {value}");
    }
    if let Some(object) = value.as_object() {
        let properties = schema["properties"].as_object();
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        for (i, name) in required.iter().enumerate() {
            assert!(!required[..i].contains(name), "{place}: {name} is required twice");
            assert!(object.contains_key(name.as_str().expect("a name")), "{place}: no {name}");
        }
        for (name, value) in object {
            match properties.and_then(|properties| properties.get(name)) {
                Some(schema) => check(document, schema, value, &format!("{place}.{name}")),
                None => assert_ne!(schema["additionalProperties"], json!(false), "{place}.{name}"),
            }
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        check(document, &schema["items"], item, &format!("{place}[{number}]"));
    }
}

/// The values to try for a parameter of a query: those of its schema, and strange ones.
fn values(parameter: &Value) -> Vec<String> {
    let words = parameter["schema"]["enum"].as_array().into_iter().flatten();
    let words = words.map(|word| word.as_str().expect("a word").to_owned());
    words.chain(STRANGE.map(str::to_owned)).collect()
}

#[test]
fn every_answer_is_one_that_the_document_says() {
    let server = Server::start(Limits::default());
    let document = server.json("/v1/openapi.json");
    assert_eq!(document["openapi"], "3.1.0");
    let (mut answers, mut problems) = (0, 0);
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let get = &methods["get"];
        // Events have no end; `work.rs` listens to them.
        if get.is_null() || path == "/v1/events" {
            continue;
        }
        let parameters = get["parameters"].as_array().cloned().unwrap_or_default();
        let of_query = parameters.iter().filter(|parameter| parameter["in"] == "query");
        let mut queries = vec![String::new(), "?unknown=1".to_owned()];
        for parameter in of_query {
            let name = parameter["name"].as_str().expect("a name");
            queries.extend(values(parameter).iter().map(|value| format!("?{name}={value}")));
            let twice = format!("?{name}=1&{name}=1");
            queries.push(twice);
        }
        let subjects = PLACES.iter().find(|(place, _)| path.contains(place));
        let (place, subjects) = *subjects.unwrap_or(&("", &[""]));
        for subject in subjects {
            for query in &queries {
                let asked = match place {
                    "" => path.clone(),
                    place => path.replace(place, subject),
                } + query;
                let said = server.get(&asked);
                let status = said.status.to_string();
                let response = &get["responses"][&status];
                assert!(response.is_object(), "{asked}: status {status} is not in the document");
                let kind = said.header("content-type").expect("a type").split(';').next();
                let schema = &response["content"][kind.expect("a type")]["schema"];
                assert!(schema.is_object(), "{asked}: {kind:?} is not in the document");
                let is_json = kind.is_some_and(|kind| kind.ends_with("json"));
                let body = match is_json {
                    true => serde_json::from_str(&said.body).expect("JSON"),
                    false => Value::from(said.body.as_str()),
                };
                check(&document, schema, &body, &asked);
                match said.status {
                    200 => answers += 1,
                    _ => problems += 1,
                }
            }
        }
    }
    assert!(answers > 100 && problems > 100, "{answers} answers, {problems} problems");
}
