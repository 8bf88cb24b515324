//! What is special to SQLite; that both databases answer alike is tested above them.

use super::*;

const TABLE: &str = "CREATE TABLE thing (name TEXT NOT NULL)";
const INSERT: &str = "INSERT INTO thing (name) VALUES ($1)";
const COUNT: &str = "SELECT COUNT(*) FROM thing";

/// A database with an empty table, its writer, and `most` readers.
fn database(most: u32) -> (tempfile::TempDir, Sqlite, Readers) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("test.db");
    let writer = Sqlite::writer(&path).unwrap();
    writer.batch(TABLE).unwrap();
    let readers = Readers::new(&path, most);
    (directory, writer, readers)
}

fn count(connection: &Sqlite) -> Value {
    connection.fetch(COUNT, &[]).unwrap()[0][0].clone()
}

#[test]
fn a_parameter_is_the_one_of_its_number() {
    let (_directory, writer, _) = database(1);
    let params = [Param::from(1_i64), Param::from("two")];
    let rows = writer.fetch("SELECT $2, $1, $2", &params).unwrap();
    let two = Value::Text("two".to_owned());
    assert_eq!(rows, [[two.clone(), Value::Integer(1), two]]);
    let missing = writer.fetch("SELECT $1, $3", &params);
    assert!(matches!(missing, Err(Error::Internal { .. })));
}

/// What a LIMIT is bound to, and an equality that no index serves, are values that SQLite would
/// look at.
#[test]
fn a_statement_is_planned_once_whatever_its_values() {
    let (_directory, writer, _) = database(1);
    let sql = "SELECT one.name FROM thing AS one JOIN thing AS other ON other.name = one.name
        WHERE one.rowid = $1 AND other.name = $2 LIMIT $3";
    let ask = || {
        for number in 1..4_i64 {
            let params = [Param::from(number), Param::from("a"), Param::from(number)];
            writer.fetch(sql, &params).unwrap();
        }
        writer.has_planned_again()
    };
    assert!(!ask());
    let look = DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG;
    let connection = writer.connection().unwrap();
    connection.set_db_config(look, false).unwrap();
    assert!(ask(), "else this test could not fail");
}

#[tokio::test]
async fn a_snapshot_stands_still_and_ends_when_it_is_dropped() {
    let (_directory, writer, readers) = database(1);
    let snapshot = readers.lend().await.unwrap();
    snapshot.execute("BEGIN", &[]).unwrap();
    assert_eq!(count(&snapshot), Value::Integer(0));
    assert_eq!(writer.execute(INSERT, &[Param::from("a")]).unwrap(), 1);
    assert_eq!(count(&snapshot), Value::Integer(0));
    drop(snapshot);
    // The same connection, lent anew.
    let glance = readers.lend().await.unwrap();
    assert_eq!(count(&glance), Value::Integer(1));
}

#[tokio::test]
async fn readers_write_nothing() {
    let (_directory, writer, readers) = database(1);
    let reader = readers.lend().await.unwrap();
    assert!(reader.execute(INSERT, &[Param::from("a")]).is_err());
    assert_eq!(count(&writer), Value::Integer(0));
}

#[tokio::test]
async fn the_end_waits_for_who_reads_and_nobody_reads_after_it() {
    let (_directory, _writer, readers) = database(2);
    let reader = readers.lend().await.unwrap();
    let mut closing = std::pin::pin!(readers.close());
    assert!(futures::poll!(closing.as_mut()).is_pending());
    drop(reader);
    closing.await;
    assert!(matches!(readers.lend().await, Err(Error::Stopped)));
}

#[test]
fn a_checkpoint_comes_after_thousands_of_pages_and_comes() {
    const PAGE: usize = 4_096;
    let (directory, writer, _) = database(1);
    writer
        .execute("INSERT INTO thing (name) VALUES ('')", &[])
        .unwrap();
    let log = || {
        let file = directory.path().join("test.db-wal");
        usize::try_from(std::fs::metadata(file).unwrap().len()).unwrap() / PAGE
    };
    let page = [Param::from("x".repeat(PAGE))];
    let write = |pages: usize| {
        writer.execute("BEGIN", &[]).unwrap();
        for _ in 0..pages {
            writer.execute(INSERT, &page).unwrap();
        }
        writer.execute("COMMIT", &[]).unwrap();
    };
    for _ in 0..6 {
        write(500);
    }
    let many = log();
    assert!(many > 3_000, "{many} pages and no checkpoint");
    for _ in 0..40 {
        write(500);
    }
    assert!(log() < 12_000, "{} pages", log());
}
