//! Units: their way out in `removal`, what their agents read in `uniter`, and the answer to a failed hook.

use periapt_model::refusal::Subject;
use periapt_model::status::{Agent, Status};
use periapt_model::{Life, ModelUuid, Refusal, UnitName};

use crate::changes::namespace;
use crate::db::{Session, params};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::tables::{Table, tables};
use crate::{Result, Store, why};

pub(crate) mod address;
pub(crate) mod removal;
pub(crate) mod uniter;

pub(crate) const TABLES: &[Table] = tables! {
    "unit", Unit "name = $2";
    "unit_state", Unit "unit = $2";
    "charm_state", Unit "unit = $2";
    "unit_assignment", Unit "unit = $2" heard in UNIT_ASSIGNMENT;
};

impl Store {
    /// Answers a failed hook: run it again, or go on as if it had succeeded. Refused unless the
    /// unit is in error.
    pub async fn resolved(&self, model: &ModelUuid, unit: &UnitName, retry: bool) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "SELECT resolved FROM unit WHERE model_uuid = $1 AND name = $2";
                let found: Option<String> = tx.db.scalar(sql, params![&model, &unit]).await?;
                let found = found.ok_or_else(|| StoreError::not_found(Subject::Unit, &unit))?;
                let agent: Option<Status<Agent>> =
                    status::find(&mut tx.db, &model, kind::AGENT, unit.as_str()).await?;
                if agent.is_none_or(|agent| agent.status != Agent::Error) {
                    return Err(StoreError::Refused {
                        refusal: Refusal::UnitNotInError,
                        message: format!("unit {unit} is not in an error state"),
                    });
                }
                let wanted = if retry { "retry-hooks" } else { "no-hooks" };
                if found == wanted {
                    return Ok(());
                }
                if found != "none" {
                    return Err(StoreError::Refused {
                        refusal: Refusal::AlreadyResolved,
                        message: format!("unit {unit} is already resolved with {found}"),
                    });
                }
                let sql = "UPDATE unit SET resolved = $3, resolved_cause = $4
                    WHERE model_uuid = $1 AND name = $2";
                let values = params![&model, &unit, wanted, why::cause(tx)];
                tx.db.execute(sql, values).await?;
                tx.touch(&model, namespace::RESOLVED, unit.as_str());
                Ok(())
            })
        })
        .await
    }
}

/// The life of a unit that is there.
pub(crate) async fn life(db: &mut Session, model: &ModelUuid, unit: &UnitName) -> Result<Life> {
    let sql = "SELECT life FROM unit WHERE model_uuid = $1 AND name = $2";
    let found = db.word("life of a unit", sql, params![model, unit]).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Unit, unit))
}

/// That the unit is there.
pub(crate) async fn require(db: &mut Session, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "SELECT 1 FROM unit WHERE model_uuid = $1 AND name = $2";
    match db.exists(sql, params![model, unit]).await? {
        true => Ok(()),
        false => Err(StoreError::not_found(Subject::Unit, unit)),
    }
}
