//! What the declaration of columns makes: the text, the reading, and what it says of what is
//! unreadable. That both databases answer alike is tested with the store.

use std::path::Path;

use periapt_engine::FakeClock;

use super::*;
use crate::columns;
use crate::options::Database;
use crate::session::{Probe, writer};

macro_rules! pair {
    ($table:literal) => {
        concat!($table, ".one, ", $table, ".other")
    };
}

#[derive(Debug, PartialEq)]
struct Pair {
    one: i64,
    other: Option<i64>,
}

fn pair(cells: &mut Cells<'_>) -> Result<Option<Pair>, Error> {
    optional(cells, 2, |cells| {
        Ok(Pair {
            one: cells.int()?,
            other: cells.optional_int()?,
        })
    })
}

columns! {
    #[derive(Debug, PartialEq)]
    struct Thing {
        name: String = "thing.name",
        pair: Option<Pair> = [pair!("thing")] as pair,
        count: u64 = "thing.count",
        flag: bool = "COALESCE(thing.flag, 0)",
        port: Option<u16> = "thing.port" as optional_word,
        list: Vec<u8> = "thing.list" as json,
    }
    const THINGS = "FROM thing ORDER BY name";
    const NAMED = "FROM thing WHERE name = $1";
    const OF_MODEL = which("FROM thing WHERE model = $1", "name", "ORDER BY name");
    const TAKEN = returning("DELETE FROM thing WHERE name = $1");
}

#[derive(Debug, PartialEq)]
struct Shown {
    name: String,
    port: u16,
    known: bool,
}

columns! {
    struct Showing -> Shown {
        name = "name",
        port = "port" as word;
        known: true,
    }
    const SHOWN = "FROM thing WHERE name = $1";
}

const TABLE: &str = "CREATE TABLE thing (model TEXT NOT NULL, name TEXT NOT NULL, one BIGINT, other BIGINT,
    count BIGINT, flag BIGINT, port TEXT, list TEXT);
    INSERT INTO thing VALUES ('m', 'a', 1, NULL, 2, 1, '80', '[1]'), ('m', 'b', NULL, 5, 0, NULL, NULL, '[]'),
        ('x', 'null', NULL, NULL, NULL, NULL, 'many', 'no'), ('x', 'less', NULL, NULL, -1, NULL, NULL, '[]')";

async fn session(directory: &Path) -> Session {
    let clock = FakeClock::new();
    let probe = Probe::new(clock.shared(), None);
    let database = Database::Sqlite {
        path: directory.join("test.db"),
    };
    let mut session = writer(&database, &probe).await.unwrap();
    session.raw(TABLE).await.unwrap();
    session
}

fn a() -> Thing {
    Thing {
        name: "a".to_owned(),
        pair: Some(Pair {
            one: 1,
            other: None,
        }),
        count: 2,
        flag: true,
        port: Some(80),
        list: vec![1],
    }
}

fn b() -> Thing {
    Thing {
        name: "b".to_owned(),
        pair: None,
        count: 0,
        flag: false,
        port: None,
        list: vec![],
    }
}

#[test]
fn the_list_is_that_of_the_declaration() {
    assert_eq!(
        THINGS.sql(),
        "SELECT thing.name, thing.one, thing.other, thing.count, COALESCE(thing.flag, 0), \
        thing.port, thing.list FROM thing ORDER BY name"
    );
    assert_eq!(SHOWN.sql(), "SELECT name, port FROM thing WHERE name = $1");
}

#[tokio::test]
async fn rows_become_what_the_declaration_says() {
    let directory = tempfile::tempdir().unwrap();
    let mut db = session(directory.path()).await;
    assert_eq!(db.one(NAMED, params!["b"]).await, Ok(Some(b())));
    assert_eq!(db.one(NAMED, params!["c"]).await, Ok(None));
    let both = Ok(vec![a(), b()]);
    assert_eq!(db.which(OF_MODEL, "m", Which::All).await, both);
    let names = ["b".to_owned(), "null".to_owned()];
    let named = db.which(OF_MODEL, "m", Which::Named(&names)).await;
    assert_eq!(named, Ok(vec![b()]));
    let shown = Shown {
        name: "a".to_owned(),
        port: 80,
        known: true,
    };
    assert_eq!(db.one(SHOWN, params!["a"]).await, Ok(Some(shown)));
    assert_eq!(db.all(TAKEN, params!["a"]).await, Ok(vec![a()]));
    assert_eq!(db.one(NAMED, params!["a"]).await, Ok(None));
}

#[tokio::test]
async fn what_is_unreadable_is_named_and_never_taken_for_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut db = session(directory.path()).await;
    let unfit = |what, message: &str| Error::corrupt(what, message);
    let null = db.one(NAMED, params!["null"]).await;
    assert_eq!(null, Err(unfit("count", "is null")));
    let less = db.one(NAMED, params!["less"]).await;
    assert_eq!(less, Err(unfit("count", "is negative")));
    let many = db.one(SHOWN, params!["null"]).await;
    assert_eq!(many, Err(unfit("port", "invalid digit found in string")));
    let sql = "SELECT count FROM thing WHERE name = $1";
    let count: Result<Option<u64>, Error> = db.scalar(sql, params!["null"]).await;
    assert_eq!(count, Err(Error::corrupt("column", "is null")));
    let none: Result<Option<u64>, Error> = db.scalar(sql, params!["c"]).await;
    assert_eq!(none, Ok(None));
}
