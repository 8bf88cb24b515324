//! Credentials of agents: random passwords, of which only a digest is kept.

use periapt_model::{ModelUuid, Tag};
use periapt_wire::agent::provisioner::AgentCredential;

use crate::db::params;
use crate::error::StoreError;
use crate::tokens::{digest, random_secret};
use crate::{Result, Store};

impl Store {
    /// Makes or replaces the password of the agent that hosts the model's machines.
    pub async fn make_agent_credential(&self, model: &ModelUuid) -> Result<AgentCredential> {
        let tag = Tag::Agent(model.clone());
        let password = random_secret();
        self.store_agent_password(&tag, Some(model.clone()), &password)
            .await?;
        Ok(AgentCredential { tag, password })
    }

    /// Sets an agent's password, which must be random: no slow hash protects a guessable one.
    pub async fn set_agent_password(&self, tag: &Tag, password: &str) -> Result<()> {
        let model = match tag {
            Tag::Agent(model) | Tag::Model(model) => Some(model.clone()),
            _ => None,
        };
        self.store_agent_password(tag, model, password).await
    }

    /// Whether this is the agent's password.
    pub async fn check_agent_password(&self, tag: &Tag, password: &str) -> Result<bool> {
        let sql = "SELECT digest FROM agent_credential WHERE tag = $1";
        let row = self
            .glance()
            .await?
            .fetch_optional(sql, params![tag.to_string()])
            .await?;
        let Some(row) = row else { return Ok(false) };
        // Hash values compare in constant time.
        let stored = blake3::Hash::from_hex(row.str(0)?)
            .map_err(|error| StoreError::corrupt("digest", error))?;
        Ok(stored == blake3::hash(password.as_bytes()))
    }

    async fn store_agent_password(
        &self,
        tag: &Tag,
        model: Option<ModelUuid>,
        password: &str,
    ) -> Result<()> {
        let (tag, digest) = (tag.to_string(), digest(password));
        self.write(move |tx| {
            Box::pin(async move {
                if let Some(model) = &model {
                    crate::require_model(&mut tx.db, model).await?;
                }
                let model = model.map(String::from).unwrap_or_default();
                let sql =
                    "INSERT INTO agent_credential (tag, model_uuid, digest) VALUES ($1, $2, $3)
                    ON CONFLICT (tag) DO UPDATE SET digest = excluded.digest";
                tx.db.execute(sql, params![tag, model, digest]).await?;
                Ok(())
            })
        })
        .await
    }
}
