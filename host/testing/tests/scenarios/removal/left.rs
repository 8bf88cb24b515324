//! What is left of things that were removed: in the store, looked at from outside, and on disk.

use std::path::Path;

use periapt_testing::{Scenario, ScenarioError};
use rusqlite::{Connection, OpenFlags, params_from_iter};

/// The application that is not removed with the others.
pub const KEEPER: &str = "keeper";
/// The first of the model.
pub const KEEPERS_STORAGE: &str = "data/0";

/// Statements that find rows of anything but the keeper; `?1` is the model.
const LEFT: &[&str] = &[
    "SELECT name FROM application WHERE model_uuid = ?1 AND name <> 'keeper'",
    "SELECT application FROM leader_settings WHERE model_uuid = ?1 AND application <> 'keeper'",
    "SELECT name FROM unit WHERE model_uuid = ?1 AND name NOT LIKE 'keeper/%'",
    "SELECT unit FROM unit_state WHERE model_uuid = ?1 AND unit NOT LIKE 'keeper/%'",
    "SELECT unit FROM charm_state WHERE model_uuid = ?1 AND unit NOT LIKE 'keeper/%'",
    "SELECT unit FROM unit_assignment WHERE model_uuid = ?1 AND unit NOT LIKE 'keeper/%'",
    "SELECT unit FROM hook_run WHERE model_uuid = ?1 AND unit NOT LIKE 'keeper/%'",
    "SELECT unit FROM relation_unit WHERE model_uuid = ?1 AND unit NOT LIKE 'keeper/%'",
    "SELECT application FROM relation_endpoint WHERE model_uuid = ?1 AND application <> 'keeper'",
    "SELECT key FROM relation WHERE model_uuid = ?1 AND id NOT IN (
        SELECT relation_id FROM relation_endpoint WHERE model_uuid = ?1 AND application = 'keeper')",
    "SELECT id FROM machine WHERE model_uuid = ?1 AND id NOT IN (
        SELECT machine_id FROM unit WHERE model_uuid = ?1 AND machine_id IS NOT NULL)",
    "SELECT machine_id FROM machine_removal WHERE model_uuid = ?1",
    "SELECT kind || ' ' || subject FROM cleanup WHERE model_uuid = ?1",
    "SELECT kind || ' ' || entity FROM status WHERE model_uuid = ?1 AND kind <> 'model'
        AND entity <> 'keeper' AND entity NOT LIKE 'keeper/%'
        AND entity NOT IN (SELECT id FROM machine WHERE model_uuid = ?1)",
    "SELECT kind || ' ' || entity FROM status_history WHERE model_uuid = ?1 AND kind <> 'model'
        AND entity <> 'keeper' AND entity NOT LIKE 'keeper/%'
        AND entity NOT IN (SELECT id FROM machine WHERE model_uuid = ?1)",
    "SELECT unit FROM storage_attachment WHERE model_uuid = ?1 AND unit NOT LIKE 'keeper/%'",
    "SELECT application FROM application_storage WHERE model_uuid = ?1 AND application <> 'keeper'",
    "SELECT id FROM storage WHERE model_uuid = ?1 AND owner NOT LIKE 'keeper/%'",
    "SELECT id FROM secret WHERE model_uuid = ?1 AND owner_kind <> 'model' AND owner <> 'keeper'
        AND owner NOT LIKE 'keeper/%'",
    "SELECT secret FROM secret_revision WHERE model_uuid = ?1 AND secret NOT IN (
        SELECT id FROM secret WHERE model_uuid = ?1)",
    "SELECT unit FROM secret_reader WHERE model_uuid = ?1 AND unit NOT LIKE 'keeper/%'",
    "SELECT grantee FROM secret_grant WHERE model_uuid = ?1 AND grantee <> 'keeper'",
    "SELECT 'task ' || id FROM task WHERE model_uuid = ?1 AND ended = 0",
    "SELECT namespace || ' ' || name FROM lease WHERE model_uuid = ?1
        AND namespace = 'application-leadership' AND name <> 'keeper'",
];

/// A change log is about what is gone, by its nature; everything else that names a model is not.
const ABOUT_THE_PAST: &[&str] = &["change_log", "audit"];

fn open(scenario: &Scenario) -> Result<Connection, String> {
    let file = scenario.controller_directory().join("controller.db");
    let opened = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY);
    opened.map_err(|error| error.to_string())
}

fn texts(store: &Connection, sql: &str, model: Option<&str>) -> Result<Vec<String>, String> {
    let read = || -> rusqlite::Result<Vec<String>> {
        let mut statement = store.prepare(sql)?;
        let rows = statement.query_map(params_from_iter(model), |row| row.get(0))?;
        rows.collect()
    };
    read().map_err(|error| format!("{sql}: {error}"))
}

/// Rows about anything but the keeper.
pub fn in_store(scenario: &Scenario, model: &str) -> Result<Vec<String>, String> {
    let store = open(scenario)?;
    let mut left = Vec::new();
    for sql in LEFT {
        for found in texts(&store, sql, Some(model))? {
            left.push(format!("{found} ({sql})"));
        }
    }
    Ok(left)
}

/// Tables with rows of a model that is gone.
pub fn of_model(scenario: &Scenario, model: &str) -> Result<Vec<String>, String> {
    let store = open(scenario)?;
    let sql = "SELECT sqlite_master.name FROM sqlite_master
        JOIN pragma_table_info(sqlite_master.name) AS columns
        WHERE sqlite_master.type = 'table' AND columns.name = 'model_uuid'";
    let mut left = Vec::new();
    for table in texts(&store, sql, None)? {
        if ABOUT_THE_PAST.contains(&table.as_str()) {
            continue;
        }
        let sql = format!("SELECT 'row' FROM {table} WHERE model_uuid = ?1");
        if !texts(&store, &sql, Some(model))?.is_empty() {
            left.push(table);
        }
    }
    Ok(left)
}

/// Directories of units, shared ones and those of storage, other than the keeper's.
pub fn on_disk(agent: &Path) -> Vec<String> {
    let mut left = Vec::new();
    let storage = KEEPERS_STORAGE.replace('/', "-");
    for folder in ["units", "shared", "storage"] {
        let entries = std::fs::read_dir(agent.join(folder));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kept = folder == "storage" && name == storage;
            if !kept && !name.starts_with(KEEPER) {
                left.push(format!("{folder}/{name}"));
            }
        }
    }
    left
}

/// That something is left, as an error.
pub fn error(what: &str, left: impl std::fmt::Debug) -> ScenarioError {
    ScenarioError::Never {
        what: format!("nothing to be left {what}"),
        model: format!("{left:#?}"),
    }
}
