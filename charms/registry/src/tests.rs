use periapt_charm::testing::Harness;
use periapt_charm::{Hook, StatusKind};

use super::*;

fn member(address: &str) -> Member {
    Member {
        address: address.to_owned(),
    }
}

fn with_members() -> (Harness<Registry>, String) {
    let mut harness = Harness::<Registry>::new();
    harness.set_config("entries", "# first\ncolour = blue\nsize=3=x\n");
    let id = harness.add_relation(ENDPOINT, "test").expect("creates");
    for (unit, address) in [("test/1", "10.0.0.2"), ("test/2", "10.0.0.3")] {
        harness.set_data(&id, unit, &member(address));
        harness.join(&id, unit).expect("joins");
    }
    (harness, id)
}

#[test]
fn the_leader_writes_the_table() {
    let (mut harness, id) = with_members();
    assert_eq!(
        harness.status(),
        Status::waiting("for the leader to write the table")
    );
    assert_eq!(
        harness.data::<Member>(&id, "test/0"),
        Some(member("127.0.0.1"))
    );
    harness.elect().expect("leads");
    assert_eq!(harness.status(), Status::active("leader, 3 members"));
    let table: Table = harness.data(&id, "test").expect("is written");
    assert_eq!((table.leader.as_str(), table.term), ("test/0", 1));
    assert_eq!(table.members["test/2"], "10.0.0.3");
    assert_eq!(table.entries["colour"], "blue");
    assert_eq!(table.entries["size"], "3=x");
    assert_eq!(harness.state::<Table>(TABLE_KEY), Some(table.clone()));

    harness.depart(&id, "test/2").expect("departs");
    assert_eq!(harness.status(), Status::active("leader, 2 members"));
    harness
        .set_config("entries", "colour=red")
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    let table: Table = harness.data(&id, "test").expect("is written");
    assert_eq!((table.term, table.entries["colour"].as_str()), (1, "red"));
    harness.depart(&id, "test/1").expect("departs");
    assert_eq!(harness.status(), Status::active("leader, 1 member"));
}

#[test]
fn members_copy_it_and_one_of_them_takes_over() {
    let (mut harness, id) = with_members();
    let table = Table {
        leader: "test/1".to_owned(),
        term: 4,
        members: ["test/0", "test/1", "test/2"]
            .map(|unit| (unit.to_owned(), "10.0.0.9".to_owned()))
            .into(),
        entries: BTreeMap::from([("colour".to_owned(), "green".to_owned())]),
        token: None,
    };
    harness.change(&id, "test", &table).expect("changes");
    assert_eq!(harness.status(), Status::active("member of 3"));
    assert_eq!(harness.state::<Table>(TABLE_KEY), Some(table));

    harness.depart(&id, "test/1").expect("departs");
    assert_eq!(
        harness.status(),
        Status::active("member of 3"),
        "until there is a leader who says otherwise"
    );
    harness.elect().expect("leads");
    assert_eq!(harness.status(), Status::active("leader, 2 members"));
    let table: Table = harness.data(&id, "test").expect("is written");
    assert_eq!((table.leader.as_str(), table.term), ("test/0", 5));
    assert!(!table.members.contains_key("test/1"));
}

#[test]
fn wrong_entries_block_the_leader_and_keep_the_table() {
    let (mut harness, id) = with_members();
    harness.elect().expect("leads");
    let before: Table = harness.data(&id, "test").expect("is written");
    for (entries, hint) in [
        ("colour", "\"colour\""),
        ("a=1\na=2", "twice"),
        ("=1", "KEY=VALUE"),
    ] {
        harness
            .set_config("entries", entries)
            .run(Hook::ConfigChanged)
            .expect("does not fail");
        let status = harness.status();
        assert_eq!(status.kind, StatusKind::Blocked);
        assert!(status.message.contains(hint), "{}", status.message);
    }
    assert_eq!(harness.data::<Table>(&id, "test"), Some(before));
}

#[test]
fn members_share_a_token_that_is_replaced_every_day() {
    let (mut harness, id) = with_members();
    harness.elect().expect("leads");
    let table: Table = harness.data(&id, "test").expect("is written");
    let token = table.token.expect("there is one");
    assert_eq!(harness.secrets(), [token.clone()]);
    let before = harness.secret_values(&token);
    assert_eq!(before[TOKEN].len(), TOKEN_LENGTH);
    harness.run(Hook::UpdateStatus).expect("succeeds");
    assert_eq!(harness.secret_values(&token), before);
    harness.rotate_secret(&token).expect("rotates");
    assert_ne!(harness.secret_values(&token), before);
    harness.leave_secret(&token, 1).expect("removes");
    let info = harness.secret_info(&token).expect("is known");
    assert_eq!(info.revisions, [2]);
    assert_eq!(info.rotate, RotatePolicy::Daily);
}
