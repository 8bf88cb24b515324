//! What units use of their quotas, and the meter status that follows, of that and of what a person said.
//!
//! It is decided in the transaction that writes down what was used, requests and hooks alike, by the rule of
//! `model/quota`. A status that is not green is looked at again when the minute is over, by the queue of
//! clean-ups, so that it falls also of a unit that nobody asks any more; while all are green nothing is queued.
//! Of a model without quotas nothing is kept, and a change of the quotas has all of its units decided anew.

use std::time::Duration;

use periapt_model::config::Value;
use periapt_model::quota::{CPU, Code, Meter, Quotas, REQUESTS, Used};
use periapt_model::{ApplicationName, ModelUuid, Refusal, UnitName};

use crate::changes::namespace;
use crate::cleanup::{self, Kind};
use crate::db::{Cells, Session, Tx, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::model::config::layered;
use crate::{DatabaseError, Result, Store, application, unit};

#[cfg(test)]
mod tests;

/// Microseconds.
const MINUTE: i64 = 60_000_000;

columns! {
    struct Set {
        key: String = "layered.key",
        value: Value = "layered.value" as json,
    }
    const QUOTAS = layered!(
        "WHERE layered.key IN ('unit-cpu-quota', 'unit-requests-quota') ORDER BY layered.layer"
    );
}

columns! {
    struct Minute {
        minute: i64 = "minute",
        requests: u64 = "requests",
        cpu: u64 = "cpu",
    }
    const USED = "FROM unit_use WHERE model_uuid = $1 AND unit = $2 AND minute >= $3";
}

columns! {
    struct Concerned { name: UnitName = "name" as word }
    const CONCERNED = "FROM unit WHERE model_uuid = $1 AND (meter <> '' OR EXISTS (
        SELECT 1 FROM unit_use WHERE unit_use.model_uuid = unit.model_uuid AND unit_use.unit = unit.name))
        ORDER BY name";
}

/// The column `meter` of a unit.
pub(crate) fn meter(cells: &mut Cells<'_>) -> std::result::Result<Option<Meter>, DatabaseError> {
    match cells.str()? {
        "" => Ok(None),
        text => serde_json::from_str(text)
            .map(Some)
            .map_err(|error| cells.unfit(error)),
    }
}

/// What each unit of a model may use.
pub(crate) async fn quotas(db: &mut Session, model: &ModelUuid) -> Result<Quotas> {
    // What is nearer to the model comes later.
    let set = db.all(QUOTAS, params![model]).await?.into_iter();
    Ok(Quotas::of(
        &set.map(|option| (option.key, option.value)).collect(),
    ))
}

/// Whether an option is one of them.
pub(crate) fn is_quota(option: &str) -> bool {
    [CPU, REQUESTS].contains(&option)
}

/// The quotas changed: all of the model's units are decided about anew.
pub(crate) async fn changed(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let now = tx.now;
    cleanup::enqueue(tx, model, Kind::Meters, "", false, now).await
}

/// Adds what a unit used in a minute, and decides what it is told of it.
pub(crate) async fn spend(
    tx: &mut Tx,
    model: &ModelUuid,
    quotas: &Quotas,
    unit: &UnitName,
    minute: i64,
    used: Used,
) -> Result<()> {
    let first = tx.now.div_euclid(MINUTE) - 1;
    // Told so late that it is held against nobody.
    if quotas.is_empty() || minute < first {
        return Ok(());
    }
    let sql = "DELETE FROM unit_use WHERE model_uuid = $1 AND unit = $2 AND minute < $3";
    tx.db.execute(sql, params![model, unit, first]).await?;
    let sql =
        "INSERT INTO unit_use (model_uuid, unit, minute, requests, cpu) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (model_uuid, unit, minute) DO UPDATE
        SET requests = unit_use.requests + excluded.requests, cpu = unit_use.cpu + excluded.cpu";
    let cpu = u64::try_from(used.cpu.as_micros()).unwrap_or(u64::MAX);
    let row = params![
        model,
        unit,
        minute,
        super::bounded(used.requests),
        super::bounded(cpu)
    ];
    tx.db.execute(sql, row).await?;
    decide(tx, model, quotas, unit).await?;
    Ok(())
}

/// A hook took some time and ends now.
pub(crate) async fn spend_on_hook(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    took: Duration,
) -> Result<()> {
    let quotas = quotas(&mut tx.db, model).await?;
    if quotas.cpu.is_zero() {
        return Ok(());
    }
    let minute = tx.now.div_euclid(MINUTE);
    let used = Used {
        requests: 0,
        cpu: took,
    };
    spend(tx, model, &quotas, unit, minute, used).await
}

/// Decides about all units that used something or are told something.
pub(crate) async fn review(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let quotas = quotas(&mut tx.db, model).await?;
    let kept = match quotas.is_empty() {
        true => i64::MAX,
        false => tx.now.div_euclid(MINUTE) - 1,
    };
    let sql = "DELETE FROM unit_use WHERE model_uuid = $1 AND minute < $2";
    tx.db.execute(sql, params![model, kept]).await?;
    let mut worst = Code::Green;
    for unit in tx.db.all(CONCERNED, params![model]).await? {
        worst = worst.max(decide(tx, model, &quotas, &unit.name).await?);
    }
    match worst {
        Code::Green => Ok(()),
        Code::Amber | Code::Red => look_again(tx, model).await,
    }
}

columns! {
    /// What a person said of a unit.
    struct Said { meter: Option<Meter> = "meter_set" as meter }
    const SAID = "FROM unit WHERE model_uuid = $1 AND name = $2";
}

impl Store {
    /// Gives a unit a meter status, which it is told unless its quotas say something worse; green takes it back.
    pub async fn set_unit_meter_status(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        colour: &str,
        info: &str,
    ) -> Result<()> {
        let said = read(colour, info)?;
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                unit::require(&mut tx.db, &model, &unit).await?;
                say(tx, &model, &[unit], &said).await
            })
        })
        .await
    }

    /// The same of all units that an application has now.
    pub async fn set_application_meter_status(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        colour: &str,
        info: &str,
    ) -> Result<()> {
        let said = read(colour, info)?;
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                application::require(&mut tx.db, &model, &application).await?;
                let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND application = $2 ORDER BY number";
                let key = params![&model, &application];
                let units: Vec<UnitName> = tx.db.words("unit", sql, key).await?;
                say(tx, &model, &units, &said).await
            })
        })
        .await
    }
}

fn read(colour: &str, info: &str) -> Result<Meter> {
    Meter::said(colour, info).map_err(|message| StoreError::Refused {
        refusal: Refusal::MeterStatusInvalid,
        message,
    })
}

async fn say(tx: &mut Tx, model: &ModelUuid, units: &[UnitName], said: &Meter) -> Result<()> {
    let quotas = quotas(&mut tx.db, model).await?;
    for unit in units {
        let sql = "UPDATE unit SET meter_set = $3 WHERE model_uuid = $1 AND name = $2";
        let row = params![model, unit, kept(said)?];
        tx.db.execute(sql, row).await?;
        decide(tx, model, &quotas, unit).await?;
    }
    Ok(())
}

/// As it is kept: nothing of what is green.
fn kept(meter: &Meter) -> Result<String> {
    match meter.code {
        Code::Green => Ok(String::new()),
        Code::Amber | Code::Red => Ok(to_json(meter)?),
    }
}

/// Decides what a unit is told; what its quotas alone say.
async fn decide(tx: &mut Tx, model: &ModelUuid, quotas: &Quotas, unit: &UnitName) -> Result<Code> {
    let now = tx.now.div_euclid(MINUTE);
    let mut minutes = [Used::default(); 2];
    for row in tx.db.all(USED, params![model, unit, now - 1]).await? {
        // Nothing is of a minute that has yet to come.
        let place = usize::from(row.minute < now);
        minutes[place] = Used {
            requests: row.requests,
            cpu: Duration::from_micros(row.cpu),
        };
    }
    let used = quotas.meter(minutes);
    let code = used.code;
    let said = tx.db.one(SAID, params![model, unit]).await?;
    let said = said.and_then(|said| said.meter).unwrap_or_default();
    let text = kept(&used.worse(said))?;
    let sql = "UPDATE unit SET meter = $3 WHERE model_uuid = $1 AND name = $2 AND meter <> $3";
    if tx.db.execute(sql, params![model, unit, text]).await? > 0 {
        tx.touch(model, namespace::METER, unit.as_str());
        // Whoever is not green already is looked at again; what a person said stays until they say otherwise.
        if code != Code::Green {
            look_again(tx, model).await?;
        }
    }
    Ok(code)
}

/// When this minute is over.
async fn look_again(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let due = (tx.now.div_euclid(MINUTE) + 1) * MINUTE;
    cleanup::enqueue(tx, model, Kind::Meters, "", false, due).await
}
