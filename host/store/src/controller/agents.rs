//! The agents of models: who there are, and their random passwords, of which only a digest is kept.

use periapt_model::{AgentName, ModelUuid, Tag};
use periapt_wire::agent::provisioner::AgentCredential;

use crate::db::{columns, params, word};
use crate::error::StoreError;
use crate::user::tokens::{digest, random_secret};
use crate::{Result, Store};

#[cfg(test)]
mod tests;

columns! {
    struct Agent {
        model: ModelUuid = "uuid" as word,
        agent: AgentName = "'host'" as word,
    }
    const AGENTS = "FROM model UNION SELECT model_uuid, agent FROM machine";
}

impl Store {
    /// Makes or replaces the password of an agent.
    pub async fn make_agent_credential(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
    ) -> Result<AgentCredential> {
        let password = random_secret();
        let tag = Tag::Agent(model.clone(), agent.clone());
        let (model, agent) = (model.clone(), agent.to_string());
        let digest = digest(&password);
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                let sql = "INSERT INTO agent_credential (model_uuid, agent, digest)
                    VALUES ($1, $2, $3)
                    ON CONFLICT (model_uuid, agent) DO UPDATE SET digest = excluded.digest";
                let params = params![&model, agent, digest];
                tx.db.execute(sql, params).await?;
                Ok(())
            })
        })
        .await?;
        Ok(AgentCredential { tag, password })
    }

    /// Whether this is the agent's password.
    pub async fn check_agent_password(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
        password: &str,
    ) -> Result<bool> {
        let sql = "SELECT digest FROM agent_credential WHERE model_uuid = $1 AND agent = $2";
        let params = params![model, agent.to_string()];
        let stored: Option<String> = self.glance().await?.scalar(sql, params).await?;
        let Some(stored) = stored else {
            return Ok(false);
        };
        // Hash values compare in constant time.
        let stored = blake3::Hash::from_hex(&stored)
            .map_err(|error| StoreError::corrupt("digest", error))?;
        Ok(stored == blake3::hash(password.as_bytes()))
    }

    /// The agents of every model: the one that would host all machines, and those that host some.
    pub async fn agents(&self) -> Result<Vec<(ModelUuid, AgentName)>> {
        let agents = self.glance().await?.all(AGENTS, vec![]).await?;
        let agents = agents.into_iter().map(|agent| (agent.model, agent.agent));
        Ok(agents.collect())
    }
}
