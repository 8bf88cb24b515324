//! `clouds`, `credentials`: where models may be.

use periapt_wire::rest::{Cloud, CloudCredential};
use serde::Serialize;

use super::Context;
use crate::arguments::{Clouds, Credentials, ListFormat};
use crate::failure::Outcome;
use crate::output::document::Named;
use crate::output::table::{Cell, Table};
use crate::output::text::clean;
use crate::output::time::Times;
use crate::session::Session;

#[derive(Serialize)]
struct CloudEntry {
    #[serde(rename = "type")]
    kind: String,
    regions: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CredentialEntry {
    auth_type: String,
    validity: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    since: String,
    models: Vec<String>,
}

pub async fn list(context: &Context, arguments: Clouds) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let clouds = session.client.clouds().await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&cloud_document(clouds)),
        ListFormat::Yaml => output.yaml(&cloud_document(clouds)),
        ListFormat::Tabular => output.data(&cloud_table(&clouds).render(output.paints())),
    }
}

fn cloud_document(clouds: Vec<Cloud>) -> Named<CloudEntry> {
    let entry = |cloud: Cloud| {
        let entry = CloudEntry {
            kind: cloud.kind,
            regions: cloud.regions,
        };
        (cloud.name, entry)
    };
    clouds.into_iter().map(entry).collect()
}

fn cloud_table(clouds: &[Cloud]) -> Table {
    let mut table = Table::new(&["Cloud", "Regions", "Default", "Type"]).right("Regions");
    for cloud in clouds {
        let default = cloud.regions.first().map_or("-", String::as_str);
        table.row(vec![
            (&cloud.name).into(),
            cloud.regions.len().to_string().into(),
            default.into(),
            (&cloud.kind).into(),
        ]);
    }
    table
}

pub async fn credentials(context: &Context, arguments: Credentials) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let mut credentials = session.client.credentials().await?;
    let wanted = arguments.cloud.as_deref();
    credentials.retain(|held| wanted.is_none_or(|cloud| held.cloud == cloud));
    let output = context.output.to(&arguments.target)?;
    let times = Times::new(arguments.utc);
    match arguments.format {
        ListFormat::Json => output.json(&credential_document(credentials, &times)),
        ListFormat::Yaml => output.yaml(&credential_document(credentials, &times)),
        ListFormat::Tabular => {
            output.data(&credential_table(&credentials, &times).render(output.paints()))
        }
    }
}

/// By `CLOUD/NAME`.
fn credential_document(credentials: Vec<CloudCredential>, times: &Times) -> Named<CredentialEntry> {
    let entry = |held: CloudCredential| {
        let entry = CredentialEntry {
            validity: validity(&held),
            reason: clean(&held.reason).to_string(),
            since: since(&held, times),
            models: held.models.iter().map(ToString::to_string).collect(),
            auth_type: held.auth_type,
        };
        (format!("{}/{}", held.cloud, held.name), entry)
    };
    credentials.into_iter().map(entry).collect()
}

fn credential_table(credentials: &[CloudCredential], times: &Times) -> Table {
    let mut table = Table::new(&["Cloud", "Credential", "Validity", "Since", "Models"]);
    for held in credentials {
        let since = match since(held, times) {
            since if since.is_empty() => "-".to_owned(),
            since => since,
        };
        let models: Vec<&str> = held.models.iter().map(|model| model.as_str()).collect();
        table.row(vec![
            (&held.cloud).into(),
            (&held.name).into(),
            Cell::from(validity(held)),
            since.into(),
            models.join(", ").into(),
        ]);
    }
    table
}

fn validity(held: &CloudCredential) -> &'static str {
    if held.valid { "valid" } else { "invalid" }
}

fn since(held: &CloudCredential, times: &Times) -> String {
    match held.since {
        0 => String::new(),
        since => times.micros(since),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_and_credentials_are_listed() {
        let cloud = Cloud {
            name: "local".into(),
            kind: "local".into(),
            regions: vec!["default".into()],
        };
        assert_eq!(
            cloud_table(&[cloud]).render(false),
            "\
Cloud  Regions  Default  Type
local        1  default  local
"
        );
        let held = |name: &str, reason: &str, since: i64| CloudCredential {
            cloud: "local".into(),
            name: name.into(),
            auth_type: "empty".into(),
            valid: reason.is_empty(),
            reason: reason.into(),
            since,
            models: vec![name.parse().unwrap(), "twin".parse().unwrap()],
        };
        let held = [
            held("lab", "", 0),
            held("shop", "no room", 1_795_257_480_000_000),
        ];
        let times = Times::new(true);
        assert_eq!(
            credential_table(&held, &times).render(false),
            "\
Cloud  Credential  Validity  Since                 Models
local  lab         valid     -                     lab, twin
local  shop        invalid   2026-11-21 10:38:00Z  shop, twin
"
        );
        let document = serde_json::to_value(credential_document(held.into(), &times)).unwrap();
        assert_eq!(document["local/lab"].get("reason"), None);
        assert_eq!(document["local/shop"]["reason"], "no room");
        assert_eq!(document["local/shop"]["auth-type"], "empty");
    }
}
