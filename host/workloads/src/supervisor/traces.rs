//! The newest parts of requests that were traced, in a file for the agent.
//!
//! There is one file for a model, replaced as a whole and with numbers, so that the agent knows what it has not told
//! yet. What comes faster than it is written, or is not fetched in time, is lost.

use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use periapt_model::workload::trace::{FILE, OfUnit, SPANS, Traced};

use super::below::Below;

/// The file is written so often at most.
const WRITES: Duration = Duration::from_secs(1);

pub struct Traces {
    begun: u64,
    last: u64,
    spans: VecDeque<OfUnit>,
    /// There is something that was not written.
    news: bool,
    written_at: Option<Instant>,
}

impl Traces {
    pub fn begin() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_millis());
        Self {
            begun: u64::try_from(now).unwrap_or(u64::MAX),
            last: 0,
            spans: VecDeque::new(),
            news: false,
            written_at: None,
        }
    }

    pub fn add(&mut self, spans: impl IntoIterator<Item = OfUnit>) {
        for of in spans {
            if self.spans.len() >= SPANS {
                self.spans.pop_front();
            }
            let OfUnit { unit, span } = of;
            let span = span.bounded();
            self.spans.push_back(OfUnit { unit, span });
            self.last += 1;
            self.news = true;
        }
    }

    /// Writes what is new; when to do so, if it is too early and nothing hurries.
    pub fn write(&mut self, folder: &Below, hurry: bool) -> Option<Instant> {
        if !self.news {
            return None;
        }
        if let Some(at) = self.written_at.map(|at| at + WRITES)
            && at > Instant::now()
            && !hurry
        {
            return Some(at);
        }
        self.written_at = Some(Instant::now());
        let traced = Traced {
            begun: self.begun,
            last: self.last,
            spans: self.spans.iter().cloned().collect(),
        };
        let bytes = serde_json::to_vec(&traced).unwrap_or_default();
        if let Err(error) = folder.replace(FILE, &bytes) {
            tracing::warn!(%error, "what was traced cannot be written");
            return Some(Instant::now() + WRITES);
        }
        self.news = false;
        None
    }
}

#[cfg(test)]
mod tests {
    use periapt_model::workload::trace::{Context, Part, Span};

    use super::*;

    fn span(number: u64) -> OfUnit {
        let request = ("GET", "docs", "/");
        let context = Context::begin(1, number);
        OfUnit {
            unit: "docs/0".parse().unwrap(),
            span: Span::begin(Part::Gate, (context, None), 0, request),
        }
    }

    #[test]
    fn the_newest_are_kept_and_writes_are_rare() {
        let home = tempfile::tempdir().unwrap();
        let folder = Below::open(home.path(), None).unwrap();
        let read = || -> Traced {
            let bytes = folder.read(FILE, 1 << 20).unwrap().unwrap();
            serde_json::from_slice(&bytes).unwrap()
        };
        let mut traces = Traces::begin();
        assert_eq!(traces.write(&folder, true), None);
        assert_eq!(folder.read(FILE, 1).unwrap(), None, "nothing was traced");
        traces.add([span(1)]);
        assert_eq!(traces.write(&folder, false), None);
        let first = read();
        assert_eq!((first.last, first.spans.len()), (1, 1));
        traces.add((2..=SPANS as u64 + 3).map(span));
        assert!(traces.write(&folder, false).is_some(), "too early");
        assert_eq!(read(), first);
        assert_eq!(traces.write(&folder, true), None);
        let second = read();
        assert_eq!((second.begun, second.last), (first.begun, SPANS as u64 + 3));
        assert_eq!(second.spans.len(), SPANS);
        assert_eq!(second.spans[0].span.context.span(), 4);
        assert_eq!(second.after(first.begun, second.last - 1).len(), 1);
    }
}
