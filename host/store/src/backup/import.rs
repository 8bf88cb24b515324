//! Writing: into a database that holds nothing, in one transaction.

use std::sync::Arc;

use periapt_model::refusal::Subject;

use super::{Cell, LEFT_OUT, Table};
use crate::db::{self, Database, Param, Probe, Session, params};
use crate::error::StoreError;
use crate::migrations::MIGRATIONS;
use crate::options::StoreOptions;
use crate::{Result, alert};

/// Rows, and bytes of them, that one statement takes.
const ROWS: usize = 64;
const BYTES: usize = 2 << 20;

/// A database that is being written. Dropped before [`Restoring::finish`] it holds nothing again.
pub struct Restoring {
    db: Session,
    now: i64,
    table: Option<(Table, String)>,
    waiting: Vec<Vec<Param>>,
    bytes: usize,
}

impl Restoring {
    /// Begins with the schema that the backup was taken from.
    ///
    /// # Errors
    /// [`StoreError::AlreadyExists`] for a database that holds something,
    /// `SchemaTooNew`, and what the database says.
    pub async fn begin(options: &StoreOptions, schema: i64) -> Result<Self> {
        let probe = Probe::new(Arc::clone(&options.clock), None);
        let mut db = db::writer(&options.database, &probe).await?;
        db.be_patient();
        if db::schema_version(&mut db).await? != 0 {
            return Err(StoreError::AlreadyExists {
                kind: Subject::Database,
                name: match &options.database {
                    Database::Sqlite { path } => path.display().to_string(),
                    Database::Postgres { .. } => "of the given URL".to_owned(),
                },
            });
        }
        let now = options.clock.now().as_microsecond();
        db::begin_schema(&mut db).await?;
        db::migrate_to(&mut db, MIGRATIONS, now, Some(schema)).await?;
        Ok(Self {
            db,
            now,
            table: None,
            waiting: Vec::new(),
            bytes: 0,
        })
    }

    /// Begins a table; the rows that follow are its own.
    ///
    /// # Errors
    /// A table or a column that the schema does not have.
    pub async fn table(&mut self, table: Table) -> Result<()> {
        self.flush().await?;
        let known = super::export::tables(&mut self.db).await?;
        let found = known.iter().find(|known| known.name == table.name);
        let fits = found.is_some_and(|found| {
            table
                .columns
                .iter()
                .all(|column| found.columns.contains(column))
        });
        if !fits || LEFT_OUT.contains(&table.name.as_str()) {
            return Err(StoreError::corrupt(
                "backup",
                format!("table {}", table.name),
            ));
        }
        // What the migrations put there is in the backup as well.
        self.db
            .raw_text(format!("DELETE FROM {}", table.name))
            .await?;
        let names: Vec<&str> = table
            .columns
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let head = format!("INSERT INTO {} ({})", table.name, names.join(", "));
        self.table = Some((table, head));
        Ok(())
    }

    /// Writes a row of the table.
    ///
    /// # Errors
    /// A row that does not fit its table, and what the database says.
    pub async fn row(&mut self, cells: Vec<Cell>) -> Result<()> {
        let columns = match &self.table {
            Some((table, _)) => &table.columns,
            None => return Err(StoreError::corrupt("backup", "a row without a table")),
        };
        let fits = cells.len() == columns.len()
            && cells
                .iter()
                .zip(columns)
                .all(|(cell, (_, kind))| cell.fits(*kind));
        if !fits {
            return Err(StoreError::corrupt(
                "backup",
                "a row does not fit its table",
            ));
        }
        self.bytes += cells.iter().map(Cell::size).sum::<usize>();
        let row = cells.into_iter().zip(columns);
        self.waiting.push(
            row.map(|(cell, (_, kind))| cell.into_param(*kind))
                .collect(),
        );
        if self.waiting.len() >= ROWS || self.bytes >= BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    /// Brings the schema up to date and commits. Of the controller's processes only `node` is
    /// left; the others are told, should they come to this database. Alerts begin anew; how many
    /// messages of them were given up that waited to be sent.
    ///
    /// # Errors
    /// What the database says; then it holds nothing.
    pub async fn finish(mut self, node: u32) -> Result<u64> {
        self.flush().await?;
        let sql = "UPDATE controller_node SET address = '', seen_at = -1 WHERE node <> $1";
        self.db.execute(sql, params![node]).await?;
        db::migrate_to(&mut self.db, MIGRATIONS, self.now, None).await?;
        // Each agent is given a new password before it is started. Until then one that the lost controller left
        // running could come back by its old one, and stay.
        let sql = "DELETE FROM agent_credential";
        self.db.execute(sql, vec![]).await?;
        let given_up = alert::begin_anew(&mut self.db, self.now).await?;
        self.db.raw("COMMIT").await?;
        Ok(given_up)
    }

    async fn flush(&mut self) -> Result<()> {
        self.bytes = 0;
        let rows = std::mem::take(&mut self.waiting);
        match &self.table {
            Some((_, head)) => Ok(self.db.insert_many(head, "", rows).await?),
            None => Ok(()),
        }
    }
}
