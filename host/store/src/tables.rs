//! Whose rows go with whom.
//!
//! Each entity says it of its tables, beside its rows (`TABLES` in its folder). Here the lists are put
//! together, so that what removes a unit, an application or a model knows no table of others, and a
//! new table is forgotten by none of them: a test holds the lists against the schema.

use periapt_model::ModelUuid;

use crate::db::{Param, Tx, params};
use crate::{
    Result, alert, annotation, application, block, bundle, charm, cleanup, controller, database,
    difference, grant, hook, incident, lease, log, machine, model, operation, payload, relation,
    resource, secret, status, storage, unit, usage, user,
};

/// A table whose rows belong to a model.
pub(crate) struct Table {
    #[cfg(test)]
    pub name: &'static str,
    /// Deletes the rows of a model.
    pub with_model: &'static str,
    pub goes: &'static [Goes],
}

/// Rows that go with something in the model.
pub(crate) struct Goes {
    pub with: With,
    pub sql: &'static str,
    /// The namespace in which those hear of it who watch for such rows.
    pub heard: Option<&'static str>,
}

/// What else than a model rows go with, and what `$2` then is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum With {
    /// Its name.
    Application,
    /// Its name.
    Unit,
    /// Its id.
    Machine,
    /// Its id, a number.
    Relation,
}

/// The tables of an entity: each with the column that names the model where it is another than
/// `model_uuid`, and with the conditions under which rows go with something in it.
macro_rules! tables {
    ($($name:literal $(by $column:literal)?
        $(, $with:ident $condition:literal $(heard in $heard:ident)?)*;)*) => {
        &[$($crate::tables::Table {
            #[cfg(test)]
            name: $name,
            with_model: concat!(
                "DELETE FROM ", $name, " WHERE ", $crate::tables::model_column!($($column)?), " = $1"
            ),
            goes: &[$($crate::tables::Goes {
                with: $crate::tables::With::$with,
                sql: concat!(
                    "DELETE FROM ", $name, " WHERE model_uuid = $1 AND ", $condition
                ),
                heard: $crate::tables::heard!($($heard)?),
            }),*],
        }),*]
    };
}

macro_rules! model_column {
    () => {
        "model_uuid"
    };
    ($column:literal) => {
        $column
    };
}

macro_rules! heard {
    () => {
        None
    };
    ($namespace:ident) => {
        Some($crate::changes::namespace::$namespace)
    };
}

pub(crate) use {heard, model_column, tables};

pub(crate) const ALL: &[&[Table]] = &[
    model::TABLES,
    application::TABLES,
    unit::TABLES,
    charm::TABLES,
    relation::TABLES,
    resource::TABLES,
    secret::TABLES,
    machine::TABLES,
    status::TABLES,
    storage::TABLES,
    hook::TABLES,
    cleanup::TABLES,
    lease::TABLES,
    log::TABLES,
    operation::TABLES,
    payload::TABLES,
    block::TABLES,
    bundle::TABLES,
    annotation::TABLES,
    controller::TABLES,
    usage::TABLES,
    user::TABLES,
    alert::TABLES,
    database::TABLES,
    difference::TABLES,
    grant::TABLES,
    incident::TABLES,
];

/// Deletes all rows of a model.
pub(crate) async fn remove_model(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    secret::model_gone(tx, model).await?;
    alert::model_gone(tx, model).await?;
    for tables in ALL {
        for table in *tables {
            tx.db.execute(table.with_model, params![model]).await?;
        }
    }
    Ok(())
}

/// Deletes the rows that go with something in a model; how many there were.
pub(crate) async fn remove(
    tx: &mut Tx,
    model: &ModelUuid,
    with: With,
    key: impl Into<Param>,
) -> Result<u64> {
    let key: Param = key.into();
    let mut gone = 0;
    for tables in ALL {
        for goes in tables.iter().flat_map(|table| table.goes) {
            if goes.with != with {
                continue;
            }
            let rows = tx
                .db
                .execute(goes.sql, vec![model.into(), key.clone()])
                .await?;
            if let (1.., Some(namespace), Param::Text(Some(key))) = (rows, goes.heard, &key) {
                tx.touch(model, namespace, key.as_str());
            }
            gone += rows;
        }
    }
    Ok(gone)
}
