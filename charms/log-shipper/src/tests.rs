use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use periapt_charm::Hook;
use periapt_charm::testing::Harness;

use super::*;

fn shipper() -> (Harness<LogShipper>, PathBuf) {
    let mut harness = Harness::new();
    let logs = harness.add_shared(DIRECTORY);
    (harness, logs)
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .expect("opens");
    file.write_all(text.as_bytes()).expect("writes");
}

fn status_after(harness: &mut Harness<LogShipper>) -> String {
    harness.run(Hook::UpdateStatus).expect("succeeds");
    assert_eq!(harness.status().kind, periapt_charm::StatusKind::Active);
    harness.status().message
}

#[test]
fn beside_a_principal_without_logs_it_is_content() {
    let (mut harness, logs) = shipper();
    harness.run(Hook::Start).expect("succeeds");
    assert_eq!(harness.status(), Status::active("nothing shared yet"));
    append(&logs.join("empty.log"), "");
    append(&logs.join("half.log"), "no end");
    fs::create_dir(logs.join("folder")).expect("makes");
    assert_eq!(status_after(&mut harness), "nothing shared yet");
}

#[test]
fn each_line_is_read_once() {
    let (mut harness, logs) = shipper();
    let (one, two) = (logs.join("one.log"), logs.join("two.log"));
    append(&one, "first\nsecond\nthi");
    assert_eq!(status_after(&mut harness), "read 2 lines of 1 file");
    assert_eq!(status_after(&mut harness), "read 2 lines of 1 file");
    append(&one, "rd\n");
    append(&two, "first\n");
    let id = harness.add_relation("host", "site").expect("creates");
    harness.join(&id, "site/0").expect("joins");
    assert_eq!(harness.status(), Status::active("read 4 lines of 2 files"));
    let totals: Totals = harness.state(TOTALS_KEY).expect("is there");
    assert_eq!(totals.bytes, "first\nsecond\nthird\nfirst\n".len() as u64);
}

#[test]
fn a_rotated_log_is_read_to_its_end_and_the_new_one_from_its_start() {
    let (mut harness, logs) = shipper();
    let (log, rotated) = (logs.join("site.log"), logs.join("site.log.1"));
    append(&log, "10:00 first\n10:01 second\n");
    assert_eq!(status_after(&mut harness), "read 2 lines of 1 file");
    append(&log, "10:02 third\n");
    fs::rename(&log, &rotated).expect("rotates");
    append(&log, "10:03 fourth\n");
    assert_eq!(status_after(&mut harness), "read 4 lines of 2 files");
    fs::remove_file(&rotated).expect("removes");
    fs::rename(&log, &rotated).expect("rotates");
    assert_eq!(status_after(&mut harness), "read 4 lines of 2 files");
    append(
        &log,
        &"11:00 much longer than what the digest looks at\n".repeat(20),
    );
    assert_eq!(status_after(&mut harness), "read 24 lines of 3 files");
    fs::remove_file(&log).expect("removes");
    append(&log, "12:00 truncated and begun anew\n");
    assert_eq!(status_after(&mut harness), "read 25 lines of 4 files");
    let positions: Vec<Position> = harness.state(POSITIONS_KEY).expect("is there");
    assert_eq!(positions.len(), 2, "what is gone is forgotten");
}

#[test]
fn only_what_is_asked_for_is_read() {
    let (mut harness, logs) = shipper();
    append(&logs.join("site.log"), "a\n");
    append(&logs.join("other.txt"), "b\n");
    harness
        .set_config("only", ".log")
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    assert_eq!(harness.status(), Status::active("read 1 line of 1 file"));
    for only in ["txt", ""] {
        harness
            .set_config("only", only)
            .run(Hook::ConfigChanged)
            .expect("succeeds");
        assert_eq!(harness.status(), Status::active("read 2 lines of 2 files"));
    }
}
