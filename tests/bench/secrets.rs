//! (p): how fast secrets are read out of the internal back end, for units by their agent, and by people who have
//! them shown.
//!
//! An agent has one connection for all of its units, so that is what is asked over. Which revision a unit is on
//! is committed with its hook: a read by itself changes nothing. One for a person is put on record.

use std::sync::Arc;

use anyhow::{Result, ensure};
use periapt_client::rest::RestClient;
use periapt_model::ApplicationName;
use periapt_model::secret::{INTERNAL_BACKEND, SecretId};
use periapt_tests::Home;
use periapt_tests::account::client;
use periapt_wire::agent::secrets::{NamedSecret, ReadUnitSecret};
use periapt_wire::rest::{NewUserSecret, RevealSecret, SecretGrants, SecretValues};

use crate::figures::Figures;
use crate::load::at_once;
use crate::report::{Budget, Report};
use crate::{MODEL, hooks, leases, relations};

/// How much is measured.
pub struct Size {
    /// Read one after the other, so that no row is asked for twice in a row.
    pub secrets: usize,
    pub reads: usize,
    pub reveals: usize,
}

/// Units for which the agent reads in turn.
const READERS: usize = 10;

pub async fn measure(report: &mut Report, size: &Size) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let noop = relations::upload(&client, "noop").await?;
    relations::deploy(&client, &noop, "noop", u32::try_from(READERS)?).await?;
    hooks::idle(&client, READERS).await?;
    let secrets = add(&client, &"noop".parse()?, size.secrets).await?;
    // So that statements are planned and the key of the model is open before the clock starts.
    read(&home, &secrets, size.secrets).await?;
    let (per_second, took) = read(&home, &secrets, size.reads).await?;
    report.budget(
        "read for units over the RPC",
        per_second,
        "reads/s",
        Budget::AtLeast(5_000.0),
    );
    report.times("one read for a unit", &took, None, None);
    let (per_second, took) = reveal(&client, &secrets, size.reveals).await?;
    report.figure("revealed to a person over HTTPS", per_second, "reads/s");
    report.times("one revealed to a person", &took, None, None);
    Ok(())
}

/// So many user secrets that the application may read.
async fn add(
    client: &RestClient,
    reader: &ApplicationName,
    count: usize,
) -> Result<Arc<[SecretId]>> {
    let grants = SecretGrants {
        applications: vec![reader.clone()],
    };
    let mut ids = Vec::with_capacity(count);
    for number in 0..count {
        let values = [
            ("username".to_owned(), format!("user-{number}")),
            ("password".to_owned(), format!("{number:0>32}")),
        ];
        let new = NewUserSecret {
            name: format!("bench-{number}"),
            description: String::new(),
            values: SecretValues(values.into()),
        };
        let added = client.add_secret(MODEL, &new).await?;
        let mut revisions = added.revisions.iter();
        ensure!(
            revisions.all(|revision| revision.backend == INTERNAL_BACKEND),
            "a secret is kept elsewhere: {added:?}"
        );
        let id = added.id.as_str();
        client.grant_secret(MODEL, id, &grants).await?;
        ids.push(added.id);
    }
    Ok(ids.into())
}

/// Secrets read in turn, for each of the units in turn.
async fn read(home: &Home, secrets: &Arc<[SecretId]>, times: usize) -> Result<(f64, Figures)> {
    let agent = leases::connect(home).await?;
    let secrets = Arc::clone(secrets);
    let read = move |number: usize| {
        let agent = agent.clone();
        let id = secrets[number % secrets.len()].clone();
        async move {
            let read = ReadUnitSecret {
                unit: format!("noop/{}", number % READERS).parse()?,
                of: NamedSecret {
                    id: Some(id),
                    label: None,
                },
                newest: false,
            };
            agent.call(&read).await?;
            anyhow::Ok(())
        }
    };
    at_once(times, read).await
}

/// Secrets shown in turn.
async fn reveal(
    client: &RestClient,
    secrets: &Arc<[SecretId]>,
    times: usize,
) -> Result<(f64, Figures)> {
    let (client, secrets) = (client.clone(), Arc::clone(secrets));
    let reveal = move |number: usize| {
        let client = client.clone();
        let id = secrets[number % secrets.len()].clone();
        async move {
            let newest = RevealSecret::default();
            client.reveal_secret(MODEL, id.as_str(), &newest).await?;
            anyhow::Ok(())
        }
    };
    at_once(times, reveal).await
}
