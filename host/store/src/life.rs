//! Life of whatever a tag names.

use periapt_model::{Life, ModelUuid, Tag};

use crate::db::params;
use crate::{Result, Store};

impl Store {
    /// The life of an entity of a model; none when it is gone. Controllers, users and agent
    /// processes have no life of their own and count as alive.
    pub async fn get_life(&self, model: &ModelUuid, entity: &Tag) -> Result<Option<Life>> {
        let (sql, name) = match entity {
            Tag::Model(uuid) => (
                "SELECT life FROM model WHERE uuid = $2 AND $1 <> ''",
                uuid.as_str(),
            ),
            Tag::Application(name) => (
                "SELECT life FROM application WHERE model_uuid = $1 AND name = $2",
                name.as_str(),
            ),
            Tag::Unit(name) => (
                "SELECT life FROM unit WHERE model_uuid = $1 AND name = $2",
                name.as_str(),
            ),
            Tag::Machine(id) => (
                "SELECT life FROM machine WHERE model_uuid = $1 AND id = $2",
                id.as_str(),
            ),
            Tag::Controller(_) | Tag::User(_) | Tag::Agent(..) => return Ok(Some(Life::Alive)),
        };
        let mut db = self.glance().await?;
        Ok(db.word("life", sql, params![model, name]).await?)
    }
}
