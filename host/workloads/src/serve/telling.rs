//! What the supervisor is told of a service's requests: the lines they wrote, how they ended, and of those that are
//! traced what they went through.
//!
//! Requests are not held up by it. What is said is put together and told ten times a second at most; of lines
//! there are so many in a second, and further ones are counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use periapt_model::workload::trace::Span;
use periapt_model::workload::traffic::{Class, Requests};
use periapt_serving::{Ended, Listener, Stream};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::channel::Outbox;
use crate::frames::{FromServe, Place};

/// Lines of a service in a second.
const LINES: u32 = 200;
/// Parts of traced requests that are told at once; further ones are lost.
const SPANS: usize = 256;
/// Of lines in one frame, and one line more.
const PIECE_BYTES: usize = 128 << 10;
const SECOND: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);

pub struct Telling {
    place: Place,
    outbox: Outbox<FromServe>,
    news: Notify,
    said: Mutex<Said>,
}

struct Said {
    lines: Vec<(bool, String)>,
    dropped: u64,
    requests: Requests,
    spans: Vec<Span>,
    /// The second that is counted, and its lines.
    second: Instant,
    counted: u32,
}

impl Telling {
    /// Tells until nobody has it any more.
    pub fn begin(place: Place, outbox: Outbox<FromServe>) -> Arc<Self> {
        let telling = Arc::new(Self {
            place,
            outbox,
            news: Notify::new(),
            said: Mutex::new(Said::begin(Instant::now())),
        });
        tokio::spawn(tell_on(Arc::downgrade(&telling)));
        telling
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells what was said since the last time.
    pub async fn tell(&self) {
        let (lines, dropped, requests, spans) = {
            let mut said = self.said();
            let said = &mut *said;
            (
                std::mem::take(&mut said.lines),
                std::mem::take(&mut said.dropped),
                std::mem::take(&mut said.requests),
                std::mem::take(&mut said.spans),
            )
        };
        let place = self.place.clone();
        for (lines, dropped) in pieces(lines, dropped) {
            let lines = FromServe::Lines {
                place: place.clone(),
                lines,
                dropped,
            };
            // Nobody is there to hear it.
            let _ = self.outbox.send_in_turn(&lines).await;
        }
        if !requests.is_empty() {
            let place = place.clone();
            let answered = FromServe::Answered { place, requests };
            let _ = self.outbox.send_in_turn(&answered).await;
        }
        if !spans.is_empty() {
            let traced = FromServe::Traced { place, spans };
            let _ = self.outbox.send_in_turn(&traced).await;
        }
    }
}

/// Lines in pieces of which each fits into a frame; how many were dropped is told last.
fn pieces(lines: Vec<(bool, String)>, dropped: u64) -> Vec<(Vec<(bool, String)>, u64)> {
    let mut pieces = Vec::new();
    let (mut piece, mut bytes) = (Vec::new(), 0);
    for (error, line) in lines {
        bytes += line.len();
        piece.push((error, line));
        if bytes >= PIECE_BYTES {
            pieces.push((std::mem::take(&mut piece), 0));
            bytes = 0;
        }
    }
    if !piece.is_empty() || dropped > 0 {
        pieces.push((piece, dropped));
    }
    pieces
}

impl Said {
    fn begin(now: Instant) -> Self {
        Self {
            lines: Vec::new(),
            dropped: 0,
            requests: Requests::default(),
            spans: Vec::new(),
            second: now,
            counted: 0,
        }
    }

    fn line(&mut self, error: bool, line: String, now: Instant) {
        if now.saturating_duration_since(self.second) >= SECOND {
            self.second = now;
            self.counted = 0;
        }
        self.counted = self.counted.saturating_add(1);
        match self.counted <= LINES {
            true => self.lines.push((error, line)),
            false => self.dropped += 1,
        }
    }
}

async fn tell_on(telling: Weak<Telling>) {
    loop {
        // It is let go of again and again, so that it ends with its service.
        let Some(held) = telling.upgrade() else {
            return;
        };
        tokio::select! {
            () = held.news.notified() => held.tell().await,
            () = tokio::time::sleep(SECOND) => {}
        }
        drop(held);
        tokio::time::sleep(PAUSE).await;
    }
}

impl Listener for Telling {
    fn line(&self, stream: Stream, line: &str) {
        let error = stream == Stream::Error;
        self.said().line(error, line.to_owned(), Instant::now());
        self.news.notify_one();
    }

    fn computed(&self, cpu: Duration) {
        self.said().requests.compute(cpu, seconds());
        self.news.notify_one();
    }

    fn ended(&self, ended: &Ended) {
        let now = seconds();
        let failure = ended.failure.as_ref();
        let failed = failure.filter(|failure| !failure.status().is_client_error());
        // A status that was sent before the failure says nothing of it.
        let cut_off = failed.is_some();
        let mut said = self.said();
        let class = Class::of(ended.status, cut_off);
        said.requests.count(class, ended.duration, now);
        // What a client did wrong is no news of the service.
        if let Some(failure) = failed {
            let line = format!("(a request failed: {failure}; {})", failure.code());
            said.line(true, line, Instant::now());
        }
        drop(said);
        self.news.notify_one();
    }

    fn span(&self, span: Span) {
        let mut said = self.said();
        if said.spans.len() < SPANS {
            said.spans.push(span);
        }
        drop(said);
        self.news.notify_one();
    }
}

/// Since the epoch.
fn seconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_second_so_many_lines_are_told_and_the_others_counted() {
        let begun = Instant::now();
        let mut said = Said::begin(begun);
        let write = |said: &mut Said, lines: u32, after: u64| {
            let now = begun + Duration::from_millis(after);
            for line in 0..lines {
                said.line(line % 2 == 0, format!("line {line}"), now);
            }
            let told = pieces(
                std::mem::take(&mut said.lines),
                std::mem::take(&mut said.dropped),
            );
            let lines: usize = told.iter().map(|(lines, _)| lines.len()).sum();
            (lines, told.iter().map(|(_, dropped)| dropped).sum::<u64>())
        };
        assert_eq!(write(&mut said, 150, 0), (150, 0));
        assert_eq!(write(&mut said, 100, 500), (50, 50), "of the same second");
        assert_eq!(write(&mut said, 7, 999), (0, 7));
        assert_eq!(write(&mut said, 201, 1000), (200, 1), "of the next");
        assert_eq!(write(&mut said, 1, 1999), (0, 1));
        assert_eq!(write(&mut said, 200, 60_000), (200, 0), "after a rest");
    }

    #[test]
    fn a_piece_fits_into_a_frame_and_what_was_dropped_is_told_with_the_last() {
        let line = "x".repeat(16 << 10);
        let lines = vec![(false, line); 200];
        let told = pieces(lines, 3);
        assert!(told.len() > 1);
        for (number, (lines, dropped)) in told.iter().enumerate() {
            let bytes: usize = lines.iter().map(|(_, line)| line.len()).sum();
            assert!(bytes < PIECE_BYTES + (16 << 10), "{bytes}");
            assert_eq!(*dropped, if number + 1 == told.len() { 3 } else { 0 });
        }
        assert_eq!(pieces(Vec::new(), 9), [(Vec::new(), 9)], "nothing but that");
        assert!(pieces(Vec::new(), 0).is_empty());
    }
}
