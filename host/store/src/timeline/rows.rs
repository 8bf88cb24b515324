//! The rows that a timeline is made of, each kind as entries.

use periapt_model::{ApplicationName, ModelUuid};
use periapt_wire::rest::{TimelineEntry, TimelineKind};

use super::{Entry, Wanted};
use crate::Result;
use crate::audit::{fine, names, outcome, told};
use crate::db::{Param, Session, columns, json, params};
use crate::full_status::rfc3339;
use crate::status::kind;

columns! {
    struct Deed {
        id: i64 = "id",
        time: i64 = "time",
        who: String = "who",
        what: String = "what",
        verb: String = "verb",
        object: String = "object",
        result: String = "result",
        about: Vec<String> = "about" as names,
    }
    // `$5` is the application with bars around it; it and each of its units are looked for.
    const DEEDS = "FROM audit
        WHERE model_uuid = $1 AND id < $2 AND time >= $3 AND time <= $4 AND kind = 'change'
        AND ($5 = '' OR about LIKE '%|' || $5 || '|%' OR about LIKE '%|' || $5 || '/%')
        ORDER BY id DESC LIMIT $6";
}

columns! {
    struct Different {
        id: i64 = "id",
        time: i64 = "time",
        application: String = "application",
        name: String = "name",
        was: Option<String> = "was",
        becomes: Option<String> = "becomes",
    }
    const DIFFERENT = "FROM difference
        WHERE model_uuid = $1 AND id < $2 AND time >= $3 AND time <= $4
        AND ($5 = '' OR application = $5) AND kind = $7
        ORDER BY id DESC LIMIT $6";
}

columns! {
    struct Ran {
        id: i64 = "id",
        time: i64 = "started_at",
        unit: String = "unit",
        hook: String = "hook",
        result: String = "result",
        code: String = "code",
        message: String = "message",
        effects: Vec<String> = "effects" as json,
    }
    const RAN = "FROM hook_run
        WHERE model_uuid = $1 AND id < $2 AND started_at >= $3 AND started_at <= $4
        AND ($5 = '' OR application = $5)
        ORDER BY id DESC LIMIT $6";
}

columns! {
    struct Said {
        id: i64 = "id",
        time: i64 = "time",
        kind: String = "kind",
        entity: String = "entity",
        status: String = "status",
        message: String = "message",
    }
    // What an agent is busy with is told by its hooks.
    const SAID = "FROM status_history
        WHERE model_uuid = $1 AND id < $2 AND time >= $3 AND time <= $4 AND kind <> 'juju-unit'
        AND ($5 = '' OR entity = $5 OR (kind = 'workload' AND entity LIKE $5 || '/%'))
        ORDER BY id DESC LIMIT $6";
}

/// The newest of one kind, newest first.
pub(super) async fn read(
    db: &mut Session,
    model: &ModelUuid,
    kind: TimelineKind,
    wanted: &Wanted,
) -> Result<Vec<Entry>> {
    let application = wanted.application.as_ref();
    let values: Vec<Param> = params![
        model,
        wanted.before,
        wanted.from,
        wanted.to,
        application.map(ApplicationName::as_str).unwrap_or_default(),
        wanted.limit
    ];
    Ok(match kind {
        TimelineKind::Audit => each(db.all(DEEDS, values).await?, deed),
        TimelineKind::Config | TimelineKind::Revision => {
            let mut values = values;
            values.push(kind.as_str().into());
            let rows = db.all(DIFFERENT, values).await?;
            each(rows, |row| different(kind, row))
        }
        TimelineKind::Hook => each(db.all(RAN, values).await?, ran),
        TimelineKind::Status => each(db.all(SAID, values).await?, said),
    })
}

fn each<R>(rows: Vec<R>, shown: impl Fn(R) -> Entry) -> Vec<Entry> {
    rows.into_iter().map(shown).collect()
}

/// An entry about which nothing is known yet but when it was.
fn entry(id: i64, time: i64, kind: TimelineKind, verb: &str, object: String) -> Entry {
    Entry {
        id,
        time,
        shown: TimelineEntry {
            id: id.to_string(),
            time: rfc3339(time),
            kind,
            who: String::new(),
            verb: verb.to_owned(),
            object,
            result: "ok".to_owned(),
            message: String::new(),
            was: None,
            becomes: None,
            about: Vec::new(),
            run: None,
        },
    }
}

fn deed(row: Deed) -> Entry {
    let (verb, object) = match row.verb.as_str() {
        // Of before the audit log had words.
        "" => ("called", row.what),
        verb => (verb, row.object),
    };
    let verb = told(verb, &row.result);
    let mut entry = entry(row.id, row.time, TimelineKind::Audit, &verb, object);
    entry.shown.who = match row.who.strip_prefix("user-") {
        Some(user) => user.to_owned(),
        None => row.who,
    };
    if !fine(&row.result) {
        entry.shown.result = "refused".to_owned();
        entry.shown.message = outcome(&row.result);
    }
    entry.shown.about = row.about;
    entry
}

fn different(kind: TimelineKind, row: Different) -> Entry {
    let whose = match row.application.as_str() {
        "" => "the model",
        name => name,
    };
    let (verb, object) = match kind {
        TimelineKind::Revision => ("refreshed", whose.to_owned()),
        _ => ("changed", format!("{} of {whose}", row.name)),
    };
    let mut entry = entry(row.id, row.time, kind, verb, object);
    entry.shown.was = row.was;
    entry.shown.becomes = row.becomes;
    if !row.application.is_empty() {
        entry.shown.about.push(row.application);
    }
    entry
}

fn ran(row: Ran) -> Entry {
    let failed = row.result != "ok";
    let verb = match failed {
        true => "failed in",
        false => "ran",
    };
    let object = format!("{} of {}", row.hook, row.unit);
    let mut entry = entry(row.id, row.time, TimelineKind::Hook, verb, object);
    entry.shown.result = row.result;
    entry.shown.message = match failed {
        true => format!("{} ({})", row.message, row.code),
        false => row.effects.join(", "),
    };
    entry.shown.about.push(row.unit);
    entry.shown.run = Some(row.id);
    entry
}

fn said(row: Said) -> Entry {
    let whose = match row.kind.as_str() {
        kind::INSTANCE => format!("the instance of machine {}", row.entity),
        kind::MACHINE => format!("machine {}", row.entity),
        kind::MODEL => "the model".to_owned(),
        _ => row.entity.clone(),
    };
    let mut entry = entry(row.id, row.time, TimelineKind::Status, "became", whose);
    entry.shown.becomes = Some(row.status);
    entry.shown.message = row.message;
    if row.kind != kind::MODEL {
        entry.shown.about.push(row.entity);
    }
    entry
}
