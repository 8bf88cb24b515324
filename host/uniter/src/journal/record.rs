//! Records of a journal, as bytes, and what of a file of them is whole.
//!
//! | bytes | |
//! |---|---|
//! | 4 | how long the rest is, less the checksum |
//! | 32 | the checksum of the rest |
//! | 8 | the number of the record; the next one in the file has the next number |
//! | 1 | what it says |
//! | 8 | the generation |
//! | 2 | how long the unit's name is |
//! | | the name, then the difference |
//!
//! Numbers are little-endian. A file is used again and again, so behind its last record there may be
//! what is left of earlier ones; those have lower numbers.

use periapt_model::UnitName;

const LENGTH: usize = 4;
const HEAD: usize = LENGTH + blake3::OUT_LEN;

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// The file holds no records; its number is the last that was given out.
    Nothing,
    /// How a generation differs from the one before it.
    Sealed {
        unit: UnitName,
        generation: u64,
        difference: &'a [u8],
    },
    /// Records of the unit do not count any more: what it has is durable, or it is gone.
    Forgotten { unit: UnitName },
}

/// What a file of records holds.
#[derive(Debug, Default)]
pub(super) struct Records<'a> {
    pub said: Vec<Said<'a>>,
    /// The number of the last one; zero where nothing was ever written.
    pub last: u64,
    /// Where the next one goes.
    pub end: usize,
}

pub(super) fn encode(number: u64, said: &Said<'_>) -> Vec<u8> {
    let (kind, unit, generation, difference) = match said {
        Said::Nothing => (0, "", 0, &[][..]),
        Said::Sealed {
            unit,
            generation,
            difference,
        } => (1, unit.as_str(), *generation, *difference),
        Said::Forgotten { unit } => (2, unit.as_str(), 0, &[][..]),
    };
    let mut bytes = Vec::with_capacity(HEAD + 32 + unit.len() + difference.len());
    bytes.resize(HEAD, 0);
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(&generation.to_le_bytes());
    bytes.extend_from_slice(&u16::try_from(unit.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend_from_slice(unit.as_bytes());
    bytes.extend_from_slice(difference);
    let length = u32::try_from(bytes.len() - HEAD).unwrap_or(u32::MAX);
    let sum = blake3::hash(&bytes[HEAD..]);
    bytes[..LENGTH].copy_from_slice(&length.to_le_bytes());
    bytes[LENGTH..HEAD].copy_from_slice(sum.as_bytes());
    bytes
}

/// The records from the beginning of a file up to the first that is torn or older.
pub(super) fn read(file: &[u8]) -> Records<'_> {
    let mut records = Records::default();
    while let Some((number, said, length)) = decode(&file[records.end..]) {
        if records.end > 0 && number != records.last + 1 {
            break;
        }
        records.last = number;
        // Who begins to use the file begins at its beginning.
        if said == Said::Nothing {
            break;
        }
        records.end += length;
        records.said.push(said);
    }
    records
}

/// The first record, its number and its length.
fn decode(bytes: &[u8]) -> Option<(u64, Said<'_>, usize)> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH>()?;
    let (sum, rest) = rest.split_first_chunk::<{ blake3::OUT_LEN }>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let body = rest.get(..length)?;
    if blake3::hash(body).as_bytes() != sum {
        return None;
    }
    let (number, body) = body.split_first_chunk::<8>()?;
    let ([kind], body) = body.split_first_chunk::<1>()?;
    let (generation, body) = body.split_first_chunk::<8>()?;
    let (name, body) = body.split_first_chunk::<2>()?;
    let (name, difference) = body.split_at_checked(usize::from(u16::from_le_bytes(*name)))?;
    let unit = || std::str::from_utf8(name).ok()?.parse().ok();
    let said = match kind {
        0 => Said::Nothing,
        1 => Said::Sealed {
            unit: unit()?,
            generation: u64::from_le_bytes(*generation),
            difference,
        },
        2 => Said::Forgotten { unit: unit()? },
        _ => return None,
    };
    Some((u64::from_le_bytes(*number), said, HEAD + length))
}
