//! What was last told of each entity, as a digest: enough to know what is news.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use periapt_store::{EntityKind, Found};

/// Digests by model, kind and name.
#[derive(Debug, Default)]
pub(super) struct Known {
    models: HashMap<String, HashMap<(EntityKind, String), u64>>,
}

impl Known {
    pub(super) fn new(entities: Vec<Found>) -> Self {
        let mut known = Self::default();
        known.news(entities);
        known
    }

    /// What differs from what was told before. With a model goes everything in it.
    pub(super) fn news(&mut self, found: Vec<Found>) -> Vec<Found> {
        let mut news = Vec::with_capacity(found.len());
        let mut ends = Vec::new();
        for entity in found {
            if !entity.kind.stays() {
                news.push(entity);
                continue;
            }
            let told = self.models.entry(entity.model.clone()).or_default();
            let key = (entity.kind, entity.name.clone());
            let new = match &entity.body {
                Some(body) => {
                    let digest = digest(body);
                    // Some changes of an entity do not show in its body, as settings.
                    told.insert(key, digest) != Some(digest) || entity.own
                }
                None => told.remove(&key).is_some(),
            };
            if entity.kind == EntityKind::Model && entity.body.is_none() {
                ends.push((entity.model.clone(), entity.position));
            }
            if new {
                news.push(entity);
            }
        }
        for (model, position) in ends {
            let rest = self.models.remove(&model).unwrap_or_default();
            news.extend(rest.into_keys().map(|(kind, name)| Found {
                model: model.clone(),
                kind,
                name,
                position,
                own: false,
                body: None,
            }));
        }
        news
    }
}

fn digest(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}
