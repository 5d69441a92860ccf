//! The two things that people ask of a certificate: for whom it is, and until when. No decision of
//! trust rests on them, so nothing more is read.

#[cfg(feature = "coordinator")]
use anyhow::Context;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

/// Tags of DER, by the names of what they begin.
const SEQUENCE: u8 = 0x30;
const OBJECT_ID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

/// The extension that holds the names, 2.5.29.17.
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];

const DAY: i64 = 24 * 3600;

/// The fields of a certificate that are read.
pub struct Certificate {
    /// Host names and addresses of a server, or the name of a client.
    #[cfg_attr(
        not(feature = "coordinator"),
        expect(dead_code, reason = "only `certs` and `doctor` ask for whom it is")
    )]
    pub names: Vec<String>,
    /// When the certificate ends, in seconds since 1970.
    pub ends: i64,
}

#[cfg(feature = "coordinator")]
impl Certificate {
    /// Reads the first certificate of a PEM text.
    ///
    /// # Errors
    /// When the text holds none.
    pub fn read(pem: &str) -> anyhow::Result<Self> {
        let der =
            CertificateDer::from_pem_slice(pem.as_bytes()).context("it holds no certificate")?;
        parse(&der).context("it holds no certificate")
    }

    /// Whole days until the certificate ends, at `now` in seconds since 1970. Negative after its
    /// end.
    pub fn days_left(&self, now: i64) -> i64 {
        (self.ends - now).div_euclid(DAY)
    }
}

/// When the first certificate of a PEM text to end does so, in seconds since 1970. None if the text
/// holds none.
pub fn first_end(pem: &str) -> Option<i64> {
    let all = CertificateDer::pem_slice_iter(pem.as_bytes()).flatten();
    all.filter_map(|der| parse(&der)).map(|certificate| certificate.ends).min()
}

fn parse(der: &[u8]) -> Option<Certificate> {
    let signed = Der(der).expect(SEQUENCE)?;
    let mut fields = Der(Der(signed).expect(SEQUENCE)?);
    let first = fields.next()?;
    // All but the oldest certificates begin with a version. The number, the algorithm and the
    // issuer follow.
    let before = if first.0 == VERSION { 3 } else { 2 };
    for _ in 0..before {
        fields.next()?;
    }
    let mut validity = Der(fields.expect(SEQUENCE)?);
    validity.next()?;
    let ends = time(validity.next()?)?;
    let mut names = Vec::new();
    while let Some((tag, content)) = fields.next() {
        if tag == EXTENSIONS {
            names = alternative_names(Der(content).expect(SEQUENCE)?)?;
        }
    }
    Some(Certificate { names, ends })
}

fn alternative_names(extensions: &[u8]) -> Option<Vec<String>> {
    let mut extensions = Der(extensions);
    while let Some((_, extension)) = extensions.next() {
        let mut parts = Der(extension);
        if parts.expect(OBJECT_ID)? != ALTERNATIVE_NAMES {
            continue;
        }
        // A mark that the extension is critical may stand before its content.
        let mut last = parts.next()?;
        while let Some(part) = parts.next() {
            last = part;
        }
        let mut names = Der(Der(last.1).expect(SEQUENCE)?);
        let mut found = Vec::new();
        while let Some((tag, name)) = names.next() {
            found.extend(match tag {
                DNS_NAME => Some(String::from_utf8_lossy(name).into_owned()),
                IP_ADDRESS => address(name),
                _ => None,
            });
        }
        return Some(found);
    }
    Some(Vec::new())
}

fn address(bytes: &[u8]) -> Option<String> {
    let v4 = <[u8; 4]>::try_from(bytes).map(std::net::IpAddr::from);
    let any = v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(std::net::IpAddr::from));
    any.ok().map(|address| address.to_string())
}

/// A time `YYMMDDHHMMSSZ`, or with four digits of the year, as seconds since 1970.
fn time((tag, text): (u8, &[u8])) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (year, rest) = text.split_at_checked(if tag == UTC_TIME { 2 } else { 4 })?;
    let year: i64 = year.parse().ok()?;
    let year = match tag {
        UTC_TIME if year < 50 => 2000 + year,
        UTC_TIME => 1900 + year,
        _ => year,
    };
    let part = |at: usize| rest.get(at..at + 2)?.parse::<i64>().ok();
    let day = days(year, part(0)?, part(2)?);
    Some(day * DAY + part(4)? * 3600 + part(6)? * 60 + part(8)?)
}

/// Days from 1970 to a date. Years begin in March here, so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leaps + of_year - 719_468
}

/// Bytes that hold one field after the other, each with a tag, a length and its content.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&[tag, short], rest) = self.0.split_first_chunk()?;
        let (length, rest) = match short {
            0..0x80 => (usize::from(short), rest),
            _ => {
                let (bytes, rest) = rest.split_at_checked(usize::from(short & 0x7f))?;
                let length = bytes.iter().try_fold(0usize, |length, &byte| {
                    length.checked_mul(256)?.checked_add(byte.into())
                })?;
                (length, rest)
            }
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    fn expect(&mut self, expected: u8) -> Option<&'a [u8]> {
        self.next().filter(|&(tag, _)| tag == expected).map(|(_, content)| content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_1970() {
        for (date, expected) in
            [((1970, 1, 1), 0), ((2000, 3, 1), 11_017), ((2026, 11, 22), 20_779)]
        {
            assert_eq!(days(date.0, date.1, date.2), expected, "{date:?}");
        }
        assert_eq!(time((UTC_TIME, b"700102000001Z")), Some(DAY + 1));
        assert_eq!(time((0x18, b"20500101000000Z")), Some(days(2050, 1, 1) * DAY));
        assert_eq!(time((UTC_TIME, b"nonsense")), None);
    }

    #[test]
    fn names_and_end_are_those_that_were_signed() {
        let hosts = ["coordinator.example", "10.0.0.1", "::1"].map(str::to_owned);
        let mut params = rcgen::CertificateParams::new(hosts.to_vec()).expect("hosts");
        params.not_after = rcgen::date_time_ymd(2031, 2, 28);
        let key = rcgen::KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("signed").pem();
        let read = Certificate::read(&certificate).expect("a certificate");
        assert_eq!(read.names, hosts);
        assert_eq!(read.days_left(days(2031, 2, 27) * DAY), 1);
        assert_eq!(read.days_left(days(2031, 3, 1) * DAY), -1);
        params.not_after = rcgen::date_time_ymd(2029, 1, 1);
        let sooner = params.self_signed(&key).expect("signed").pem();
        assert_eq!(first_end(&format!("{certificate}{sooner}")), Some(days(2029, 1, 1) * DAY));
        assert_eq!(first_end(&key.serialize_pem()), None);
        assert!(Certificate::read("text").is_err());
        assert!(Certificate::read(&key.serialize_pem()).is_err());
    }
}
