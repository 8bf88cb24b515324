//! The picture of all models in memory: the worker **modelcache**'s part.
//!
//! It takes the whole state once and then applies the feed's events, so that a new reader of
//! events begins with a snapshot that costs the store nothing. When the feed begins anew the
//! whole state is taken again, and what is not in it is swept out: a removal that happened in the
//! gap leaves no ghost. The first full picture unlocks a gate that the API server waits for.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use periapt_engine::Gate;
use periapt_model::ModelUuid;
use periapt_store::{DatabaseError, EntityKind, Found, StoreError};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::status::Statuses;
use super::{Cursor, Entry, Feed, Missed, PAUSE};

pub use super::status::SharedStatus;

type Key = (EntityKind, String);
/// Entities of one model; of the controller under the empty model.
type Entities = BTreeMap<Key, Arc<Entry>>;

/// The picture. Clones are the same one.
#[derive(Clone)]
pub struct ModelCache {
    shared: Arc<Shared>,
}

struct Shared {
    feed: Feed,
    picture: RwLock<Picture>,
    initialised: Gate,
    /// Bumped with each change of the picture.
    kept: watch::Sender<u64>,
    statuses: Statuses,
}

/// Entities as of a place in the feed.
struct Picture {
    cursor: Cursor,
    models: HashMap<String, Entities>,
    swept: u64,
}

/// A snapshot for a reader.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub cursor: Cursor,
    pub entries: Vec<Arc<Entry>>,
}

impl ModelCache {
    pub fn new(feed: Feed) -> Self {
        let statuses = Statuses::new(
            feed.shared.store.clone(),
            feed.shared.clock.clone(),
            feed.shared.presence.clone(),
        );
        Self {
            shared: Arc::new(Shared {
                feed,
                picture: RwLock::new(Picture {
                    cursor: Cursor::end(0),
                    models: HashMap::new(),
                    swept: 0,
                }),
                initialised: Gate::new(),
                kept: watch::Sender::new(0),
                statuses,
            }),
        }
    }

    /// The feed that the picture is made from.
    pub fn feed(&self) -> &Feed {
        &self.shared.feed
    }

    /// Unlocked by the first full picture.
    pub fn initialised(&self) -> &Gate {
        &self.shared.initialised
    }

    /// Changes whenever the picture did.
    pub(super) fn kept(&self) -> watch::Receiver<u64> {
        self.shared.kept.subscribe()
    }

    /// Statuses of models, each read once for everybody who asks between two changes.
    pub fn statuses(&self) -> &Statuses {
        &self.shared.statuses
    }

    /// Keeps the picture until `dying`, and no status for longer than it is asked for.
    pub async fn run(&self, dying: CancellationToken) {
        let keep = async {
            loop {
                if let Err(error) = self.keep().await {
                    tracing::warn!(%error, "the picture of the models is taken anew");
                    self.shared.feed.shared.clock.sleep(PAUSE).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = dying.cancelled() => {}
            () = keep => {}
            () = self.shared.statuses.give_up() => {}
        }
    }

    /// Takes the whole state and follows the feed, until the feed begins anew.
    async fn keep(&self) -> Result<(), StoreError> {
        let feed = &self.shared.feed;
        let mut told = feed.told();
        let (cursor, everything) = feed.picture().await?;
        self.begin(cursor, &everything.entities);
        self.shared.initialised.unlock();
        loop {
            told.mark_unchanged();
            loop {
                let cursor = self.read().cursor.clone();
                match feed.after(&cursor) {
                    Ok(part) if part.cursor == cursor => break,
                    Ok(part) => self.apply(&part.entries, part.cursor),
                    Err(Missed::TooOld | Missed::Ahead) => return Ok(()),
                }
            }
            if told.changed().await.is_err() {
                return Err(DatabaseError::Stopped.into());
            }
        }
    }

    /// Puts the whole state in the place of what was there. How many ghosts were swept out.
    pub(super) fn begin(&self, cursor: Cursor, entities: &[Found]) -> u64 {
        let mut picture = self.write();
        let before = std::mem::take(&mut picture.models);
        for found in entities {
            let key = (found.kind, found.name.clone());
            let entry = Arc::new(Entry::new(found, true));
            picture
                .models
                .entry(found.model.clone())
                .or_default()
                .insert(key, entry);
        }
        let mut swept = 0;
        for (model, entities) in before {
            let now = picture.models.get(&model);
            swept += entities
                .keys()
                .filter(|key| now.is_none_or(|now| !now.contains_key(key)))
                .count() as u64;
        }
        picture.cursor = cursor;
        picture.swept += swept;
        drop(picture);
        self.shared.kept.send_modify(|times| *times += 1);
        swept
    }

    pub(super) fn apply(&self, entries: &[Arc<Entry>], cursor: Cursor) {
        let mut picture = self.write();
        for entry in entries {
            let key = (entry.kind, entry.name.clone());
            match (entry.kind, entry.gone) {
                // What ran is not part of what is there.
                (kind, _) if !kind.stays() => {}
                (EntityKind::Model, true) => {
                    picture.models.remove(&entry.model);
                }
                (_, true) => {
                    if let Some(entities) = picture.models.get_mut(&entry.model) {
                        entities.remove(&key);
                    }
                }
                (_, false) => {
                    picture
                        .models
                        .entry(entry.model.clone())
                        .or_default()
                        .insert(key, Arc::clone(entry));
                }
            }
        }
        picture.models.retain(|_, entities| !entities.is_empty());
        picture.cursor = cursor;
        drop(picture);
        self.shared.kept.send_modify(|times| *times += 1);
    }

    /// Entities of the models that `wanted` accepts; the controller's own are under `""`.
    pub fn snapshot(&self, wanted: impl Fn(&str) -> bool) -> Snapshot {
        let picture = self.read();
        let mut models: Vec<(&String, &Entities)> = picture
            .models
            .iter()
            .filter(|(model, _)| wanted(model))
            .collect();
        models.sort_by_key(|(model, _)| *model);
        Snapshot {
            cursor: picture.cursor.clone(),
            entries: models
                .into_iter()
                .flat_map(|(_, entities)| entities.values().cloned())
                .collect(),
        }
    }

    /// Whether the picture knows the model.
    pub fn has(&self, model: &ModelUuid) -> bool {
        self.read().models.contains_key(model.as_str())
    }

    /// What is kept, for the worker report.
    pub fn report(&self) -> serde_json::Value {
        let picture = self.read();
        let entities: usize = picture.models.values().map(BTreeMap::len).sum();
        json!({
            "position": picture.cursor.sequence(), "models": picture.models.len(), "entities": entities,
            "ghosts-swept": picture.swept, "initialised": self.shared.initialised.is_unlocked(),
            "statuses": self.shared.statuses.report(),
        })
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Picture> {
        self.shared
            .picture
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Picture> {
        self.shared
            .picture
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
