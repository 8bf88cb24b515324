//! Traces of requests to workloads: what a request carries with it (`traceparent` of W3C), which are traced, and what
//! is told of each part of one once it is over.
//!
//! The gate decides, and whoever comes after it does as it is told. Parts go the way of counts: from the processes to
//! the supervisor, from there in a file to the agent, and in a call to the controller, which alone knows the collector.
//! Each of these keeps so many and drops the rest: what is lost is never waited for.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::UnitName;
use crate::text::clean_line_at_most;

#[cfg(test)]
mod tests;

/// The directory beside `observed`, and the file in it.
pub const FOLDER: &str = "traced";
pub const FILE: &str = "spans.json";
/// The newest spans of a model, of which the file has so many, and a call no more.
pub const SPANS: usize = 512;
/// Traces that begin at the gate in a second, and those of clients that it goes on with.
const BEGUN: u32 = 10;
const CONTINUED: u32 = 50;
/// Bytes of each text of a span.
const TEXT_BYTES: usize = 256;

/// Which span of which trace somebody is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    trace: u128,
    span: u64,
    /// Whoever is in it tells of it, so that others are to tell as well.
    pub sampled: bool,
}

impl Context {
    /// The first span of a trace, of numbers taken at random.
    #[must_use]
    pub fn begin(trace: u128, span: u64) -> Self {
        // Zero is none.
        Self {
            trace: trace.max(1),
            span: span.max(1),
            sampled: true,
        }
    }

    /// Another span of the same trace.
    #[must_use]
    pub fn child(self, span: u64) -> Self {
        Self {
            span: span.max(1),
            ..self
        }
    }

    /// As it is in `traceparent`; none where that is not well-formed, and so to be taken for missing.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let hex = |range: std::ops::Range<usize>| {
            let digits = text.get(range)?;
            let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            digits.bytes().all(digit).then_some(digits)
        };
        let dash = |at: usize| text.as_bytes().get(at) == Some(&b'-');
        let version = hex(0..2).filter(|version| *version != "ff")?;
        // Later versions add fields at the end.
        let ends = text.len() == 55 || (version != "00" && dash(55));
        if !(ends && dash(2) && dash(35) && dash(52)) {
            return None;
        }
        let trace = u128::from_str_radix(hex(3..35)?, 16).ok()?;
        let span = u64::from_str_radix(hex(36..52)?, 16).ok()?;
        let flags = u8::from_str_radix(hex(53..55)?, 16).ok()?;
        (trace != 0 && span != 0).then_some(Self {
            trace,
            span,
            sampled: flags & 1 == 1,
        })
    }

    #[must_use]
    pub fn trace(self) -> u128 {
        self.trace
    }

    #[must_use]
    pub fn span(self) -> u64 {
        self.span
    }
}

/// As it is written in `traceparent`.
impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.sampled);
        write!(f, "00-{:032x}-{:016x}-{flags:02x}", self.trace, self.span)
    }
}

impl Serialize for Context {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).ok_or_else(|| de::Error::custom("it is no traceparent"))
    }
}

/// The seconds and what was let in during the last of them, in one number that can be exchanged at once.
pub type Window = u64;

/// Of the requests of one kind, whether one more is traced in this second: the window from then on.
///
/// `asked` is what the client said. Who has a trace that is told of has a share of their own, beside that of those who
/// have none; who has one that nobody tells of is not traced.
#[must_use]
pub fn admit(asked: Option<Context>, window: Window, second: u32) -> Option<Window> {
    let most = match asked {
        None => BEGUN,
        Some(context) if context.sampled => CONTINUED,
        Some(_) => return None,
    };
    let of_second = u64::from(second) << 32;
    let admitted = match window & !u64::from(u32::MAX) == of_second {
        true => window & u64::from(u32::MAX),
        false => 0,
    };
    (admitted < u64::from(most)).then_some(of_second | (admitted + 1))
}

/// Which part of a request it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The request as it came in, until its answer was passed on.
    Gate,
    /// The instance that answered it.
    Instance,
    /// What an instance sent to another unit meanwhile.
    Call,
}

impl Part {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Gate => "gate",
            Part::Instance => "instance",
            Part::Call => "call",
        }
    }
}

/// A part of a request that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Span {
    pub part: Part,
    pub context: Context,
    /// The span that it is part of.
    pub parent: Option<u64>,
    /// Microseconds since the epoch, and how many it took.
    pub started_at: i64,
    pub duration: u64,
    pub method: String,
    /// Without what was asked of it, which may be somebody's secret.
    pub path: String,
    /// Whom the request named.
    pub authority: String,
    /// Of the answer; 0 where there was none.
    pub status: u16,
    pub failure: Option<String>,
}

impl Span {
    /// One that has just begun. What the request says is cut to its bound.
    #[must_use]
    pub fn begin(
        part: Part,
        (context, parent): (Context, Option<u64>),
        started_at: i64,
        (method, authority, path): (&str, &str, &str),
    ) -> Self {
        Self {
            part,
            context,
            parent,
            started_at,
            duration: 0,
            method: known_method(method).to_owned(),
            path: clean_line_at_most(path, TEXT_BYTES),
            authority: clean_line_at_most(authority, TEXT_BYTES),
            status: 0,
            failure: None,
        }
    }

    /// The same within its bounds, whoever made it.
    #[must_use]
    pub fn bounded(self) -> Self {
        let cut = |text: &str| clean_line_at_most(text, TEXT_BYTES);
        Self {
            method: known_method(&self.method).to_owned(),
            path: cut(&self.path),
            authority: cut(&self.authority),
            failure: self.failure.as_deref().map(cut),
            ..self
        }
    }

    /// The host of the authority, and its port where it is named.
    #[must_use]
    pub fn server(&self) -> (&str, Option<u16>) {
        let port = self.authority.rsplit_once(':');
        match port.and_then(|(host, port)| Some((host, port.parse().ok()?))) {
            Some((host, port)) => (host, Some(port)),
            None => (&self.authority, None),
        }
    }
}

/// Methods are few, for whoever groups by them: others have the name that OpenTelemetry gives them.
fn known_method(method: &str) -> &str {
    const KNOWN: [&str; 9] = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
    ];
    match KNOWN.contains(&method) {
        true => method,
        false => "_OTHER",
    }
}

/// A span, and of which unit it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OfUnit {
    pub unit: UnitName,
    pub span: Span,
}

/// The newest spans of a model: `workloads/traced/spans.json` in the directory of its agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Traced {
    /// When the numbers began, milliseconds since the epoch. Another one: they began anew.
    pub begun: u64,
    /// The number of the last span, which begin with 1.
    pub last: u64,
    pub spans: Vec<OfUnit>,
}

impl Traced {
    /// Those that came after the one of a number of the same beginning; all where it is another one.
    #[must_use]
    pub fn after(&self, begun: u64, number: u64) -> &[OfUnit] {
        let many = match begun == self.begun {
            true => self.last.saturating_sub(number),
            false => self.last,
        };
        let many = usize::try_from(many).unwrap_or(usize::MAX);
        let first = self.spans.len().saturating_sub(many);
        self.spans.get(first..).unwrap_or_default()
    }
}
