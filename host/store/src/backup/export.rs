//! Reading: one snapshot, table by table, a page at a time. Writers go on meanwhile and are not
//! waited for, so it ends however much is written.

use periapt_model::uniter::OperationState;
use periapt_model::{ModelUuid, UnitName};

use super::{Cell, ColumnKind, LEFT_OUT, Table};
use crate::db::{self, Cells, Session, columns, json, params, word};
use crate::error::StoreError;
use crate::{Result, Store};

/// Rows of a page. Those with large bytes come a few at a time.
const PAGE: usize = 64;
const PAGE_OF_BYTES: usize = 4;

/// The whole database at one moment.
pub struct Moment {
    db: Session,
    schema: i64,
}

impl Store {
    /// The moment at which this is called; it stays for as long as the value lives.
    pub async fn moment(&self) -> Result<Moment> {
        let mut db = self.snapshot().await?;
        if db.is_postgres() {
            // Whoever takes the rows may be slow.
            db.raw("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
                .await?;
        }
        let schema = db::schema_version(&mut db).await?;
        Ok(Moment { db, schema })
    }
}

impl Moment {
    /// Version of the schema.
    pub fn schema(&self) -> i64 {
        self.schema
    }

    /// Models there are, and how many units they have together.
    pub async fn counts(&mut self) -> Result<(u64, u64)> {
        let models = self.db.count("SELECT COUNT(*) FROM model", vec![]).await?;
        let units = self.db.count("SELECT COUNT(*) FROM unit", vec![]).await?;
        Ok((models, units))
    }

    /// Which generation of its files each unit is at.
    pub async fn generations(&mut self) -> Result<Vec<(ModelUuid, UnitName, u64)>> {
        let states = self.db.all(STATES, vec![]).await?;
        let generation = |row: StateRow| (row.model, row.unit, row.operation.state_generation);
        Ok(states.into_iter().map(generation).collect())
    }

    /// The tables, by name.
    pub async fn tables(&mut self) -> Result<Vec<Table>> {
        let mut tables = tables(&mut self.db).await?;
        tables.retain(|table| !LEFT_OUT.contains(&table.name.as_str()));
        Ok(tables)
    }

    /// Hands every row of a table to `take`; how many there were.
    ///
    /// # Errors
    /// What the database says, and what `take` says.
    pub async fn rows<E: From<StoreError>>(
        &mut self,
        table: &Table,
        mut take: impl FnMut(Vec<Cell>) -> std::result::Result<(), E> + Send,
    ) -> std::result::Result<u64, E> {
        let name = &table.name;
        let names: Vec<&str> = table
            .columns
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let names = names.join(", ");
        let bytes = table
            .columns
            .iter()
            .any(|(_, kind)| *kind == ColumnKind::Bytes);
        let page = if bytes { PAGE_OF_BYTES } else { PAGE };
        let postgres = self.db.is_postgres();
        if postgres {
            let declare =
                format!("DECLARE backup_{name} NO SCROLL CURSOR FOR SELECT {names} FROM {name}");
            self.db.raw_text(declare).await.map_err(StoreError::from)?;
        }
        let (mut count, mut after) = (0, i64::MIN);
        loop {
            let (sql, values) = if postgres {
                let sql = format!("FETCH FORWARD {page} FROM backup_{name}");
                (sql, vec![])
            } else {
                let sql = format!(
                    "SELECT {names}, rowid FROM {name} WHERE rowid > $1 ORDER BY rowid LIMIT {page}"
                );
                (sql, params![after])
            };
            let rows = self.db.fetch_text(sql, values).await;
            let rows = rows.map_err(StoreError::from)?;
            for row in &rows {
                let mut cells = row.cells();
                take(read(table, &mut cells)?)?;
                if !postgres {
                    after = cells.int().map_err(StoreError::from)?;
                }
            }
            count += rows.len() as u64;
            if rows.len() < page {
                break;
            }
        }
        if postgres {
            let close = format!("CLOSE backup_{name}");
            self.db.raw_text(close).await.map_err(StoreError::from)?;
        }
        Ok(count)
    }
}

columns! {
    struct ColumnRow {
        table: String = "CAST(tables.name AS TEXT)",
        column: String = "CAST(columns.name AS TEXT)",
        declared: String = "CAST(columns.type AS TEXT)",
    }
    const OF_SQLITE = "FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'
        ORDER BY tables.name, columns.cid";
    const OF_POSTGRES = "FROM information_schema.columns AS known
        CROSS JOIN LATERAL (SELECT known.table_name AS name) AS tables
        CROSS JOIN LATERAL (SELECT known.column_name AS name, known.data_type AS type) AS columns
        WHERE known.table_schema = current_schema()
        ORDER BY known.table_name, known.ordinal_position";
}

columns! {
    struct StateRow {
        model: ModelUuid = "model_uuid" as word,
        unit: UnitName = "unit" as word,
        operation: OperationState = "operation" as json,
    }
    const STATES = "FROM unit_state ORDER BY model_uuid, unit";
}

/// All tables there are, by name.
pub(crate) async fn tables(db: &mut Session) -> Result<Vec<Table>> {
    let rows = match db.is_postgres() {
        true => db.all(OF_POSTGRES, vec![]).await?,
        false => db.all(OF_SQLITE, vec![]).await?,
    };
    let mut tables: Vec<Table> = Vec::new();
    for row in rows {
        let ColumnRow {
            table,
            column,
            declared,
        } = row;
        let kind = ColumnKind::of(&declared)
            .ok_or_else(|| StoreError::corrupt("column", format!("{table}.{column} {declared}")))?;
        if tables.last().is_none_or(|last| last.name != table) {
            tables.push(Table {
                name: table,
                columns: Vec::new(),
            });
        }
        if let Some(last) = tables.last_mut() {
            last.columns.push((column, kind));
        }
    }
    Ok(tables)
}

fn read(table: &Table, cells: &mut Cells<'_>) -> Result<Vec<Cell>> {
    let cell = |(_, kind): &(String, ColumnKind)| {
        Ok(match kind {
            ColumnKind::Integer => cells.optional_int()?.map_or(Cell::Null, Cell::Integer),
            ColumnKind::Text => {
                let text = cells.optional_str()?;
                text.map_or(Cell::Null, |text| Cell::Text(text.to_owned()))
            }
            // No migration has a column of bytes that may be null.
            ColumnKind::Bytes => Cell::Bytes(cells.bytes()?),
        })
    };
    table.columns.iter().map(cell).collect()
}
