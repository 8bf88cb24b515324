//! How many storages of one name a unit has.

use std::fmt;
use std::str::FromStr;

use crate::charm::{Count, Multiple};

/// From so many to so many; none means any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountRange {
    pub least: u32,
    pub most: Option<u32>,
}

impl CountRange {
    /// Exactly one.
    pub const ONE: CountRange = CountRange {
        least: 1,
        most: Some(1),
    };

    /// What a charm declares; one where it says nothing.
    ///
    /// # Errors
    /// A sentence for the author: the range cannot be read, or allows none at all.
    pub fn of(multiple: Option<&Multiple>) -> Result<Self, String> {
        match multiple.map(|multiple| &multiple.range) {
            None => Ok(Self::ONE),
            Some(Count::Exactly(0)) => Err("the range 0 allows none at all".to_owned()),
            Some(Count::Exactly(count)) => Ok(Self {
                least: *count,
                most: Some(*count),
            }),
            Some(Count::Range(text)) => text.parse(),
        }
    }

    pub fn contains(self, count: u32) -> bool {
        self.least <= count && self.most.is_none_or(|most| count <= most)
    }

    /// How many more there may be beside `held`; none for any number.
    pub fn room(self, held: u32) -> Option<u32> {
        self.most.map(|most| most.saturating_sub(held))
    }
}

impl FromStr for CountRange {
    type Err = String;

    /// `2`, `0-3`, `1-` or `1+`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("\"{text}\" is not a range: write a number, or `0-3`, or `1+` for any more");
        let number = |text: &str| -> Result<u32, String> {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.then(|| text.parse().ok());
            number.flatten().ok_or_else(wrong)
        };
        let (least, most) = if let Some(least) = text.strip_suffix(['+', '-']) {
            (number(least)?, None)
        } else if let Some((least, most)) = text.split_once('-') {
            (number(least)?, Some(number(most)?))
        } else {
            (number(text)?, Some(number(text)?))
        };
        match most {
            Some(0) => Err(format!("the range {text} allows none at all")),
            Some(most) if most < least => Err(format!("the range {text} ends before it begins")),
            most => Ok(Self { least, most }),
        }
    }
}

impl fmt::Display for CountRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (least, None) => write!(f, "{least}+"),
            (least, Some(most)) if least == most => write!(f, "{least}"),
            (least, Some(most)) => write!(f, "{least}-{most}"),
        }
    }
}
