//! The compact form, which earlier versions wrote and which is still read: the text, coded bit by
//! bit by how likely the [`Model`] finds each.
//!
//! A carryless range coder (Martin 1979, in the binary form of Mahoney's lpaq): an interval of
//! 32-bit numbers is divided at every bit in proportion to its probabilities; the leading bytes on
//! which both ends agree are written out.

use std::io::{self, Read};

use crate::model::Model;

/// Reads what earlier versions have coded.
pub(crate) struct Decoder<R> {
    model: Model,
    low: u32,
    high: u32,
    code: u32,
    /// Bytes still to come.
    left: u64,
    source: R,
}

impl<R: Read> Decoder<R> {
    /// Reads `length` bytes of text that were coded into `source`.
    pub fn new(mut source: R, length: u64) -> io::Result<Self> {
        let mut code = [0; 4];
        source.read_exact(&mut code)?;
        let code = u32::from_be_bytes(code);
        Ok(Self { model: Model::new(), low: 0, high: u32::MAX, code, left: length, source })
    }

    fn bit(&mut self) -> io::Result<u32> {
        let middle = middle(self.low, self.high, self.model.probability());
        let bit = u32::from(self.code <= middle);
        if bit == 1 {
            self.high = middle
        } else {
            self.low = middle + 1
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 255;
            let mut next = [0];
            self.source.read_exact(&mut next)?;
            self.code = self.code << 8 | u32::from(next[0]);
        }
        self.model.update(bit);
        Ok(bit)
    }
}

impl<R: Read> Decoder<R> {
    /// The file that is read.
    pub fn source(&self) -> &R {
        &self.source
    }

    /// Checks that the code ends as it was ended.
    fn end(&mut self) -> io::Result<()> {
        if self.code != self.high || self.source.read(&mut [0])? != 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = out.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        for byte in &mut out[..count] {
            let mut bits = 0;
            for _ in 0..8 {
                bits = bits << 1 | self.bit()?;
            }
            *byte = bits as u8;
        }
        self.left -= count as u64;
        if self.left == 0 && count > 0 {
            self.end()?;
        }
        Ok(count)
    }
}

/// Where the interval is divided: 1 below and here, 0 above.
fn middle(low: u32, high: u32, probability: u32) -> u32 {
    low + ((u64::from(high - low) * u64::from(probability)) >> 16) as u32
}
