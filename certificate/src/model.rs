//! A model of the text of a certificate: how likely the next bit is to be 1.
//!
//! Bitwise context mixing (Mahoney 2005, *Adaptive weighing of context models*): several contexts
//! each remember how often a 1 came after them, a mixer weighs their opinions, and learns from
//! every bit which context to trust. A certificate's lines are sorted, so the line above is among
//! the contexts. All is computed in integers, so that every machine decodes what any machine
//! encoded.

/// Slots of a context's memory.
const SLOTS: usize = 1 << 18;
/// Contexts: the last 1 to 6 bytes, the line above, the line above with the last bytes.
const CONTEXTS: usize = 9;
/// Opinions: one of each context, one of the longest match, and a constant.
const INPUTS: usize = CONTEXTS + 2;
/// Longest line that is remembered as the line above.
const LINE: usize = 512;
/// Bytes in which matches are looked for.
const HISTORY: usize = 1 << 20;
/// Bytes that make a match.
const MATCH: usize = 5;
/// Places of matches that are remembered.
const PLACES: usize = 1 << 16;

/// The model. Encoder and decoder each have one and show it the same bits.
pub(crate) struct Model {
    /// Probabilities of a 1, 22 bits, and counts of bits seen, 10 bits; a table for each context.
    memory: Vec<[u32; SLOTS]>,
    bases: [u32; CONTEXTS],
    /// The slots that have given the present opinions.
    slots: [usize; CONTEXTS],
    weights: Vec<[i32; INPUTS]>,
    inputs: [i32; INPUTS],
    /// The set of weights in use.
    set: usize,
    mixed: i32,
    /// Adjusts what was mixed, by the last byte.
    history: Vec<u8>,
    places: Vec<u32>,
    /// Where the match goes on, and how long it is.
    at: usize,
    length: usize,
    /// How often a match of a length was right.
    trust: [u32; 64],
    above: Vec<u8>,
    line: Vec<u8>,
    /// The bits of the byte so far, after a leading 1.
    partial: u32,
    stretch: Vec<i16>,
}

impl Model {
    /// A model that has seen nothing.
    pub fn new() -> Self {
        let mut model = Self {
            memory: vec![[1 << 31; SLOTS]; CONTEXTS],
            bases: [0; CONTEXTS],
            slots: [0; CONTEXTS],
            weights: vec![[1 << 14; INPUTS]; 256 * 3],
            inputs: [0; INPUTS],
            set: 0,
            mixed: 2048,
            history: Vec::new(),
            places: vec![u32::MAX; PLACES],
            at: 0,
            length: 0,
            trust: [3 << 14; 64],
            above: Vec::new(),
            line: Vec::new(),
            partial: 1,
            stretch: stretches(),
        };
        model.look();
        model
    }

    /// The probability that the next bit is a 1, of 65,536; never 0 and never 65,536.
    pub fn probability(&self) -> u32 {
        self.mixed.clamp(1, 4095) as u32 * 16
    }

    /// Learns the next bit.
    pub fn update(&mut self, bit: u32) {
        let error = ((bit as i32) << 12) - self.mixed;
        for (weight, input) in self.weights[self.set].iter_mut().zip(self.inputs) {
            *weight += (input * error + (1 << 13)) >> 14;
        }
        for (table, &slot) in self.memory.iter_mut().zip(&self.slots) {
            let (p, n) = (table[slot] >> 10, table[slot] & 1023);
            let target = if bit == 1 { (1 << 22) - 1 } else { 0 };
            let step = (i64::from(target) - i64::from(p)) * 2 / (2 * i64::from(n) + 3);
            table[slot] = ((i64::from(p) + step) as u32) << 10 | (n + 1).min(LIMIT);
        }
        if self.length > 0 {
            let expected = u32::from(self.history[self.at] >> (7 - self.bits()) & 1);
            let trust = &mut self.trust[self.length.min(63)];
            if expected == bit {
                *trust += (65_535 - *trust) >> 6;
            } else {
                *trust -= *trust >> 6;
                self.length = 0;
            }
        }
        self.partial = self.partial << 1 | bit;
        if self.partial >= 256 {
            self.end_byte(self.partial as u8);
            self.partial = 1;
        }
        self.look();
    }

    fn bits(&self) -> u32 {
        self.partial.ilog2()
    }

    fn end_byte(&mut self, byte: u8) {
        self.remember(byte);
        if byte == b'\n' {
            self.above = std::mem::take(&mut self.line);
        } else if self.line.len() < LINE {
            self.line.push(byte);
        }
        let last = |n: usize| {
            let from = self.history.len().saturating_sub(n);
            self.history[from..].iter().fold(n as u32, |hash, &b| hash_of(hash, b.into()))
        };
        let place = self.line.len();
        let above = |n: usize| u32::from(self.above.get(place + n).copied().unwrap_or(0));
        // How much of the line above is repeated, and what comes there.
        let same = self.line.iter().zip(&self.above).take_while(|(a, b)| a == b).count();
        let equal = u32::from(same == place);
        self.bases = [
            0x10,
            last(1),
            last(2),
            last(3),
            last(4),
            last(6),
            hash_of(hash_of(hash_of(0x20, above(0)), equal), above(1)),
            hash_of(hash_of(last(2), above(0)), 0x30 + equal),
            hash_of(hash_of(last(1), place as u32), 0x40),
        ];
    }

    fn remember(&mut self, byte: u8) {
        if self.history.len() == HISTORY {
            self.history.clear();
            self.places.fill(u32::MAX);
            self.length = 0;
        }
        self.history.push(byte);
        let end = self.history.len();
        self.at += 1;
        if self.length > 0 {
            self.length += 1;
        }
        if end >= MATCH {
            let recent = self.history[end - MATCH..].iter();
            let hash = recent.fold(0, |hash, &b| hash_of(hash, b.into())) as usize % PLACES;
            let place = self.places[hash] as usize;
            if self.length == 0 && place < end {
                let back = self.history[..place].iter().rev();
                let same = back.zip(self.history.iter().rev()).take_while(|(a, b)| a == b).count();
                (self.at, self.length) = (place, if same >= MATCH { same } else { 0 });
            }
            self.places[hash] = end as u32;
        }
    }

    /// Asks every context about the next bit.
    fn look(&mut self) {
        for (i, table) in self.memory.iter().enumerate() {
            let hash = hash_of(self.bases[i], self.partial);
            self.slots[i] = (hash >> 8) as usize % SLOTS;
            let entry = table[self.slots[i]];
            let opinion = self.stretch_of(entry >> 20);
            // A context that has seen little is not sure.
            self.inputs[i] = match entry & 1023 {
                0 => 0,
                n => opinion * (SURE.min(n as i32 + 1)) / SURE,
            };
        }
        self.inputs[CONTEXTS] = 0;
        if self.length > 0 {
            let expected = self.history.get(self.at).copied().unwrap_or(0);
            if (u32::from(expected) | 256) >> (8 - self.bits()) == self.partial {
                let sure = self.stretch_of(self.trust[self.length.min(63)] >> 4);
                let bit = expected >> (7 - self.bits()) & 1;
                self.inputs[CONTEXTS] = if bit == 1 { sure } else { -sure };
            } else {
                self.length = 0;
            }
        }
        self.inputs[CONTEXTS + 1] = 256;
        let matching = match self.length {
            0 => 0,
            1..=15 => 1,
            _ => 2,
        };
        self.set = self.partial as usize + 256 * matching;
        let dot: i64 = self.weights[self.set]
            .iter()
            .zip(self.inputs)
            .map(|(&weight, input)| i64::from(weight) * i64::from(input))
            .sum();
        self.mixed = squash((dot >> 16) as i32);
    }

    fn stretch_of(&self, probability: u32) -> i32 {
        self.stretch[probability as usize & 4095].into()
    }
}

/// Bits after which a context's probability moves no more slowly.
const LIMIT: u32 = 250;
/// Bits after which a context is heard in full.
const SURE: i32 = 3;

fn hash_of(hash: u32, value: u32) -> u32 {
    let mixed = (hash ^ value.wrapping_mul(0x9e37_79b1)).wrapping_mul(0x85eb_ca6b);
    mixed ^ mixed >> 15
}

/// 4096 / (1 + e^(-x / 256)), by a table with a straight line between its entries (after Mahoney's
/// lpaq).
fn squash(x: i32) -> i32 {
    const TABLE: [i32; 33] = [
        1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994,
        3348, 3607, 3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
    ];
    if x > 2047 {
        return 4095;
    }
    if x < -2047 {
        return 1;
    }
    let (place, part) = (((x >> 7) + 16) as usize, x & 127);
    (TABLE[place] * (128 - part) + TABLE[place + 1] * part + 64) >> 7
}

/// The inverse of [`squash`]: ln(p / (1 - p)) for every p of 4096.
fn stretches() -> Vec<i16> {
    let mut stretches = vec![0; 4096];
    let mut p = 0;
    for x in -2047..=2047 {
        let up_to = squash(x);
        while p <= up_to {
            stretches[p as usize] = x as i16;
            p += 1;
        }
    }
    for stretch in &mut stretches[p as usize..] {
        *stretch = 2047;
    }
    stretches
}
