//! Settings of applications, and whether they are trusted: units hear of both by the digest of what holds.

use periapt_model::charm::CharmInfo;
use periapt_model::config::{self, Schema, Values};
use periapt_model::difference::{Difference, between};
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, Life, ModelUuid};
use periapt_wire::rest::{ApplicationConfig, ApplicationInfo, ConfigChange};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::secret::with_secrets;
use crate::{Result, Store, difference, views, why};

impl Store {
    /// Schema, settings and effective values of an application.
    pub async fn application_config(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
    ) -> Result<ApplicationConfig> {
        Ok(load(&mut self.glance().await?, model, application).await?.0)
    }

    /// Sets and resets in one step, all of it or nothing. Text is read as the option's type. A
    /// change that changes nothing writes nothing.
    pub async fn set_application_config(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        change: ConfigChange,
    ) -> Result<ApplicationConfig> {
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move { self::change(tx, &model, &application, &change).await })
        })
        .await
    }

    /// Trusts an application with the cloud's credential, or takes that back. Its units run `config-changed`.
    pub async fn set_trust(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        trusted: bool,
    ) -> Result<ApplicationInfo> {
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let (config, life) = load(&mut tx.db, &model, &application).await?;
                if !life.is_alive() {
                    return Err(StoreError::NotAlive {
                        kind: Subject::Application,
                        name: application.to_string(),
                        life,
                    });
                }
                if config.trust != trusted {
                    let sql =
                        "UPDATE application SET trusted = $3, config_hash = $4, config_cause = $5
                        WHERE model_uuid = $1 AND name = $2";
                    let hash = config::hash_with_trust(&config.effective, trusted);
                    let cause = why::cause(tx);
                    tx.db
                        .execute(sql, params![&model, &application, trusted, hash, cause])
                        .await?;
                    tx.touch(&model, namespace::APPLICATION, application.as_str());
                    tx.touch(&model, namespace::APPLICATION_CONFIG, application.as_str());
                }
                views::application::find(&mut tx.db, &model, &application).await
            })
        })
        .await
    }
}

/// Changes the settings of an application that is alive, by the schema of the charm it has.
pub(crate) async fn change(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    change: &ConfigChange,
) -> Result<ApplicationConfig> {
    let (before, life) = load(&mut tx.db, model, application).await?;
    if !life.is_alive() {
        return Err(StoreError::NotAlive {
            kind: Subject::Application,
            name: application.to_string(),
            life,
        });
    }
    let change = with_secrets(&mut tx.db, model, &before.schema, change).await?;
    let settings = apply(&before.schema, before.settings.clone(), &change)?;
    if settings == before.settings {
        return Ok(before);
    }
    let effective = before.schema.effective(&settings);
    let sql = "UPDATE application SET settings = $3, config_hash = $4, config_cause = $5
        WHERE model_uuid = $1 AND name = $2";
    let params = params![
        model,
        application,
        to_json(&settings)?,
        config::hash_with_trust(&effective, before.trust),
        why::cause(tx)
    ];
    tx.db.execute(sql, params).await?;
    let told = differences(&before.schema, &before.effective, &effective);
    difference::record(tx, model, Some(application), difference::Kind::Config, told).await?;
    tx.touch(model, namespace::APPLICATION_CONFIG, application.as_str());
    Ok(ApplicationConfig {
        settings,
        effective,
        ..before
    })
}

/// What differs between two sets of an application's values, without those of secrets.
pub(crate) fn differences(schema: &Schema, before: &Values, after: &Values) -> Vec<Difference> {
    between(before, after, |name| {
        let option = schema.options.get(name);
        option.is_some_and(|option| option.kind == config::Kind::Secret)
    })
}

/// The settings after a change; the first value that the schema refuses is the error.
pub(crate) fn apply(
    schema: &Schema,
    mut settings: Values,
    change: &ConfigChange,
) -> Result<Values> {
    for (name, value) in &change.set {
        settings.insert(name.clone(), schema.coerce(name, value)?);
    }
    for name in &change.reset {
        if change.set.contains_key(name) {
            return Err(StoreError::bad_request(format!(
                "option \"{name}\" is both set and reset"
            )));
        }
        if !schema.options.contains_key(name) {
            // The schema's own error, which lists the options there are.
            schema.coerce(name, &config::Value::Text(String::new()))?;
        }
        settings.remove(name);
    }
    Ok(settings)
}

columns! {
    struct Configured {
        charm: String = "application.charm_url",
        life: Life = "application.life" as word,
        settings: Values = "application.settings" as json,
        trusted: bool = "application.trusted",
        info: CharmInfo = "charm.info" as json,
    }
    const CONFIGURED = "FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.name = $2";
}

async fn load(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<(ApplicationConfig, Life)> {
    let found = db.one(CONFIGURED, params![model, application]).await?;
    let found = found.ok_or_else(|| StoreError::not_found(Subject::Application, application))?;
    let schema = found.info.config;
    let config = ApplicationConfig {
        application: application.clone(),
        charm: found.charm,
        effective: schema.effective(&found.settings),
        schema,
        settings: found.settings,
        trust: found.trusted,
    };
    Ok((config, found.life))
}

#[cfg(test)]
mod tests;
