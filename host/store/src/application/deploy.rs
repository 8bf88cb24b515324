//! Deploying an application, adding units, and changing the charm.

use periapt_model::bounds;
use periapt_model::charm::may_replace;
use periapt_model::config::{self, Values};
use periapt_model::constraints::Constraints;
use periapt_model::difference::Difference;
use periapt_model::refusal::Subject;
use periapt_model::storage::StorageId;
use periapt_model::{ApplicationName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::{ApplicationInfo, ConfigChange, Deploy, Refresh};

use super::constraints;
use crate::changes::namespace;
use crate::db::{Tx, params, to_json};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::{
    Result, Store, application, charm, difference, grant, machine, relation, resource, secret,
    storage, unit, views, why,
};

/// Units made by one call at most, so that one call cannot hold the writer for long.
pub(super) const UNITS_AT_ONCE: u32 = bounds::UNITS_AT_ONCE.most as u32;

impl Store {
    /// Makes an application with its first units, all of it or nothing. The charm must have
    /// been uploaded, the name be free, the settings fit the charm, and all that the charm declares be decided.
    pub async fn deploy(&self, model: &ModelUuid, request: Deploy) -> Result<ApplicationInfo> {
        self.deploy_by(model, request, "").await
    }

    /// The same on the word of a user, who is kept with what is decided.
    pub async fn deploy_by(
        &self,
        model: &ModelUuid,
        request: Deploy,
        by: &str,
    ) -> Result<ApplicationInfo> {
        let (model, by) = (model.clone(), by.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                let charm = charm::find(&mut tx.db, &model, &request.charm).await?;
                if charm.subordinate && request.units > 0 {
                    return Err(StoreError::bad_request(format!(
                        "charm \"{}\" is subordinate: its units come with relations; deploy it with 0 units",
                        charm.url
                    )));
                }
                if charm.subordinate && !request.placement.is_empty() {
                    return Err(StoreError::bad_request(
                        "units of a subordinate charm live with their principals and cannot be placed",
                    ));
                }
                let constraints = Constraints::said(&request.constraints)?;
                if charm.subordinate && !constraints.is_empty() {
                    return Err(constraints::of_subordinate(&request.application));
                }
                let change = ConfigChange { set: request.config, reset: Vec::new() };
                let change = secret::with_secrets(&mut tx.db, &model, &charm.config, &change).await?;
                let settings = application::config::apply(&charm.config, Values::new(), &change)?;
                let effective = charm.config.effective(&settings);
                let hash = config::hash_with_trust(&effective, request.trust);
                let channel = charm::channel(request.channel.unwrap_or_default())?;
                let sql = "INSERT INTO application (model_uuid, name, charm_url, charm_modified_version, force_charm,
                        life, settings, config_hash, workload_version, created_at, subordinate, channel, trusted,
                        constraints, charm_cause, config_cause)
                    VALUES ($1, $2, $3, 0, 0, 'alive', $4, $5, '', $6, $7, $8, $9, $10, $11, $11)
                    ON CONFLICT (model_uuid, name) DO NOTHING";
                let name = &request.application;
                let url = charm.url.to_string();
                let settings = to_json(&settings)?;
                let (subordinate, trusted) = (charm.subordinate, request.trust);
                let values = params![&model, name, url, settings, hash, tx.now, subordinate, channel, trusted, constraints.to_string(), why::cause(tx)];
                if tx.db.execute(sql, values).await? == 0 {
                    return Err(StoreError::AlreadyExists { kind: Subject::Application, name: name.to_string() });
                }
                tx.touch(&model, namespace::APPLICATION, name.as_str());
                tx.touch(&model, namespace::APPLICATION_CONFIG, name.as_str());
                let mut choices = request.capabilities;
                choices.grant_all |= request.trust;
                grant::begin(tx, &model, name, &charm.declared, &choices, &by).await?;
                relation::make_peers(tx, &model, name, &charm).await?;
                resource::attach_uploads(tx, &model, name, &charm, &request.resources).await?;
                storage::declare(tx, &model, name, &charm, &request.storage).await?;
                let units = make_units(tx, &model, name, request.units, &request.placement).await?;
                storage::give(tx, &model, name, &charm, &units, &request.attach_storage).await?;
                views::application::find(&mut tx.db, &model, name).await
            })
        })
        .await
    }

    /// Adds units to an application; their names. Numbers are never used again.
    pub async fn add_units(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        count: u32,
    ) -> Result<Vec<UnitName>> {
        self.add_units_to(model, application, count, Vec::new(), Vec::new())
            .await
    }

    /// The same with machines for the first of them, in their order; units beyond get new ones. With storage
    /// that is there it is one unit, which is given that in place of new one.
    pub async fn add_units_to(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        count: u32,
        placement: Vec<MachineId>,
        attach: Vec<StorageId>,
    ) -> Result<Vec<UnitName>> {
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                let found = application::require_alive(&mut tx.db, &model, &application).await?;
                let charm = charm::find(&mut tx.db, &model, &found).await?;
                if charm.subordinate {
                    return Err(StoreError::bad_request(format!(
                        "\"{application}\" is subordinate: its units come with relations"
                    )));
                }
                if count == 0 {
                    return Err(StoreError::bad_request("add at least one unit"));
                }
                let units = make_units(tx, &model, &application, count, &placement).await?;
                storage::give(tx, &model, &application, &charm, &units, &attach).await?;
                Ok(units)
            })
        })
        .await
    }

    /// Changes an application's charm to another revision of it, newer or older, and options with
    /// it. The same revision again changes nothing but what is named: resources, options, what
    /// later units are given of storage, and that units in error are not to wait. Settings that the new charm does not know, or reads
    /// differently, go, and so do resources that it does not declare, and what the charm of before
    /// could be refreshed to. What units have of storage must fit the new charm.
    pub async fn refresh(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        request: Refresh,
    ) -> Result<ApplicationInfo> {
        self.refresh_by(model, application, request, "").await
    }

    /// The same on the word of a user, who is kept with what is decided. A revision that needs what nobody decided about
    /// is kept until somebody does; the application stays as it is meanwhile.
    pub async fn refresh_by(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        request: Refresh,
        by: &str,
    ) -> Result<ApplicationInfo> {
        let (model, application, by) = (model.clone(), application.clone(), by.to_owned());
        self.write(move |tx| {
            Box::pin(async move { take_revision(tx, &model, &application, request, &by).await })
        })
        .await
    }
}

/// Refreshes an application, unless the new charm needs what nobody decided about.
pub(crate) async fn take_revision(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    request: Refresh,
    by: &str,
) -> Result<ApplicationInfo> {
    let current = application::require_alive(&mut tx.db, model, application).await?;
    let old = charm::find(&mut tx.db, model, &current).await?;
    let new = charm::find(&mut tx.db, model, &request.charm).await?;
    may_replace(&old, &new).map_err(|unfit| StoreError::Refused {
        refusal: unfit.refusal,
        message: format!("\"{application}\" {}", unfit.why),
    })?;
    if new.url != old.url {
        relation::require_endpoints(&mut tx.db, model, application, &old, &new).await?;
    }
    let charms = [&old, &new];
    if !grant::held::may_take(tx, model, application, charms, &request, by).await? {
        return views::application::find(&mut tx.db, model, application).await;
    }
    let rules = grant::rules(&mut tx.db, model).await?;
    let change = ConfigChange {
        set: request.config,
        reset: Vec::new(),
    };
    if let Some(channel) = request.channel {
        charm::follow(tx, model, application, channel).await?;
    }
    let resources = &request.resources;
    let attached = resource::attach_uploads(tx, model, application, &new, resources).await?;
    if new.url == old.url {
        if attached {
            resource::tell(tx, model, application).await?;
        }
        application::config::change(tx, model, application, &change).await?;
        if !request.storage.is_empty() {
            storage::refreshed(tx, model, application, &old, &new, &request.storage).await?;
        }
        if request.force_units {
            force_units(tx, model, application).await?;
        }
        grant::settle(tx, model, application, &rules).await?;
        return views::application::find(&mut tx.db, model, application).await;
    }
    relation::make_peers(tx, model, application, &new).await?;
    resource::keep_declared(tx, model, application, &new).await?;
    storage::refreshed(tx, model, application, &old, &new, &request.storage).await?;
    let sql = "SELECT settings FROM application WHERE model_uuid = $1 AND name = $2";
    let settings = tx
        .db
        .document("settings", sql, params![model, application])
        .await?;
    let mut settings: Values = settings.unwrap_or_default();
    let before = old.config.effective(&settings);
    settings.retain(|name, value| new.config.coerce(name, value).is_ok());
    let change = secret::with_secrets(&mut tx.db, model, &new.config, &change).await?;
    let settings = application::config::apply(&new.config, settings, &change)?;
    let sql = "SELECT trusted FROM application WHERE model_uuid = $1 AND name = $2";
    let trusted = tx.db.scalar(sql, params![model, application]).await?;
    let effective = new.config.effective(&settings);
    let hash = config::hash_with_trust(&effective, trusted.unwrap_or_default());
    let sql =
        "UPDATE application SET charm_url = $3, force_charm = $4, settings = $5, config_hash = $6,
            charm_modified_version = charm_modified_version + 1, can_upgrade_to = '',
            charm_cause = $7, config_cause = CASE WHEN config_hash = $6 THEN config_cause ELSE $7 END
        WHERE model_uuid = $1 AND name = $2";
    let values = params![
        model,
        application,
        new.url.to_string(),
        request.force_units,
        to_json(&settings)?,
        hash,
        why::cause(tx)
    ];
    tx.db.execute(sql, values).await?;
    let revision = Difference {
        name: "charm".to_owned(),
        was: Some(old.url.to_string()),
        becomes: Some(new.url.to_string()),
    };
    let told = vec![revision];
    let kind = difference::Kind::Revision;
    difference::record(tx, model, Some(application), kind, told).await?;
    let told = application::config::differences(&new.config, &before, &effective);
    let kind = difference::Kind::Config;
    difference::record(tx, model, Some(application), kind, told).await?;
    // It was about the charm of before.
    application::put_trouble(tx, model, application, None).await?;
    grant::settle(tx, model, application, &rules).await?;
    tx.touch(model, namespace::APPLICATION, application.as_str());
    tx.touch(model, namespace::APPLICATION_CONFIG, application.as_str());
    views::application::find(&mut tx.db, model, application).await
}

/// Lets units in error change to the charm that the application has already.
async fn force_units(tx: &mut Tx, model: &ModelUuid, application: &ApplicationName) -> Result<()> {
    let sql = "UPDATE application SET force_charm = $3
        WHERE model_uuid = $1 AND name = $2 AND force_charm <> $3";
    if tx
        .db
        .execute(sql, params![model, application, true])
        .await?
        > 0
    {
        tx.touch(model, namespace::APPLICATION, application.as_str());
    }
    Ok(())
}

/// Makes units with their first statuses and a staged assignment each.
pub(super) async fn make_units(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    count: u32,
    placement: &[MachineId],
) -> Result<Vec<UnitName>> {
    if placement.len() > count as usize {
        return Err(StoreError::bad_request(format!(
            "{} machines are named for {count} units",
            placement.len()
        )));
    }
    for machine in placement {
        machine::require_alive(&mut tx.db, model, machine).await?;
    }
    if count > UNITS_AT_ONCE {
        return Err(StoreError::bad_request(format!(
            "at most {UNITS_AT_ONCE} units at once"
        )));
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    let first = tx
        .take_numbers(model, &format!("unit {application}"), u64::from(count))
        .await?;
    let numbers: Vec<u64> = (first..).take(count as usize).collect();
    let names: Vec<UnitName> = numbers
        .iter()
        .map(|number| UnitName::new(application, *number))
        .collect();

    let addresses = unit::address::take(tx, u64::from(count)).await?;
    let cause = why::cause(tx);
    let rows = names
        .iter()
        .zip(&numbers)
        .zip(addresses)
        .map(|((name, number), address)| {
            params![
                model,
                name,
                application,
                *number,
                Life::Alive.as_str(),
                "none",
                "",
                "[]",
                0_i64,
                tx.now,
                address,
                &cause
            ]
        })
        .collect();
    let head =
        "INSERT INTO unit (model_uuid, name, application, number, life, resolved, workload_version,
        opened_ports, forced, created_at, address, cause)";
    tx.db.insert_many(head, "", rows).await?;
    let placed = placement.iter().map(MachineId::as_str);
    let rows = names
        .iter()
        .zip(placed.chain(std::iter::repeat("")))
        .map(|(name, machine)| params![model, name, machine])
        .collect();
    let head = "INSERT INTO unit_assignment (model_uuid, unit, placement)";
    tx.db.insert_many(head, "", rows).await?;
    let mut statuses = Vec::with_capacity(names.len() * 2);
    for name in &names {
        statuses.push((kind::AGENT, name.to_string(), "allocating", ""));
        statuses.push((
            kind::WORKLOAD,
            name.to_string(),
            "waiting",
            "waiting for machine",
        ));
        tx.touch(model, namespace::UNIT, name.as_str());
        tx.touch(model, namespace::UNIT_ASSIGNMENT, name.as_str());
    }
    status::put_first(tx, model, &statuses).await?;
    Ok(names)
}
