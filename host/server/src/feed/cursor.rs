//! How far a reader has come.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A place between two events. Written as the position in the change log, `4711`: everything up
/// to there was read. One change may make several events; after an event that is not the last
/// of them the place is written `4711/application/site`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor {
    sequence: i64,
    /// Kind and name of the last event read; none when it was the last of its change.
    within: Option<(String, String)>,
}

impl Cursor {
    /// After all events of a position.
    pub fn end(sequence: i64) -> Self {
        Self {
            sequence,
            within: None,
        }
    }

    /// After one event of a position that has more of them.
    pub fn within(sequence: i64, kind: &str, name: &str) -> Self {
        Self {
            sequence,
            within: Some((kind.to_owned(), name.to_owned())),
        }
    }

    pub fn sequence(&self) -> i64 {
        self.sequence
    }
}

impl PartialOrd for Cursor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cursor {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sequence
            .cmp(&other.sequence)
            .then_with(|| match (&self.within, &other.within) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(one), Some(other)) => one.cmp(other),
            })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.within {
            None => write!(f, "{}", self.sequence),
            Some((kind, name)) => write!(f, "{}/{kind}/{name}", self.sequence),
        }
    }
}

/// The text is not a place in the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACursor;

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let mut parts = text.splitn(3, '/');
        let sequence = parts.next().and_then(|text| text.parse().ok());
        let sequence = sequence.ok_or(NotACursor)?;
        match (parts.next(), parts.next()) {
            (None, _) => Ok(Self::end(sequence)),
            (Some(kind), Some(name)) => Ok(Self::within(sequence, kind, name)),
            (Some(_), None) => Err(NotACursor),
        }
    }
}
