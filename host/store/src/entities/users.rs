//! Of which models a person may hear.

use std::collections::BTreeSet;

use periapt_model::{ModelUuid, UserName};
use periapt_wire::rest::ControllerAccess;

use crate::db::{columns, params, word};
use crate::{Result, Store};

/// What a person may hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nobody by that name, or disabled.
    Nothing,
    Models(BTreeSet<ModelUuid>),
    /// A superuser.
    Everything,
}

impl Reach {
    /// Whether a model may be read.
    pub fn includes(&self, model: &ModelUuid) -> bool {
        match self {
            Reach::Nothing => false,
            Reach::Models(models) => models.contains(model),
            Reach::Everything => true,
        }
    }
}

impl Store {
    /// The models a person was given access to: an owner has it like everybody else.
    pub async fn reach(&self, user: &UserName) -> Result<Reach> {
        let mut db = self.snapshot().await?;
        let standing = db.one(STANDING, params![user]).await?;
        match standing {
            None => Ok(Reach::Nothing),
            Some(standing) if standing.disabled => Ok(Reach::Nothing),
            Some(standing) if standing.access == ControllerAccess::Superuser => {
                Ok(Reach::Everything)
            }
            Some(_) => {
                let sql = "SELECT model_uuid FROM model_access WHERE account = $1";
                let models: Vec<ModelUuid> = db.words("model UUID", sql, params![user]).await?;
                Ok(Reach::Models(models.into_iter().collect()))
            }
        }
    }
}

columns! {
    struct Standing {
        access: ControllerAccess = "access" as word,
        disabled: bool = "disabled",
    }
    const STANDING = "FROM account WHERE name = $1";
}
