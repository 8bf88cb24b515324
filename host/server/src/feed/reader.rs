//! One reader of the feed: what it may hear of, where it is, and the bytes it gets.
//!
//! Readers hold no events of their own: each has a cursor into the shared ring, and is asked for
//! bytes when its connection has room for them. One that falls behind the ring is told so and
//! let go. All of them send the same serialised events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use periapt_engine::SharedClock;
use periapt_model::{ApplicationName, ModelUuid, UserName};
use periapt_store::{EntityKind, Reach, Subscription};
use tokio::sync::watch;

use super::readers::Reading;
use super::{Cursor, Entry, Missed, ModelCache};
use crate::rest::sse;

/// Silence after which a reader gets a comment, and its place.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// Bytes of a write of the snapshot.
const PART: usize = 64 << 10;

/// Which events a stream is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All that the reader may read.
    Everything,
    Model(ModelUuid),
}

/// What of its scope a reader wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// All kinds when empty.
    pub kinds: Vec<EntityKind>,
    pub application: Option<ApplicationName>,
    /// Whether the snapshot comes as lists instead of an event for each entity.
    pub lists: bool,
}

impl Filter {
    /// Whether an event is one of these. That a model is gone ends its stream, whatever is wanted of it.
    fn has(&self, entry: &Entry) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&entry.kind))
            && self
                .application
                .as_ref()
                .is_none_or(|application| entry.is_of(application.as_str()))
    }
}

/// Who reads, and what of it.
#[derive(Clone, Debug)]
pub struct Audience {
    pub user: UserName,
    pub reach: Reach,
    pub scope: Scope,
    pub filter: Filter,
}

impl Audience {
    /// Whether events of the model, `""` for the controller, are for this reader.
    fn hears_of(&self, model: &str) -> bool {
        match (&self.scope, &self.reach) {
            (Scope::Model(own), _) => own.as_str() == model,
            (Scope::Everything, Reach::Everything) => true,
            (Scope::Everything, Reach::Nothing) => false,
            (Scope::Everything, Reach::Models(models)) => {
                models.iter().any(|own| own.as_str() == model)
            }
        }
    }

    /// Why the reader may not stay.
    fn refused(&self) -> Option<Dropped> {
        let may = match &self.scope {
            Scope::Everything => self.reach != Reach::Nothing,
            Scope::Model(model) => self.reach.includes(model),
        };
        (!may).then_some(Dropped::AccessRevoked)
    }
}

/// Why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// The reader was too slow.
    TooSlow,
    /// It may not read this any more.
    AccessRevoked,
    /// Its model is gone.
    ModelGone,
    /// The controller stops, or its API server begins anew.
    Stopped,
}

impl Dropped {
    fn event(self) -> Bytes {
        let (code, reason) = match self {
            Dropped::TooSlow => (
                "too-slow",
                "events arrived faster than they were read; connect again to continue or start over",
            ),
            Dropped::AccessRevoked => (
                "access-revoked",
                "this account may no longer read these events",
            ),
            Dropped::ModelGone => ("model-gone", "the model is gone"),
            Dropped::Stopped => (
                "stopped",
                "the controller is stopping; connect again when it is back",
            ),
        };
        sse::dropped(code, reason)
    }
}

/// Where a reader is.
enum Place {
    /// It has come so far; the feed may have to begin to follow.
    New(Option<Cursor>),
    /// It gets a snapshot first, because it is new or because of what it missed.
    Begin {
        missed: Option<&'static str>,
    },
    /// In the snapshot; then the place to read on from.
    Snapshot {
        rest: VecDeque<Arc<Entry>>,
        then: Cursor,
    },
    /// In the feed.
    Live(Cursor),
    End,
}

/// A stream of server-sent events.
pub struct Reader {
    cache: ModelCache,
    clock: SharedClock,
    audience: Audience,
    place: Place,
    told: watch::Receiver<u64>,
    accounts: Subscription,
    /// Of the feed, to tell a slow reader from a feed that began anew.
    restarts: u64,
    ending: BoxFuture<'static, ()>,
    /// The feed follows as long as this is kept.
    reading: Reading,
    /// How far the feed had come as it followed; no snapshot is older.
    followed: Cursor,
    /// Ends when there was silence for long enough.
    silence: BoxFuture<'static, ()>,
}

impl Reader {
    /// A reader that has come as far as `from`. `ending` comes when streams have to end.
    pub fn new(
        cache: ModelCache,
        audience: Audience,
        from: Option<Cursor>,
        ending: BoxFuture<'static, ()>,
    ) -> Self {
        let feed = cache.feed();
        let clock = feed.shared.clock.clone();
        Self {
            silence: clock.sleep(HEARTBEAT),
            clock,
            told: feed.told(),
            accounts: feed.account_changes(),
            restarts: 0,
            reading: feed.shared.readers.enter(),
            followed: Cursor::end(0),
            cache,
            audience,
            place: Place::New(from),
            ending,
        }
    }

    /// The bytes that come next; none after the end.
    pub async fn next(&mut self) -> Option<Bytes> {
        let bytes = self.next_bytes().await;
        self.silence = self.clock.sleep(HEARTBEAT);
        bytes
    }

    async fn next_bytes(&mut self) -> Option<Bytes> {
        loop {
            match &mut self.place {
                Place::End => return None,
                Place::New(from) => {
                    let from = from.take();
                    if let Some(bytes) = self.join(from).await {
                        return Some(bytes);
                    }
                }
                Place::Begin { missed } => {
                    let missed = missed.take();
                    return Some(self.begin(missed).await);
                }
                Place::Snapshot { rest, then } => {
                    let filter = &self.audience.filter;
                    let part = part(rest, |entry| filter.has(entry));
                    let mut bytes = Vec::new();
                    if filter.lists {
                        sse::snapshots(&mut bytes, part.iter().map(|entry| &*entry.data));
                    } else {
                        for entry in &part {
                            sse::snapshot(&mut bytes, &entry.data);
                        }
                    }
                    if rest.is_empty() {
                        sse::current(&mut bytes, then);
                        self.place = Place::Live(then.clone());
                    }
                    return Some(Bytes::from(bytes));
                }
                Place::Live(cursor) => {
                    let cursor = cursor.clone();
                    if let Some(bytes) = self.live(cursor).await {
                        return Some(bytes);
                    }
                }
            }
        }
    }

    /// Waits until the feed follows, and goes on from where the reader was if that is there. The
    /// end, should it come first.
    async fn join(&mut self, from: Option<Cursor>) -> Option<Bytes> {
        // Also for who asks again, having given up waiting.
        self.place = Place::New(from.clone());
        tokio::select! {
            biased;
            () = &mut self.ending => return Some(self.end(Dropped::Stopped, Vec::new())),
            () = self.reading.followed() => {}
        }
        let feed = self.cache.feed();
        self.restarts = feed.shared.restarts.load(Ordering::Relaxed);
        self.followed = Cursor::end(feed.head());
        self.place = match from.map(|from| (feed.after(&from), from)) {
            None => Place::Begin { missed: None },
            Some((Ok(_), from)) => Place::Live(from),
            Some((Err(missed), _)) => Place::Begin {
                missed: Some(in_words(missed)),
            },
        };
        None
    }

    async fn begin(&mut self, missed: Option<&'static str>) -> Bytes {
        let mut kept = self.cache.kept();
        let snapshot = loop {
            let audience = &self.audience;
            let snapshot = self.cache.snapshot(|model| audience.hears_of(model));
            // The feed may be ahead of its picture for a moment.
            let recent = snapshot.cursor >= self.followed;
            if recent && self.cache.feed().after(&snapshot.cursor).is_ok() {
                break snapshot;
            }
            tokio::select! {
                biased;
                () = &mut self.ending => return self.end(Dropped::Stopped, Vec::new()),
                _ = kept.changed() => {}
            }
        };
        self.place = Place::Snapshot {
            rest: snapshot.entries.into(),
            then: snapshot.cursor,
        };
        sse::begin(missed)
    }

    /// What follows the cursor, a heartbeat, or the end; none when there is nothing to say.
    async fn live(&mut self, cursor: Cursor) -> Option<Bytes> {
        if (&mut self.ending).now_or_never().is_some() {
            return Some(self.end(Dropped::Stopped, Vec::new()));
        }
        self.told.mark_unchanged();
        match self.cache.feed().after(&cursor) {
            Ok(part) if part.cursor != cursor => {
                let bytes = self.pick(&part.entries);
                let gone = self.model_gone(&part.entries);
                self.place = Place::Live(part.cursor);
                if gone {
                    return Some(self.end(Dropped::ModelGone, bytes));
                }
                return (!bytes.is_empty()).then(|| Bytes::from(bytes));
            }
            Ok(_) => {}
            Err(missed) => {
                let restarts = self.cache.feed().shared.restarts.load(Ordering::Relaxed);
                if restarts == self.restarts {
                    return Some(self.end(Dropped::TooSlow, Vec::new()));
                }
                self.restarts = restarts;
                self.place = Place::Begin {
                    missed: Some(in_words(missed)),
                };
                return None;
            }
        }
        tokio::select! {
            biased;
            () = &mut self.ending => Some(self.end(Dropped::Stopped, Vec::new())),
            changed = self.told.changed() => match changed {
                Ok(()) => None,
                Err(_) => Some(self.end(Dropped::Stopped, Vec::new())),
            },
            changes = self.accounts.next() => match changes {
                Ok(changes) if changes.iter().any(|change| self.is_about_reader(&change.key)) => {
                    self.look_at_access().await
                }
                Ok(_) => None,
                Err(_) => Some(self.end(Dropped::Stopped, Vec::new())),
            },
            () = &mut self.silence => Some(sse::heartbeat(&cursor)),
        }
    }

    fn pick(&self, entries: &[Arc<Entry>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for entry in entries {
            if self.audience.hears_of(&entry.model) && self.audience.filter.has(entry) {
                sse::change(&mut bytes, &entry.cursor, &entry.data);
            }
        }
        bytes
    }

    fn model_gone(&self, entries: &[Arc<Entry>]) -> bool {
        let Scope::Model(model) = &self.audience.scope else {
            return false;
        };
        entries.iter().any(|entry| {
            entry.kind == EntityKind::Model && entry.gone && entry.model == model.as_str()
        })
    }

    fn is_about_reader(&self, key: &str) -> bool {
        key.split('/').next() == Some(self.audience.user.as_str())
    }

    async fn look_at_access(&mut self) -> Option<Bytes> {
        let reach = self
            .cache
            .feed()
            .shared
            .store
            .reach(&self.audience.user)
            .await
            .unwrap_or(Reach::Nothing);
        let changed = reach != self.audience.reach;
        self.audience.reach = reach;
        if let Some(refused) = self.audience.refused() {
            return Some(self.end(refused, Vec::new()));
        }
        if changed && self.audience.scope == Scope::Everything {
            self.place = Place::Begin {
                missed: Some("this account's access has changed"),
            };
        }
        None
    }

    fn end(&mut self, why: Dropped, mut bytes: Vec<u8>) -> Bytes {
        self.place = Place::End;
        bytes.extend_from_slice(&why.event());
        Bytes::from(bytes)
    }
}

/// Takes as many of the wanted entries from the beginning as one write carries.
fn part(rest: &mut VecDeque<Arc<Entry>>, wanted: impl Fn(&Entry) -> bool) -> Vec<Arc<Entry>> {
    let mut part = Vec::new();
    let mut length = 0;
    while length < PART
        && let Some(entry) = rest.pop_front()
    {
        if wanted(&entry) {
            length += entry.data.len();
            part.push(entry);
        }
    }
    part
}

fn in_words(missed: Missed) -> &'static str {
    match missed {
        Missed::TooOld => "the events since then are no longer stored",
        Missed::Ahead => "this controller has not reached that position",
    }
}
