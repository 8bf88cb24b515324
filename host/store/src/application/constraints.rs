//! Constraints of applications: what machines have to be like that are made for their units.

use periapt_model::constraints::Constraints;
use periapt_model::{ApplicationName, ModelUuid};
use periapt_wire::rest::ApplicationInfo;

use crate::changes::namespace;
use crate::db::{Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, application, charm, views};

columns! {
    /// An application's constraints and its model's.
    struct Wanted {
        own: Constraints = "application.constraints" as word,
        model: Constraints = "model.constraints" as word,
    }
    const WANTED = "FROM application JOIN model ON model.uuid = application.model_uuid
        WHERE application.model_uuid = $1 AND application.name = $2";
}

impl Store {
    /// Says what machines have to be like that are made for an application's units from now on, in the place of
    /// what was said before.
    pub async fn set_constraints(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        constraints: &str,
    ) -> Result<ApplicationInfo> {
        let constraints = Constraints::said(constraints)?;
        let (model, application) = (model.clone(), application.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let charm = application::require_alive(&mut tx.db, &model, &application).await?;
                let charm = charm::find(&mut tx.db, &model, &charm).await?;
                if charm.subordinate {
                    return Err(of_subordinate(&application));
                }
                let sql = "UPDATE application SET constraints = $3
                    WHERE model_uuid = $1 AND name = $2 AND constraints <> $3";
                let values = params![&model, &application, constraints.to_string()];
                if tx.db.execute(sql, values).await? > 0 {
                    tx.touch(&model, namespace::APPLICATION, application.as_str());
                }
                views::application::find(&mut tx.db, &model, &application).await
            })
        })
        .await
    }
}

/// What a machine has to be like for a unit of an application: its own constraints over the model's.
pub(super) async fn of_machines(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<Constraints> {
    let wanted = tx.db.one(WANTED, params![model, application]).await?;
    Ok(wanted
        .map(|wanted| wanted.own.over(&wanted.model))
        .unwrap_or_default())
}

pub(super) fn of_subordinate(application: &ApplicationName) -> StoreError {
    StoreError::bad_request(format!(
        "\"{application}\" is subordinate: its units live on the machines of their principals, whose constraints hold"
    ))
}

#[cfg(test)]
mod tests;
