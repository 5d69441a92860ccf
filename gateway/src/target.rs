//! What a request asks for: the parts of its path and its parameters, decoded and checked.

use std::collections::BTreeMap;

use hyper::Uri;
use sprig_sketch::Point;

use crate::problem::{Kind, Problem};

/// Longest address that is answered, in bytes.
pub(crate) const LONGEST: usize = 4 << 10;

/// The path and the parameters of an address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The parts of the path between slashes.
    pub(crate) parts: Vec<String>,
    parameters: BTreeMap<String, String>,
}

impl Target {
    /// Reads an address.
    pub(crate) fn of(uri: &Uri) -> Result<Self, Problem> {
        let (path, query) = (uri.path(), uri.query().unwrap_or(""));
        if path.len() + query.len() > LONGEST {
            let detail = format!("it has {} bytes", path.len() + query.len());
            return Err(Problem::new(
                Kind::TooLong,
                detail,
                format!(
                    "keep it below {LONGEST} bytes; `sprig query` reads longer positions, `sprig pousse judge` longer records"
                ),
            ));
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        let parts = path.split('/').map(|part| decode(part, false)).collect::<Result<_, _>>()?;
        let mut parameters = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name, true)?, decode(value, true)?);
            if parameters.insert(name.clone(), value).is_some() {
                let detail = format!("the parameter `{}` is given twice", shown(&name));
                return Err(Problem::new(Kind::BadParameter, detail, "give it once"));
            }
        }
        Ok(Self { parts, parameters })
    }

    /// The value of a parameter.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Refuses parameters that are none of `known`.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), Problem> {
        let unknown = self.parameters.keys().find(|name| !known.contains(&name.as_str()));
        let Some(unknown) = unknown else { return Ok(()) };
        let remedy = match known {
            [] => "there are no parameters here; leave it out".to_owned(),
            _ => format!("the parameters here are: {}", known.join(", ")),
        };
        let detail = format!("there is no parameter `{}`", shown(unknown));
        Err(Problem::new(Kind::BadParameter, detail, remedy))
    }

    /// The meaning of a parameter that is one of `words`. Without the parameter it is the first.
    pub(crate) fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, Problem> {
        let Some(value) = self.value(name) else { return Ok(words[0].1) };
        let found = words.iter().find(|(word, _)| *word == value);
        found.map(|&(_, meant)| meant).ok_or_else(|| {
            let names: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            Problem::new(
                Kind::BadParameter,
                format!("`{name}` cannot be `{}`", shown(value)),
                format!("write one of: {}", names.join(", ")),
            )
        })
    }

    /// A parameter that is a number in a range. Without the parameter it is `usual`.
    pub(crate) fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<usize>,
        usual: usize,
    ) -> Result<usize, Problem> {
        let Some(value) = self.value(name) else { return Ok(usual) };
        let number = value.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            Problem::new(
                Kind::BadParameter,
                format!("`{name}` cannot be `{}`", shown(value)),
                format!("write a number from {} to {}", range.start(), range.end()),
            )
        })
    }

    /// Points `x,y;x,y;..` in units of a picture, as steps of the picture.
    pub(crate) fn points(&self, name: &str) -> Result<Vec<Point>, Problem> {
        Point::read_all(self.value(name).unwrap_or("")).ok_or_else(|| {
            let detail = format!("`{name}` is no curve");
            let remedy = "write points in units of the picture's viewBox, like 10,20.5;30,40";
            Problem::new(Kind::BadParameter, detail, remedy)
        })
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hexadecimal digits as bytes.
pub(crate) fn of_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| digit.try_into().ok())).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// The beginning of a text that a client has sent. Control characters are replaced.
pub(crate) fn shown(text: &str) -> String {
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut shown: String = text.chars().take(60).map(clean).collect();
    if shown.len() < text.len() && text.chars().count() > 60 {
        shown.push_str("..");
    }
    shown
}

/// A part of an address as text. In parameters a plus sign is a space, as forms write it.
fn decode(part: &str, is_parameter: bool) -> Result<String, Problem> {
    let wrong = |detail: &str| {
        let remedy = "write every other byte than letters and digits as `%` and two hexadecimal \
                      digits of its UTF-8";
        Problem::new(Kind::BadRequest, detail, remedy)
    };
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        bytes.push(match first {
            b'%' => {
                let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                let is_hex = |digits: &&str| digits.bytes().all(|d| d.is_ascii_hexdigit());
                let byte = digits.filter(is_hex).and_then(|d| u8::from_str_radix(d, 16).ok());
                rest = rest.get(2..).unwrap_or_default();
                byte.ok_or_else(|| wrong("a `%` without two hexadecimal digits"))?
            }
            b'+' if is_parameter => b' ',
            byte => *byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| wrong("its bytes are no UTF-8"))
}

/// A text as part of a path. Bars become tildes, which need no escape.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'|' => encoded.push('~'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'*' | b'+' | b'!' | b'-' | b'_' => {
                encoded.push(byte.into());
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(uri: &str) -> Result<Target, Problem> {
        Target::of(&uri.parse().expect("an address"))
    }

    #[test]
    fn an_address_falls_into_its_parts() {
        let read = target("/v1/positions/0*2.AB%7CAB/moves?limit=3&play=mis%65re").expect("sound");
        assert_eq!(read.parts, ["v1", "positions", "0*2.AB|AB", "moves"]);
        assert_eq!((read.value("limit"), read.value("play")), (Some("3"), Some("misere")));
        assert_eq!(target("/").expect("sound").parts, [""]);
        assert_eq!(target("/go?position=0*2+1").expect("sound").value("position"), Some("0*2 1"));
        assert!(read.only(&["limit"]).expect_err("play").detail.contains("`play`"));
    }

    #[test]
    fn what_is_no_address_is_refused_in_words() {
        for (uri, kind) in [
            ("/%", Kind::BadRequest),
            ("/%2", Kind::BadRequest),
            ("/%zz", Kind::BadRequest),
            ("/%+1", Kind::BadRequest),
            ("/%ff", Kind::BadRequest),
            ("/?a=1&a=2", Kind::BadParameter),
        ] {
            assert_eq!(target(uri).expect_err(uri).kind, kind, "{uri}");
        }
        let long = format!("/{}", "a".repeat(LONGEST + 1));
        assert_eq!(target(&long).expect_err("long").kind, Kind::TooLong);
    }

    #[test]
    fn what_is_encoded_is_read_back_but_for_bars() {
        for text in ["0*2.AB|AB", "0.1a1a+22", "!", "1,2;3/4", "0.0.AB.}AB.}]!", "0 ü\u{0}"] {
            let uri = format!("/{}", encode(text));
            assert_eq!(target(&uri).expect("sound").parts, [text.replace('|', "~")]);
        }
    }
}
