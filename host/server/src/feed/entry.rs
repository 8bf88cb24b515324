//! One event, serialised once.

use bytes::Bytes;
use periapt_store::{EntityKind, Found};

use super::Cursor;

/// An event as every reader gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub cursor: Cursor,
    /// Empty for what is the controller's.
    pub model: String,
    pub kind: EntityKind,
    pub name: String,
    /// Whether the entity is no more.
    pub gone: bool,
    /// The JSON of `wire::rest::Event`.
    pub data: Bytes,
}

impl Entry {
    /// `last` tells whether no other event of the same change follows.
    pub fn new(found: &Found, last: bool) -> Self {
        let (kind, position) = (found.kind, found.position);
        let cursor = match last {
            true => Cursor::end(position),
            false => Cursor::within(position, kind.as_str(), &found.name),
        };
        Self {
            cursor,
            model: found.model.clone(),
            kind,
            name: found.name.clone(),
            gone: found.body.is_none(),
            data: data(found),
        }
    }
}

impl Entry {
    /// Whether it is about this application, a unit of it, or a relation that it is in. A relation is named by
    /// its number, so it is looked at.
    pub fn is_of(&self, application: &str) -> bool {
        match self.kind {
            EntityKind::Application => self.name == application,
            EntityKind::Unit => {
                let of = self.name.rsplit_once('/');
                of.is_some_and(|(name, _)| name == application)
            }
            EntityKind::Relation => {
                let event: serde_json::Value =
                    serde_json::from_slice(&self.data).unwrap_or_default();
                let endpoints = event["entity"]["endpoints"].as_array();
                // Of one that is gone nothing else is known than that it was there.
                endpoints.is_none_or(|all| all.iter().any(|one| one["application"] == application))
            }
            _ => false,
        }
    }
}

/// The event around a body that is JSON already.
fn data(found: &Found) -> Bytes {
    let body = found.body.as_deref().unwrap_or(b"null");
    // Text within quotes is all that needs escaping; names have no other use for it.
    let name = serde_json::Value::from(found.name.as_str()).to_string();
    let head = format!(
        r#"{{"sequence":{},"model":"{}","kind":"{}","key":{name},"entity":"#,
        found.position,
        found.model,
        found.kind.as_str(),
    );
    let mut data = Vec::with_capacity(head.len() + body.len() + 1);
    data.extend_from_slice(head.as_bytes());
    data.extend_from_slice(body);
    data.push(b'}');
    Bytes::from(data)
}

/// Events of a batch in their order.
pub(super) fn entries(mut found: Vec<Found>) -> Vec<Entry> {
    found.sort_by(|one, other| {
        (one.position, one.kind, &one.name).cmp(&(other.position, other.kind, &other.name))
    });
    let mut entries = Vec::with_capacity(found.len());
    for (index, one) in found.iter().enumerate() {
        let last = found
            .get(index + 1)
            .is_none_or(|next| next.position != one.position);
        entries.push(Entry::new(one, last));
    }
    entries
}
