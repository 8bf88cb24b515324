//! The agents of models: who there are, and their random passwords, of which only a digest is kept.
//!
//! An agent is given one password and replaces it by one that nobody else has seen. Between the two
//! both count: whoever is told of the new one may be gone before it could answer, and the agent with
//! it. The first login with the new one ends the old, in the commit that the login waits for, so every
//! process of the controller refuses the old from then on.

use std::ops::RangeInclusive;

use periapt_model::{AgentName, ModelUuid, Refusal, Tag};
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

columns! {
    struct Digests {
        digest: String = "digest",
        next: Option<String> = "next_digest",
    }
    const DIGESTS = "FROM agent_credential WHERE model_uuid = $1 AND agent = $2";
}

/// Bytes of a password that an agent may choose. Nobody who guesses at it has to wait, so it has to
/// be long; longer ones are not read at a login.
const PASSWORD_BYTES: RangeInclusive<usize> = 32..=1024;

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
                    ON CONFLICT (model_uuid, agent) DO UPDATE
                    SET digest = excluded.digest, next_digest = NULL";
                let params = params![&model, agent, digest];
                tx.db.execute(sql, params).await?;
                Ok(())
            })
        })
        .await?;
        Ok(AgentCredential { tag, password })
    }

    /// Takes another password of an agent, who proves that it has the present one: a connection may
    /// be older than the password by which it came about. Told again, it is the same.
    ///
    /// # Errors
    /// A password that is not the present one, and a new one that could be guessed.
    pub async fn change_agent_password(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
        present: &str,
        next: &str,
    ) -> Result<()> {
        if !PASSWORD_BYTES.contains(&next.len()) {
            let (least, most) = (PASSWORD_BYTES.start(), PASSWORD_BYTES.end());
            return Err(StoreError::Refused {
                refusal: Refusal::PasswordRefused,
                message: format!("an agent's password has {least} to {most} bytes"),
            });
        }
        let (present, next) = (digest(present), digest(next));
        let params = params![model, agent.to_string(), next, present];
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE agent_credential SET next_digest = $3
                    WHERE model_uuid = $1 AND agent = $2 AND digest = $4";
                match tx.db.execute(sql, params).await? {
                    0 => Err(StoreError::Refused {
                        refusal: Refusal::PasswordWrong,
                        message: "this is not the agent's present password".to_owned(),
                    }),
                    _ => Ok(()),
                }
            })
        })
        .await
    }

    /// Whether this is the agent's password. The first use of a new one ends the one before.
    pub async fn check_agent_password(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
        password: &str,
    ) -> Result<bool> {
        let given = blake3::hash(password.as_bytes());
        let params = params![model, agent.to_string()];
        let stored = self.glance().await?.one(DIGESTS, params).await?;
        let Some(stored) = stored else {
            return Ok(false);
        };
        if is_digest(&stored.digest, given)? {
            return Ok(true);
        }
        match stored.next {
            Some(next) if is_digest(&next, given)? => self.end_password(model, agent, given).await,
            _ => Ok(false),
        }
    }

    /// Makes the next password the only one, and says whether it is: another process may have done
    /// so, or have taken yet another.
    async fn end_password(
        &self,
        model: &ModelUuid,
        agent: &AgentName,
        next: blake3::Hash,
    ) -> Result<bool> {
        let (model, agent) = (model.clone(), agent.to_string());
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE agent_credential SET digest = next_digest, next_digest = NULL
                    WHERE model_uuid = $1 AND agent = $2 AND next_digest = $3";
                let params = params![&model, &agent, next.to_hex().to_string()];
                tx.db.execute(sql, params).await?;
                let stored = tx.db.one(DIGESTS, params![&model, &agent]).await?;
                stored.map_or(Ok(false), |stored| is_digest(&stored.digest, next))
            })
        })
        .await
    }

    /// The agents of every model: the one that would host all machines, and those that host some.
    pub async fn agents(&self) -> Result<Vec<(ModelUuid, AgentName)>> {
        let agents = self.glance().await?.all(AGENTS, vec![]).await?;
        let agents = agents.into_iter().map(|agent| (agent.model, agent.agent));
        Ok(agents.collect())
    }
}

/// Whether what is stored is this digest. Hash values compare in constant time.
fn is_digest(stored: &str, given: blake3::Hash) -> Result<bool> {
    let stored =
        blake3::Hash::from_hex(stored).map_err(|error| StoreError::corrupt("digest", error))?;
    Ok(stored == given)
}
