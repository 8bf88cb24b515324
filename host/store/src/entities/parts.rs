//! Names in parts, and the entities that are read by them alone.

use std::collections::{BTreeMap, HashMap};

use super::{Names, Reader};
use crate::Result;
use crate::applications;
use crate::db::{PART, names, part_params};
use crate::waiting::HeldBy;

/// The names in parts.
pub(super) fn parts<T>(names: &BTreeMap<String, T>) -> Vec<Vec<String>> {
    let names: Vec<String> = names.keys().cloned().collect();
    names.chunks(PART).map(<[String]>::to_vec).collect()
}

/// Applications, with their units and what those say.
pub(super) async fn applications(reader: &mut Reader, mut names: Names) -> Result<()> {
    let mut held_by = HeldBy::default();
    for part in parts(&names.causes) {
        let sql = names!(
            "SELECT unit.application, unit.name, status.status, status.message, status.data, status.since FROM unit
            LEFT JOIN status ON status.model_uuid = unit.model_uuid AND status.kind = 'workload'
                AND status.entity = unit.name
            WHERE unit.model_uuid = $1 AND unit.application IN",
            "ORDER BY unit.application, unit.number"
        );
        let rows = reader
            .db
            .fetch(sql, part_params(&names.model, &part))
            .await?;
        let mut units = HashMap::new();
        for row in &rows {
            applications::note_unit(row, &mut units)?;
        }
        let sql = names!(
            "SELECT application.name, application.charm_url, charm.name, charm.revision, application.life,
                application.exposed, application.workload_version, application.subordinate,
                status.status, status.message, status.data, status.since
            FROM application
            JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
            LEFT JOIN status ON status.model_uuid = application.model_uuid AND status.kind = 'application'
                AND status.entity = application.name
            WHERE application.model_uuid = $1 AND application.name IN",
            ""
        );
        let rows = reader
            .db
            .fetch(sql, part_params(&names.model, &part))
            .await?;
        if applications::any_goes(&rows)? {
            held_by.load(&mut reader.db, &names.model).await?;
        }
        for row in &rows {
            let info = applications::read(row, &mut units, &mut held_by)?;
            names.put(reader, info.name.as_str(), &info)?;
        }
    }
    names.end(reader);
    Ok(())
}
