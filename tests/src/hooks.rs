//! Hooks that are made to run, and counted, over the API.

use anyhow::{Context, Result};
use periapt_client::rest::RestClient;
use periapt_model::config::Value;
use periapt_wire::rest::{ConfigChange, HookPart};

/// Sets one option of an application, of which its units hear.
pub async fn set(
    client: &RestClient,
    model: &str,
    application: &str,
    option: &str,
    value: &str,
) -> Result<()> {
    let change = ConfigChange {
        set: [(option.to_owned(), Value::Text(value.to_owned()))].into(),
        reset: Vec::new(),
    };
    client
        .set_application_config(model, &application.parse()?, &change)
        .await?;
    Ok(())
}

/// How long the parts of a hook take, as the agent knows; the last is all of it.
pub async fn parts(client: &RestClient, model: &str, hook: &str) -> Result<Vec<HookPart>> {
    let told = client.model_introspection(model, "hooktimes").await?;
    let mut parts: Vec<HookPart> = serde_json::from_str(&told)?;
    parts.retain(|part| part.hook == hook);
    Ok(parts)
}

/// How many hooks that tell of a changed setting were committed so far.
pub async fn heard(client: &RestClient, model: &str) -> Result<u64> {
    let parts = parts(client, model, "config-changed").await?;
    Ok(parts.last().context("no such hook ran")?.hooks)
}
