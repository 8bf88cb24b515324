use periapt_model::Tag;

use super::*;

#[derive(Default)]
struct Sent(Mutex<Vec<String>>);

impl HookLog for Sent {
    fn write(&self, record: LogRecord) {
        self.0.lock().unwrap().push(record.message);
    }

    fn admit(&self, mut records: Vec<LogRecord>) -> Vec<LogRecord> {
        records.retain(|record| record.level != "TRACE");
        records
    }
}

fn line(level: &str, message: &str) -> LogRecord {
    LogRecord {
        time: 1,
        entity: Tag::Unit("site/0".parse().unwrap()),
        level: level.to_owned(),
        module: "unit.site/0.juju-log".to_owned(),
        message: message.to_owned(),
    }
}

fn lines() -> (Arc<Lines>, impl Fn() -> Vec<String>) {
    let sent = Arc::new(Sent::default());
    let log: Arc<dyn HookLog> = sent.clone();
    let lines = Lines::hold(&log);
    (lines, move || std::mem::take(&mut *sent.0.lock().unwrap()))
}

fn messages(lines: Vec<LogRecord>) -> Vec<String> {
    lines.into_iter().map(|line| line.message).collect()
}

#[test]
fn lines_travel_with_the_commit_and_are_not_sent_once_it_stands() {
    let (lines, sent) = lines();
    lines.write(line("INFO", "one"));
    lines.write(line("TRACE", "not wanted"));
    lines.write(line("INFO", "two"));
    let ran = line("INFO", "ran");
    assert_eq!(messages(lines.along(&ran)), ["one", "two", "ran"]);
    lines.committed(ran);
    drop(lines);
    assert_eq!(sent(), [""; 0]);
}

#[test]
fn lines_of_a_hook_that_is_not_committed_are_sent() {
    let (lines, sent) = lines();
    lines.write(line("INFO", "one"));
    assert_eq!(lines.along(&line("INFO", "ran")).len(), 2);
    drop(lines);
    assert_eq!(sent(), ["one"], "it has not come to its end");
}

#[test]
fn what_follows_lines_that_were_sent_is_sent_as_well() {
    let (lines, sent) = lines();
    lines.write(line("INFO", "one"));
    lines.release();
    lines.write(line("INFO", "two"));
    let ran = line("INFO", "ran");
    assert_eq!(lines.along(&ran), []);
    lines.committed(ran);
    assert_eq!(sent(), ["one", "two", "ran"]);
}

#[test]
fn of_a_hook_that_says_much_nothing_is_held_back() {
    let (lines, sent) = lines();
    let said: Vec<String> = (0..=LINES).map(|number| number.to_string()).collect();
    for text in &said {
        lines.write(line("INFO", text));
    }
    assert_eq!(sent(), said);
    let (lines, sent) = self::lines();
    lines.write(line("INFO", &"x".repeat(BYTES)));
    assert!(sent().is_empty());
    lines.write(line("INFO", "more"));
    assert_eq!(sent().len(), 2);
}
