//! Constraints of models: what their machines have to be like, as far as nothing else is said of one.

use periapt_model::ModelUuid;
use periapt_model::constraints::Constraints;
use periapt_model::refusal::Subject;

use crate::changes::namespace;
use crate::db::{Session, params};
use crate::error::StoreError;
use crate::{Result, Store};

impl Store {
    /// What was said of a model's machines.
    pub async fn model_constraints(&self, model: &ModelUuid) -> Result<Constraints> {
        find(&mut self.glance().await?, model).await
    }

    /// Says what machines of a model have to be like that are made from now on, in the place of what was said
    /// before.
    pub async fn set_model_constraints(
        &self,
        model: &ModelUuid,
        constraints: &str,
    ) -> Result<Constraints> {
        let constraints = Constraints::said(constraints)?;
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                let sql = "UPDATE model SET constraints = $2 WHERE uuid = $1 AND constraints <> $2";
                let values = params![&model, constraints.to_string()];
                if tx.db.execute(sql, values).await? > 0 {
                    tx.touch(&model, namespace::MODEL, model.as_str());
                }
                Ok(constraints)
            })
        })
        .await
    }
}

pub(crate) async fn find(db: &mut Session, model: &ModelUuid) -> Result<Constraints> {
    let sql = "SELECT constraints FROM model WHERE uuid = $1";
    let found = db.word("constraints", sql, params![model]).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Model, model))
}
