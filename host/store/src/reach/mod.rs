//! Who reaches whom: what it is made of, read at one moment, and what a model's provider says of it.

use std::collections::{BTreeMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use periapt_model::ports::{Openings, PortRange, Protocol};
use periapt_model::reach::published::{Answer, Published};
use periapt_model::reach::{End, Exposure, Mode, Network, Relation, Unit, unit_address};
use periapt_model::refusal::Subject;
use periapt_model::workload::{nameless, silent};
use periapt_model::{ApplicationName, ModelName, ModelUuid, UnitName};
use periapt_wire::rest::{ListeningPort, SilentPort};
use serde::{Deserialize, Serialize};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, json, optional_word, params, to_json, word};
use crate::error::StoreError;
use crate::grant::shut::Shut;
use crate::model::config;
use crate::views::unit::number;
use crate::{Result, Store};

mod shown;
#[cfg(test)]
mod tests;

/// What a unit's provider says of its exposed ports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Reached {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listening: Vec<ListeningPort>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_listening: Vec<SilentPort>,
}

impl Reached {
    /// What is wrong with it, in words; it is nothing of a unit that is not exposed any more.
    pub fn unwell(&self, exposed: bool) -> Vec<String> {
        let ports = self.not_listening.iter().filter(|_| exposed);
        ports.map(|of| silent(&of.port, &of.reason)).collect()
    }
}

/// Where a model's exposed applications are found by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Ingress {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<SocketAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl Ingress {
    /// Why nobody finds an exposed application by its name, in words.
    pub fn unwell(&self) -> Option<String> {
        self.failed.as_deref().map(nameless)
    }

    /// Where somebody on this machine finds an application. Names under `localhost` lead to the machine
    /// itself, so there is none where only another of its addresses is listened at.
    pub fn url(&self, application: &ApplicationName, model: &ModelName) -> Option<String> {
        let address = self.address?;
        let here = address.ip().is_loopback() || address.ip().is_unspecified();
        let port = address.port();
        here.then(|| format!("http://{application}.{model}.localhost:{port}/"))
    }
}

/// The address at which a unit's ports are reached from outside; none of one that shows nothing there.
pub(crate) fn public_address(
    number: Option<u64>,
    openings: &Openings,
    exposure: &Exposure,
) -> Option<String> {
    let shows = shows(openings, exposure, |_| true);
    let address = number.filter(|_| shows).and_then(unit_address);
    address.as_ref().map(Ipv4Addr::to_string)
}

/// Whether somebody finds a unit by its application's name.
pub(crate) fn shows_a_page(openings: &Openings, exposure: &Exposure) -> bool {
    shows(openings, exposure, |range| range.protocol == Protocol::Tcp)
}

fn shows(openings: &Openings, exposure: &Exposure, of: impl Fn(&PortRange) -> bool) -> bool {
    let mut open = openings.iter().filter(|(range, _)| of(range));
    !exposure.is_empty() && open.any(|(_, endpoints)| !exposure.sources(endpoints).is_empty())
}

columns! {
    struct UnitRow {
        name: UnitName = "name" as word,
        principal: Option<UnitName> = "principal" as optional_word,
        openings: Openings = "opened_ports" as json,
        address: Option<u64> = "address" as number,
        reached: Reached = "reached" as json,
    }
    const UNITS = "FROM unit WHERE model_uuid = $1 ORDER BY application, number";
}

columns! {
    struct ExposedRow {
        name: ApplicationName = "name" as word,
        exposure: Exposure = "exposure" as json,
    }
    const EXPOSED = "FROM application WHERE model_uuid = $1 AND exposure <> '{}'";
}

columns! {
    struct EndRow {
        id: i64 = "relation.id",
        scope: String = "relation.scope",
        suspended: bool = "relation.suspended",
        application: ApplicationName = "relation_endpoint.application" as word,
        endpoint: String = "relation_endpoint.name",
    }
    const ENDS = "FROM relation
        JOIN relation_endpoint ON relation_endpoint.model_uuid = relation.model_uuid
            AND relation_endpoint.relation_id = relation.id
        WHERE relation.model_uuid = $1 ORDER BY relation.id";
}

columns! {
    struct ModelRow {
        name: ModelName = "name" as word,
        ingress: Ingress = "ingress" as json,
    }
    const MODEL = "FROM model WHERE uuid = $1";
}

/// The applications of a model that are exposed.
pub(crate) async fn exposed(
    db: &mut Session,
    model: &ModelUuid,
) -> Result<HashSet<ApplicationName>> {
    let rows = db.all(EXPOSED, params![model]).await?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// A model's reach at one moment.
struct Reach {
    model: ModelRow,
    network: Network,
    addresses: BTreeMap<UnitName, Ipv4Addr>,
    reached: BTreeMap<UnitName, Reached>,
}

impl Reach {
    async fn read(db: &mut Session, model: &ModelUuid) -> Result<Self> {
        let row = db.one(MODEL, params![model]).await?;
        let row = row.ok_or_else(|| StoreError::not_found(Subject::Model, model))?;
        let mut reach = Self {
            model: row,
            network: Network {
                mode: Mode::of(&config::effective(db, model).await?),
                relations: relations(db, model).await?,
                ..Network::default()
            },
            addresses: BTreeMap::new(),
            reached: BTreeMap::new(),
        };
        for row in db.all(EXPOSED, params![model]).await? {
            reach.network.exposures.set(row.name, row.exposure);
        }
        let shut = Shut::of_model(db, model).await?;
        for row in db.all(UNITS, params![model]).await? {
            if let Some(address) = row.address.and_then(unit_address) {
                reach.addresses.insert(row.name.clone(), address);
            }
            let unit = Unit {
                principal: row.principal,
                openings: shut.reached(&row.name.application(), row.openings),
            };
            reach.reached.insert(row.name.clone(), row.reached);
            reach.network.units.insert(row.name, unit);
        }
        Ok(reach)
    }
}

async fn relations(db: &mut Session, model: &ModelUuid) -> Result<Vec<Relation>> {
    let mut relations: Vec<(i64, Relation)> = Vec::new();
    for row in db.all(ENDS, params![model]).await? {
        let end = End {
            application: row.application,
            endpoint: row.endpoint,
        };
        match relations.last_mut() {
            Some((id, relation)) if *id == row.id => relation.ends.push(end),
            _ => relations.push((
                row.id,
                Relation {
                    ends: vec![end],
                    suspended: row.suspended,
                    container: row.scope == "container",
                },
            )),
        }
    }
    Ok(relations
        .into_iter()
        .map(|(_, relation)| relation)
        .collect())
}

impl Store {
    /// What a model's provider is to carry out; none where nothing is exposed and no charm has
    /// containers, for which one look is enough. Where agents have their files is the provider's own to say.
    pub async fn published(&self, model: &ModelUuid) -> Result<Option<Published>> {
        let mut db = self.snapshot().await?;
        // The text of a charm with containers has them; in a text within it the marks are escaped.
        let sql = r#"SELECT COUNT(*) FROM application
            JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
            WHERE application.model_uuid = $1
                AND (application.exposure <> '{}' OR charm.info LIKE '%"containers":{"%')"#;
        if db.count(sql, params![model]).await? == 0 {
            return Ok(None);
        }
        let reach = Reach::read(&mut db, model).await?;
        drop(db);
        let settings = self.controller_config().await?;
        let text = |key| settings.get(key).map(ToString::to_string);
        let address = text(periapt_model::options::INGRESS_ADDRESS);
        let port = text(periapt_model::options::INGRESS_PORT);
        let address = address.and_then(|text| text.parse::<IpAddr>().ok());
        let port = port.and_then(|text| text.parse().ok());
        let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        Ok(Some(Published {
            name: reach.model.name,
            directory: PathBuf::new(),
            ingress: SocketAddr::new(address, port.unwrap_or_default()),
            network: reach.network,
            addresses: reach.addresses,
            // The store knows of no collector; who asks it does.
            traces: false,
        }))
    }

    /// Records what the provider answered. Who is not named has nothing that listens; what is said
    /// again changes nothing.
    pub async fn set_reached(&self, model: &ModelUuid, answer: Answer) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| Box::pin(async move { put(tx, &model, answer).await }))
            .await
    }
}

async fn put(tx: &mut Tx, model: &ModelUuid, answer: Answer) -> Result<()> {
    let ingress = to_json(&Ingress {
        address: answer.ingress,
        failed: answer.ingress_failed,
    })?;
    let sql = "UPDATE model SET ingress = $2 WHERE uuid = $1 AND ingress <> $2";
    if tx.db.execute(sql, params![model, ingress]).await? > 0 {
        for row in tx.db.all(EXPOSED, params![model]).await? {
            tx.touch(model, namespace::APPLICATION_STATUS, row.name.as_str());
        }
    }
    let mut now: BTreeMap<UnitName, Reached> = BTreeMap::new();
    for way in answer.listening {
        let port = ListeningPort {
            port: way.port.to_string(),
            address: way.address.to_string(),
        };
        now.entry(way.unit).or_default().listening.push(port);
    }
    for silent in answer.not_listening {
        let port = SilentPort {
            port: silent.port.to_string(),
            reason: silent.reason,
        };
        now.entry(silent.unit).or_default().not_listening.push(port);
    }
    for row in tx.db.all(UNITS, params![model]).await? {
        let reached = now.remove(&row.name).unwrap_or_default();
        if reached != row.reached {
            let sql = "UPDATE unit SET reached = $3 WHERE model_uuid = $1 AND name = $2";
            let values = params![model, &row.name, to_json(&reached)?];
            tx.db.execute(sql, values).await?;
            tx.touch(model, namespace::PORT, row.name.as_str());
        }
    }
    Ok(())
}
