//! Alerts as they are shown, and who has taken one on.

use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, UserName};
use periapt_wire::rest::{AlertInfo, AlertQuery, Page};

use super::{FIRING, RESOLVED, page};
use crate::changes::namespace;
use crate::db::{Session, columns, params};
use crate::entities::Reach;
use crate::error::StoreError;
use crate::full_status::rfc3339;
use crate::{Result, Store};

/// Rows that are read at once while those are looked for that a visitor may see.
const ROWS: u64 = 1_000;

columns! {
    struct Row {
        id: i64 = "id",
        rule: String = "rule",
        model: String = "of_model",
        model_name: String = "model_name",
        subject: String = "subject",
        phase: String = "phase",
        detail: String = "detail",
        since: i64 = "since",
        fired_at: Option<i64> = "fired_at",
        resolved_at: Option<i64> = "resolved_at",
        acknowledged_by: String = "acknowledged_by",
        acknowledged_at: Option<i64> = "acknowledged_at",
    }
    const PAGE = "FROM alert WHERE phase IN ('firing', 'resolved') AND id < $1 AND ($2 = '' OR phase = $2)
        AND ($3 = '' OR rule = $3) AND ($4 = '' OR model_name = $4) ORDER BY id DESC LIMIT $5";
    const ONE = "FROM alert WHERE id = $1 AND phase IN ('firing', 'resolved')";
}

impl From<Row> for AlertInfo {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            rule: row.rule,
            model: row.model_name,
            subject: row.subject,
            state: row.phase,
            detail: row.detail,
            since: rfc3339(row.since),
            fired_at: rfc3339(row.fired_at.unwrap_or(row.since)),
            resolved_at: row.resolved_at.map(rfc3339),
            acknowledged_by: Some(row.acknowledged_by).filter(|who| !who.is_empty()),
            acknowledged_at: row.acknowledged_at.map(rfc3339),
        }
    }
}

/// Those with these ids, for the feed of events.
pub(crate) async fn by_ids(db: &mut Session, ids: &[i64]) -> Result<Vec<AlertInfo>> {
    let mut found = Vec::new();
    for id in ids {
        found.extend(db.one(ONE, params![*id]).await?.map(AlertInfo::from));
    }
    Ok(found)
}

impl Store {
    /// A page of the alerts that a visitor may see, newest first: those of models that they may read, and of the
    /// controller those that may everything.
    pub async fn alerts(&self, reach: &Reach, query: &AlertQuery) -> Result<Page<AlertInfo>> {
        let (limit, mut before) = page(query.limit, query.after.as_deref())?;
        let state = query.state.as_deref().unwrap_or_default();
        if !["", FIRING, RESOLVED].contains(&state) {
            return Err(StoreError::bad_request(format!(
                "\"{state}\" is not a state of alerts; there are firing and resolved"
            )));
        }
        let rule = query.rule.as_deref().unwrap_or_default();
        let model = query.model.as_deref().unwrap_or_default();
        let mut db = self.snapshot().await?;
        let mut items: Vec<AlertInfo> = Vec::new();
        loop {
            let rows = db
                .all(PAGE, params![before, state, rule, model, ROWS])
                .await?;
            let last = rows.last().map(|row| row.id);
            let whole = (rows.len() as u64) < ROWS;
            for row in rows {
                if sees(reach, &row.model) {
                    items.push(row.into());
                }
            }
            match last {
                Some(last) if !whole && items.len() as u64 <= limit => before = last,
                _ => break,
            }
        }
        let more = items.len() as u64 > limit;
        items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let next = items
            .last()
            .filter(|_| more)
            .map(|last| last.id.to_string());
        Ok(Page { items, next })
    }

    /// Says who has taken an alert on. Nobody is told of it any more until it resolves. One that is taken on already
    /// stays with whoever was first.
    pub async fn acknowledge_alert(&self, id: &str, user: &UserName) -> Result<AlertInfo> {
        let (text, user) = (id.to_owned(), user.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let missing = || StoreError::not_found(Subject::Alert, &text);
                let id: i64 = text.parse().map_err(|_| missing())?;
                let row = tx.db.one(ONE, params![id]).await?.ok_or_else(missing)?;
                if row.acknowledged_by.is_empty() && row.phase == FIRING {
                    let sql =
                        "UPDATE alert SET acknowledged_by = $2, acknowledged_at = $3 WHERE id = $1";
                    tx.db.execute(sql, params![id, &user, tx.now]).await?;
                    tx.touch(&row.model, namespace::ALERT, id.to_string());
                }
                let row = tx.db.one(ONE, params![id]).await?.ok_or_else(missing)?;
                Ok(row.into())
            })
        })
        .await
    }
}

fn sees(reach: &Reach, model: &str) -> bool {
    match reach {
        Reach::Everything => true,
        Reach::Nothing => false,
        Reach::Models(_) => model
            .parse::<ModelUuid>()
            .is_ok_and(|model| reach.includes(&model)),
    }
}
