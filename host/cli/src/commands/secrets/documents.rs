//! Secrets as documents, by the names of Juju's.

use std::collections::BTreeMap;

use periapt_model::secret::{OwnerKind, RotatePolicy};
use periapt_wire::rest::{RevealedSecret, SecretInfo};
use serde::Serialize;

use crate::output::document::Named;
use crate::output::time::Times;

/// A secret, and its values where they were asked for.
#[derive(Debug, PartialEq, Serialize)]
pub struct SecretDocument {
    revision: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rotation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rotates: Option<String>,
    owner: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// Of a user secret.
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    /// Of a charm's.
    #[serde(skip_serializing_if = "String::is_empty")]
    label: String,
    #[serde(rename = "auto-prune", skip_serializing_if = "std::ops::Not::not")]
    auto_prune: bool,
    created: String,
    updated: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    access: Vec<AccessDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    revisions: Vec<RevisionDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Content>,
}

/// The values of a secret. Juju nests them one deeper in JSON than in YAML, and programs that read either expect that.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Content {
    Plain(BTreeMap<String, String>),
    Nested {
        #[serde(rename = "Data")]
        data: BTreeMap<String, String>,
    },
}

/// Who may read it.
#[derive(Debug, PartialEq, Serialize)]
struct AccessDocument {
    target: String,
    /// The relation for which it was granted, else what grants it.
    scope: String,
    role: &'static str,
}

#[derive(Debug, PartialEq, Serialize)]
struct RevisionDocument {
    revision: u32,
    backend: String,
    created: String,
    /// A revision is what it was made as.
    updated: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readers: Vec<String>,
}

impl SecretDocument {
    pub fn of(secret: &SecretInfo, times: &Times) -> Self {
        let of_people = secret.owner.kind == OwnerKind::Model;
        let (name, label) = match of_people {
            true => (secret.label.clone(), String::new()),
            false => (String::new(), secret.label.clone()),
        };
        let access = secret.grants.iter().map(|grant| AccessDocument {
            target: match grant.to.contains('/') {
                true => format!("unit-{}", grant.to.replace('/', "-")),
                false => format!("application-{}", grant.to),
            },
            scope: match (grant.relation, of_people) {
                (Some(relation), _) => format!("relation-{relation}"),
                (None, true) => format!("model-{}", secret.owner.name),
                (None, false) => format!("application-{}", owning(secret)),
            },
            role: "view",
        });
        Self {
            revision: secret.revisions.last().map_or(0, |newest| newest.revision),
            expires: secret.expires.map(|time| times.micros(time)),
            rotation: (secret.rotate != RotatePolicy::Never).then(|| secret.rotate.as_str()),
            rotates: secret.next_rotate.map(|time| times.micros(time)),
            owner: owner(secret),
            description: secret.description.clone(),
            name,
            label,
            auto_prune: secret.auto_prune,
            created: times.micros(secret.created_at),
            updated: times.micros(secret.updated_at),
            access: access.collect(),
            revisions: Vec::new(),
            content: None,
        }
    }

    pub fn show_revisions(&mut self, secret: &SecretInfo, times: &Times) {
        let revisions = secret.revisions.iter();
        let revisions = revisions.map(|revision| RevisionDocument {
            revision: revision.revision,
            backend: revision.backend.clone(),
            created: times.micros(revision.created_at),
            updated: times.micros(revision.created_at),
            expires: revision.expires.map(|time| times.micros(time)),
            readers: revision.readers.clone(),
        });
        self.revisions = revisions.collect();
    }

    /// With the values of a revision, which is the one it tells of then.
    pub fn reveal(&mut self, revealed: RevealedSecret) {
        self.revision = revealed.revision;
        self.content = Some(Content::Plain(revealed.values.0));
    }

    /// The same as JSON has it.
    pub fn nested(mut self) -> Self {
        self.content = self.content.map(|content| match content {
            Content::Plain(data) => Content::Nested { data },
            nested @ Content::Nested { .. } => nested,
        });
        self
    }

    /// Tells of a revision that is not the newest.
    pub fn of_revision(&mut self, revision: u32) {
        self.revision = revision;
    }
}

/// `<model>`, or the application's or the unit's name, as Juju shows them.
pub fn owner(secret: &SecretInfo) -> String {
    match secret.owner.kind {
        OwnerKind::Model => "<model>".to_owned(),
        OwnerKind::Application | OwnerKind::Unit => secret.owner.name.clone(),
    }
}

/// The application of a charm's secret.
fn owning(secret: &SecretInfo) -> &str {
    let name = secret.owner.name.as_str();
    name.split_once('/')
        .map_or(name, |(application, _)| application)
}

/// By their ids.
pub fn documents(secrets: &[SecretInfo], times: &Times) -> Named<SecretDocument> {
    let secrets = secrets.iter();
    secrets
        .map(|secret| (secret.id.to_string(), SecretDocument::of(secret, times)))
        .collect()
}
