//! Options whose values name a secret or a back end.

use periapt_model::ModelUuid;
use periapt_model::Refusal;
use periapt_model::config::{Kind, Schema, Value};
use periapt_model::nearest::suggestion;
use periapt_model::secret::{INTERNAL_BACKEND, OwnerKind, SecretId};
use periapt_wire::rest::ConfigChange;

use super::rows::{by_id, by_label, missing};
use crate::Result;
use crate::db::{Session, params};
use crate::error::StoreError;

/// The model's option that names the back end of its secrets.
pub(super) const OPTION: &str = "secret-backend";

/// What it says while the database is meant.
pub(super) const AUTO: &str = "auto";

/// The change, with each user secret that it names written as charms are to read it. What is no user secret is
/// refused.
pub(crate) async fn with_secrets(
    db: &mut Session,
    model: &ModelUuid,
    schema: &Schema,
    change: &ConfigChange,
) -> Result<ConfigChange> {
    let mut change = change.clone();
    for (name, value) in &mut change.set {
        let of_secret = schema.options.get(name);
        if of_secret.is_none_or(|option| option.kind != Kind::Secret) {
            continue;
        }
        let Value::Text(text) = &*value else {
            continue;
        };
        // Nothing names nothing, as where the option has no value.
        if text.is_empty() {
            continue;
        }
        let id = user_secret(db, model, name, text).await?;
        *value = Value::Text(id.uri());
    }
    Ok(change)
}

async fn user_secret(
    db: &mut Session,
    model: &ModelUuid,
    option: &str,
    text: &str,
) -> Result<SecretId> {
    if let Ok(id) = text.parse::<SecretId>()
        && let Some(found) = by_id(db, model, &id).await?
        && found.kind == OwnerKind::Model
    {
        return Ok(id);
    }
    if let Some(found) = by_label(db, model, OwnerKind::Model, "", text).await? {
        return Ok(found.id);
    }
    Err(StoreError::Refused {
        refusal: Refusal::SecretOptionInvalid,
        message: format!(
            "option \"{option}\" names a user secret of the model: {}",
            missing(db, model, text).await?
        ),
    })
}

/// Refuses a value of the model's option that names no back end.
pub(crate) async fn require_backend(db: &mut Session, name: &str) -> Result<()> {
    if name == AUTO || name == INTERNAL_BACKEND {
        return Ok(());
    }
    let known: Vec<String> = db
        .scalars("SELECT name FROM secret_backend ORDER BY name", params![])
        .await?;
    if known.iter().any(|one| one == name) {
        return Ok(());
    }
    let shown: String = name.chars().take(80).collect();
    let names = known.iter().map(String::as_str);
    Err(StoreError::Refused {
        refusal: Refusal::ModelOptionInvalid,
        message: format!(
            "option \"{OPTION}\" takes a secret back end, but there is no \"{shown}\"{}",
            suggestion(name, names.chain([AUTO, INTERNAL_BACKEND]))
        ),
    })
}
