//! What the supervisor is told of a service's requests: the lines they wrote, and how they ended.
//!
//! Requests are not held up by it. What is said is put together and told ten times a second at most; of lines
//! there are so many in a second, and further ones are counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use periapt_serving::{Ended, Listener, Stream};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::channel::Outbox;
use crate::frames::{Answered, FromServe, Place};

/// Lines of a service in a second.
const LINES: u32 = 200;
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
    answered: Answered,
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
            said: Mutex::new(Said {
                lines: Vec::new(),
                dropped: 0,
                answered: Answered::default(),
                second: Instant::now(),
                counted: 0,
            }),
        });
        tokio::spawn(tell_on(Arc::downgrade(&telling)));
        telling
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells what was said since the last time.
    pub async fn tell(&self) {
        let (lines, dropped, answered) = {
            let mut said = self.said();
            let said = &mut *said;
            (
                std::mem::take(&mut said.lines),
                std::mem::take(&mut said.dropped),
                std::mem::take(&mut said.answered),
            )
        };
        let place = self.place.clone();
        if !lines.is_empty() || dropped > 0 {
            let lines = FromServe::Lines {
                place: place.clone(),
                lines,
                dropped,
            };
            // Nobody is there to hear it.
            let _ = self.outbox.send_in_turn(&lines).await;
        }
        if answered.last > 0 {
            let answered = FromServe::Answered { place, answered };
            let _ = self.outbox.send_in_turn(&answered).await;
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
        let mut said = self.said();
        if said.second.elapsed() >= SECOND {
            said.second = Instant::now();
            said.counted = 0;
        }
        said.counted = said.counted.saturating_add(1);
        match said.counted <= LINES {
            true => said.lines.push((stream == Stream::Error, line.to_owned())),
            false => said.dropped += 1,
        }
        drop(said);
        self.news.notify_one();
    }

    fn ended(&self, ended: &Ended) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut said = self.said();
        let answered = &mut said.answered;
        *answered.by_status.entry(ended.status).or_default() += 1;
        let took = u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX);
        answered.milliseconds = answered.milliseconds.saturating_add(took);
        answered.longest = answered.longest.max(took);
        if let Some(failure) = &ended.failure {
            *answered
                .failures
                .entry(failure.code().to_owned())
                .or_default() += 1;
        }
        answered.last = now.map_or(1, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX));
        drop(said);
        self.news.notify_one();
    }
}
