//! The primitives of every record: single bytes, variable-length integers, counted byte strings.

pub(crate) use sprig_domain::put_varint;
use sprig_domain::take_varint;

/// Bytes that do not follow the layout of their record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Malformed;

/// Appends the length of `bytes`, then `bytes`.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads a record from front to back.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(record: &'a [u8]) -> Self {
        Self(record)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        take_varint(&mut self.0).ok_or(Malformed)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn string(&mut self) -> Result<String, Malformed> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Malformed)
    }

    /// Requires that nothing is left.
    pub(crate) fn end(&self) -> Result<(), Malformed> {
        if self.is_empty() { Ok(()) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_or_overlong_records_are_malformed() {
        assert_eq!(Reader::new(&[0x80]).varint(), Err(Malformed));
        assert_eq!(Reader::new(&[3, 1, 2]).bytes(), Err(Malformed));
        assert_eq!(Reader::new(&[1, 0xff]).string(), Err(Malformed));
        assert_eq!(Reader::new(&[0]).end(), Err(Malformed));
    }
}
