//! `audit`: who changed what, from where, and how it ended.

use jiff::Timestamp;
use periapt_wire::rest::{AuditQuery, AuditRecord, MOST_ITEMS};

use super::Context;
use crate::arguments::{Audit, ListFormat, ModelChoice};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table, Tone};
use crate::output::time::Times;
use crate::session::{ModelSession, Session};

pub async fn list(context: &Context, arguments: Audit) -> Outcome {
    let (client, model) = match &arguments.model {
        Some(_) => {
            let choice = ModelChoice {
                model: arguments.model.clone(),
            };
            let here = ModelSession::open(&context.files, &choice).await?;
            (here.client().clone(), Some(here.model))
        }
        None => (
            Session::open(&context.files, &arguments.controller)
                .await?
                .client,
            None,
        ),
    };
    let mut query = query(&arguments);
    let mut records: Vec<AuditRecord> = Vec::new();
    let wanted = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    while records.len() < wanted {
        query.limit = Some(((wanted - records.len()) as u64).min(MOST_ITEMS));
        let page = client.audit(model.as_deref(), &query).await?;
        records.extend(page.items);
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&records),
        ListFormat::Yaml => output.yaml(&records),
        ListFormat::Tabular => {
            let times = Times::new(arguments.utc);
            output.data(&table(&records, &times).render(output.paints()))
        }
    }
}

fn query(arguments: &Audit) -> AuditQuery {
    let since = arguments.since.map(|since| {
        let since = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        Timestamp::now().as_microsecond().saturating_sub(since)
    });
    AuditQuery {
        user: arguments.user.clone(),
        matching: arguments.matching.clone(),
        result: arguments.refused.then(|| "refused".to_owned()),
        kind: kinds(arguments).map(str::to_owned),
        since,
        ..AuditQuery::default()
    }
}

/// Changes, unless something else is asked for.
fn kinds(arguments: &Audit) -> Option<&'static str> {
    match (arguments.all, arguments.sign_ins) {
        (true, _) => None,
        (false, true) => Some("sign-in"),
        (false, false) => Some("change"),
    }
}

fn table(records: &[AuditRecord], times: &Times) -> Table {
    let mut table = Table::new(&["Time", "Who", "From", "Result", "What"]);
    for record in records {
        let fine = record.result == "ok" || record.result.starts_with('2');
        table.row(vec![
            times.log(record.time, true, false).into(),
            (&record.who).into(),
            (&record.from).into(),
            Cell::toned(&record.result, if fine { Tone::Good } else { Tone::Bad }),
            what(record).into(),
        ]);
    }
    table
}

/// What was done in words; of a record without any, what was called and on what.
fn what(record: &AuditRecord) -> String {
    match record.verb.as_str() {
        "" => format!("{} {}", record.what, record.target),
        verb => format!("{verb} {}", record.object).trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_a_table() {
        let record = AuditRecord {
            id: 1,
            time: 1_795_257_480_123_000,
            who: "user-admin".to_owned(),
            from: "127.0.0.1".to_owned(),
            model: None,
            what: "POST /v1/models".to_owned(),
            target: "/v1/models".to_owned(),
            result: "200".to_owned(),
            verb: "added".to_owned(),
            object: "model shop".to_owned(),
            ..AuditRecord::default()
        };
        let old = AuditRecord {
            verb: String::new(),
            ..record.clone()
        };
        let expected = "\
Time                 Who         From       Result  What
2026-11-21 10:38:00  user-admin  127.0.0.1  200     added model shop
2026-11-21 10:38:00  user-admin  127.0.0.1  200     POST /v1/models /v1/models
";
        let records = [record, old];
        assert_eq!(table(&records, &Times::new(true)).render(false), expected);
    }
}
