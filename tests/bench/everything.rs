//! (q): what a model takes to settle whose operator uses all there is beside charms, relations and settings: secrets,
//! storage, files for resources, tasks, annotations and blocks; against the same applications without.
//!
//! Each time is from nothing, on a controller of its own that has compiled the charms already. Both kinds take turns
//! and the ratio is that of neighbours, since a shared machine is slower in one minute than in the next. Secrets
//! that charms make for those related to them belong to the relation: both kinds have them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_client::rest::RestClient;
use periapt_model::ApplicationName;
use periapt_model::block::BlockKind;
use periapt_model::secret::SecretId;
use periapt_model::storage::Asked;
use periapt_model::task::TaskStatus;
use periapt_tests::Home;
use periapt_tests::account::client;
use periapt_wire::rest::{
    Deploy, EnqueueOperation, NewUserSecret, OperationQuery, SecretGrants, SecretValues,
    SetAnnotations, SetBlock,
};

use crate::hooks::{median, settled};
use crate::load::at_once;
use crate::report::{Budget, Report};
use crate::{MODEL, relations};

/// How much is measured.
pub struct Size {
    /// A multiple of four: half are sites, the others vaults and as many probes that are related to them.
    pub applications: usize,
    /// Each of both kinds; fewer where the machine is too slow for all of them.
    pub rounds: usize,
}

/// For all rounds.
const LIMIT: Duration = Duration::from_secs(600);
/// Between two looks at tasks that units have yet to run.
const PAUSE: Duration = Duration::from_millis(50);
/// Charms by the number of the application: each vault is followed by the probe that is related to it.
const CHARMS: [&str; 4] = ["site", "site", "vault", "probe"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Without,
    Everything,
}

/// From nothing.
struct Took {
    /// Until the API had answered the last request.
    described: Duration,
    /// Until every unit was idle and every task had ended.
    settled: Duration,
}

struct Round {
    without: Took,
    everything: Took,
}

pub async fn measure(report: &mut Report, size: &Size) -> Result<()> {
    let rounds = tokio::time::timeout(LIMIT, rounds(size)).await;
    let rounds = rounds.context("not all of it settled within ten minutes")??;
    report.figure("rounds", rounds.len() as f64, "");
    let of_all = |value: fn(&Round) -> f64| median(rounds.iter().map(value).collect());
    for (name, value) in [
        (
            "without, described after",
            of_all(|round| round.without.described.as_secs_f64()),
        ),
        (
            "without, settled after",
            of_all(|round| round.without.settled.as_secs_f64()),
        ),
        (
            "with everything, described after",
            of_all(|round| round.everything.described.as_secs_f64()),
        ),
        (
            "with everything, settled after",
            of_all(|round| round.everything.settled.as_secs_f64()),
        ),
    ] {
        report.figure(name, value, "s");
    }
    report.budget(
        "settled with everything / without",
        of_all(|round| {
            round.everything.settled.as_secs_f64() / round.without.settled.as_secs_f64()
        }),
        "times",
        Budget::AtMost(1.3),
    );
    Ok(())
}

async fn rounds(size: &Size) -> Result<Vec<Round>> {
    let began = Instant::now();
    let mut rounds = Vec::with_capacity(size.rounds);
    let mut first = Kind::Without;
    // One more takes about as long as the longest so far, which then fits into what is left.
    while rounds.len() < size.rounds && began.elapsed() < LIMIT / 2 {
        let second = match first {
            Kind::Without => Kind::Everything,
            Kind::Everything => Kind::Without,
        };
        let sooner = settle(size.applications, first).await?;
        let later = settle(size.applications, second).await?;
        let (without, everything) = match first {
            Kind::Without => (sooner, later),
            Kind::Everything => (later, sooner),
        };
        rounds.push(Round {
            without,
            everything,
        });
        first = second;
    }
    Ok(rounds)
}

/// A new controller whose model has the applications, from nothing to all settled.
async fn settle(applications: usize, kind: Kind) -> Result<Took> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let mut charms = BTreeMap::new();
    for charm in CHARMS {
        charms.insert(charm, relations::upload(&client, charm).await?);
    }
    let operator = Arc::new(Operator {
        client,
        charms,
        kind,
    });
    let started = Instant::now();
    let describes = Arc::clone(&operator);
    let describe = move |number: usize| {
        let operator = Arc::clone(&describes);
        async move { operator.describe(number).await }
    };
    at_once(applications, describe).await?;
    let relates = Arc::clone(&operator);
    let relate = move |pair: usize| {
        let operator = Arc::clone(&relates);
        async move { operator.relate(pair).await }
    };
    at_once(applications / CHARMS.len(), relate).await?;
    if kind == Kind::Everything {
        operator.block().await?;
    }
    let described = started.elapsed();
    operator.until_settled(applications).await?;
    Ok(Took {
        described,
        settled: started.elapsed(),
    })
}

/// Who describes the model, and waits for it.
struct Operator {
    client: RestClient,
    /// URLs of what was uploaded, by name.
    charms: BTreeMap<&'static str, String>,
    kind: Kind,
}

impl Operator {
    /// One application, with all that is about it alone.
    async fn describe(&self, number: usize) -> Result<()> {
        let (charm, name) = application(number)?;
        let mut resources = BTreeMap::new();
        if self.kind == Kind::Everything && charm == "site" {
            let rules = format!("h1 {{ padding-left: {number}px }}\n");
            let uploaded = self
                .client
                .upload_resource(MODEL, rules.into(), None)
                .await?;
            resources.insert("theme".to_owned(), uploaded.id);
        }
        let deploy = Deploy {
            channel: None,
            trust: false,
            constraints: String::new(),
            application: name.clone(),
            charm: self.charms.get(charm).context("no such charm")?.clone(),
            units: 1,
            config: BTreeMap::new(),
            placement: Vec::new(),
            resources,
            storage: self.storage_of(charm),
            attach_storage: Vec::new(),
            capabilities: Default::default(),
        };
        self.client.deploy(MODEL, &deploy).await?;
        if self.kind == Kind::Without {
            return Ok(());
        }
        let secret = self.give_secret(&name).await?;
        let annotations = SetAnnotations {
            entity: Some(name.to_string()),
            set: [
                ("owner".to_owned(), format!("team {}", number % 7)),
                ("ticket".to_owned(), format!("T-{number}")),
            ]
            .into(),
        };
        self.client.set_annotations(MODEL, &annotations).await?;
        let (action, command) = match charm {
            "site" => (Some("rebuild".to_owned()), Vec::new()),
            "vault" => (None, vec!["list".to_owned()]),
            // It reads what it was given.
            _ => (None, vec!["secret-get".to_owned(), secret.uri()]),
        };
        let operation = EnqueueOperation {
            action,
            command,
            applications: vec![name],
            ..EnqueueOperation::default()
        };
        self.client.enqueue_operation(MODEL, &operation).await?;
        Ok(())
    }

    /// What each unit of a charm that can use storage is given of it.
    fn storage_of(&self, charm: &str) -> BTreeMap<String, Asked> {
        let name = match charm {
            "site" => "pages",
            "probe" => "data",
            _ => return BTreeMap::new(),
        };
        if self.kind == Kind::Without {
            return BTreeMap::new();
        }
        let one = Asked {
            count: Some(1),
            ..Asked::default()
        };
        [(name.to_owned(), one)].into()
    }

    /// A user secret that the application may read.
    async fn give_secret(&self, to: &ApplicationName) -> Result<SecretId> {
        let values = [("password".to_owned(), format!("of {to}"))];
        let new = NewUserSecret {
            name: format!("for-{to}"),
            description: "what the application logs in with".to_owned(),
            values: SecretValues(values.into()),
        };
        let added = self.client.add_secret(MODEL, &new).await?;
        let grants = SecretGrants {
            applications: vec![to.clone()],
        };
        let id = added.id.as_str();
        self.client.grant_secret(MODEL, id, &grants).await?;
        Ok(added.id)
    }

    /// A vault with its probe, which it hands credentials.
    async fn relate(&self, pair: usize) -> Result<()> {
        let last = (pair + 1) * CHARMS.len();
        let (_, vault) = application(last - 2)?;
        let (_, probe) = application(last - 1)?;
        let ends = [
            format!("{vault}:credentials"),
            format!("{probe}:credentials"),
        ];
        self.client.integrate(MODEL, [&ends[0], &ends[1]]).await?;
        Ok(())
    }

    /// Nothing may be changed from here on.
    async fn block(&self) -> Result<()> {
        let block = SetBlock {
            message: "all of it is described".to_owned(),
        };
        for kind in BlockKind::ALL {
            self.client.set_block(MODEL, kind, &block).await?;
        }
        Ok(())
    }

    /// Waits until all units are idle, vaults having handed out what they have to, and all tasks have ended.
    async fn until_settled(&self, applications: usize) -> Result<()> {
        let query = format!(
            "len(units) == {applications} && forEach(units, unit => unit.agent-status==\"idle\" && unit.workload-status!=\"maintenance\" && unit.workload-message!=\"nobody asked for credentials\")"
        );
        loop {
            settled(&self.client, MODEL, query.clone()).await?;
            if self.kind == Kind::Without || self.tasks_completed(applications).await? {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Whether every application has run what it was asked for.
    async fn tasks_completed(&self, applications: usize) -> Result<bool> {
        let query = OperationQuery {
            limit: Some(1000),
            ..OperationQuery::default()
        };
        let operations = self.client.operations(MODEL, &query).await?.items;
        let mut completed = 0;
        for operation in &operations {
            ensure!(
                operation.status == TaskStatus::Completed || !operation.status.has_ended(),
                "an application did not do what it was asked for: {operation:?}"
            );
            completed += usize::from(operation.status == TaskStatus::Completed);
        }
        Ok(completed == applications)
    }
}

/// Charm and name of an application, by its number.
fn application(number: usize) -> Result<(&'static str, ApplicationName)> {
    let charm = CHARMS[number % CHARMS.len()];
    Ok((charm, format!("{charm}{number}").parse()?))
}
