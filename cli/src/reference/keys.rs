//! The keys of JSON objects, from the declarations that serde reads.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// A key of an answer.
pub struct Key {
    /// The path to the key: `moves[].child` is in each object of the list `moves`.
    pub path: String,
    /// The kind of its value.
    pub kind: String,
    /// The meaning of its value. Empty if the declaration gives none.
    pub meaning: String,
}

/// The keys of the JSON that a type becomes, sorted by name.
pub fn keys<T: JsonSchema>() -> Vec<Key> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut keys = Vec::new();
    collect(schema.as_value(), "", "", &mut keys);
    keys
}

/// Collects keys. A case of an enum with a single key lends its words to that key, if the key has
/// none.
fn collect(schema: &Value, path: &str, case: &str, keys: &mut Vec<Key>) {
    for (name, property) in properties(schema) {
        let path = format!("{path}{name}");
        let meaning = property["description"].as_str().unwrap_or(case).to_owned();
        let kind = kind(property);
        match keys.iter_mut().find(|key| key.path == path) {
            // If a key has other words in another case, both stand beside each other.
            Some(key) if kind.starts_with('`') && !key.kind.contains(&kind) => {
                key.kind += &format!(", {kind}");
            }
            Some(_) => {}
            None => keys.push(Key { path: path.clone(), kind, meaning }),
        }
        let inner = something(property);
        match inner.get("items") {
            Some(items) => collect(something(items), &format!("{path}[]."), "", keys),
            None => collect(inner, &format!("{path}."), "", keys),
        }
    }
    for variant in variants(schema) {
        let is_alone = properties(variant).count() == 1;
        let case = variant["description"].as_str().filter(|_| is_alone).unwrap_or_default();
        collect(variant, path, case, keys);
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// The schemas that a value may have, without null.
fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists =
        ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
    lists.flatten().filter(|variant| variant["type"] != "null")
}

/// The only schema besides null, or else the schema itself.
fn something(schema: &Value) -> &Value {
    let mut some = variants(schema);
    match (some.next(), some.next()) {
        (Some(only), None) if schema.get("properties").is_none() => only,
        _ => schema,
    }
}

fn kind(schema: &Value) -> String {
    let none = match &schema["type"] {
        Value::Array(types) => types.iter().any(|one| one == "null"),
        _ => ["oneOf", "anyOf"]
            .into_iter()
            .filter_map(|key| schema.get(key)?.as_array())
            .any(|list| list.iter().any(|variant| variant["type"] == "null")),
    };
    let inner = something(schema);
    let text = if let Some(word) = inner.get("const").and_then(Value::as_str) {
        format!("`{word}`")
    } else if let Some(words) = words(inner) {
        words
    } else if inner.get("$ref").is_some() {
        "such an object".to_owned()
    } else if let Some(list) = inner.get("prefixItems").and_then(Value::as_array) {
        let kinds: Vec<_> = list.iter().map(kind).collect();
        format!("list: {}", kinds.join(", "))
    } else {
        match word(&inner["type"]) {
            "integer" | "number" => "number".to_owned(),
            "array" => inner
                .get("items")
                .map_or("list".to_owned(), |items| format!("list of {}", plural(&kind(items)))),
            "object" if inner.get("additionalProperties").is_some_and(Value::is_object) => {
                format!("object of {}", plural(&kind(&inner["additionalProperties"])))
            }
            "" => "object".to_owned(),
            other => other.to_owned(),
        }
    };
    if none { format!("{text} or `null`") } else { text }
}

/// The words that an enum can become.
fn words(schema: &Value) -> Option<String> {
    let consts = variants(schema).filter_map(|variant| variant.get("const")?.as_str());
    let mut words: Vec<String> = consts.map(|word| format!("`{word}`")).collect();
    let list = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    words.extend(list.filter_map(Value::as_str).map(|word| format!("`{word}`")));
    (!words.is_empty()).then(|| words.join(", "))
}

fn word(kind: &Value) -> &str {
    match kind {
        Value::String(word) => word,
        Value::Array(words) => {
            words.iter().filter_map(Value::as_str).find(|word| *word != "null").unwrap_or_default()
        }
        _ => "",
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "string" | "number" | "object" | "boolean" | "list" => format!("{kind}s"),
        other => other.replacen("list of", "lists of", 1),
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Outer {
        /// What it is.
        name: Option<String>,
        list: Vec<Inner>,
        #[serde(flatten)]
        flat: Flat,
    }

    #[derive(Serialize, JsonSchema)]
    struct Inner {
        count: u64,
    }

    #[derive(Serialize, JsonSchema)]
    struct Flat {
        #[serde(rename = "move")]
        words: [usize; 2],
    }

    #[test]
    fn keys_are_those_of_the_object() {
        let found = keys::<Outer>();
        let found: Vec<_> =
            found.iter().map(|k| (&k.path[..], &k.kind[..], &k.meaning[..])).collect();
        assert_eq!(
            found,
            [
                ("list", "list of objects", ""),
                ("list[].count", "number", ""),
                ("move", "list of numbers", ""),
                ("name", "string or `null`", "What it is."),
            ]
        );
    }
}
