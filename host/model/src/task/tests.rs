use proptest::prelude::*;

use super::{Beside, MachineCommand, Receiver, TaskStatus, operation_status, words};

fn status() -> impl Strategy<Value = TaskStatus> {
    proptest::sample::select(TaskStatus::ALL)
}

#[test]
fn a_status_reads_as_it_is_written() {
    for status in TaskStatus::ALL {
        assert_eq!(status.as_str().parse(), Ok(*status));
        assert_eq!(
            serde_json::to_value(status).unwrap(),
            serde_json::json!(status.as_str())
        );
    }
    assert_eq!(
        "runing".parse::<TaskStatus>().unwrap_err(),
        "\"runing\" is not the status of a task; did you mean \"running\"?"
    );
}

#[test]
fn an_operation_is_what_its_tasks_are() {
    use TaskStatus::*;
    assert_eq!(operation_status([]), Completed);
    assert_eq!(operation_status([Completed, Running, Pending]), Running);
    assert_eq!(operation_status([Completed, Pending]), Pending);
    assert_eq!(operation_status([Completed, Failed, Cancelled]), Failed);
    assert_eq!(operation_status([Completed, Cancelled]), Cancelled);
}

proptest! {
    #[test]
    fn an_operation_is_over_when_all_its_tasks_are(tasks in prop::collection::vec(status(), 0..8)) {
        let over = tasks.iter().all(|task| task.has_ended());
        prop_assert_eq!(operation_status(tasks).has_ended(), over);
    }

    #[test]
    fn nothing_becomes_of_a_task_that_has_ended(one in status(), other in status()) {
        if one.has_ended() {
            prop_assert_eq!(one.cancelled(), None);
            prop_assert_eq!(one.broken_off(), None);
            prop_assert_eq!(one.ends(other), None);
        } else {
            prop_assert_eq!(one.ends(other).is_some(), other.has_ended() && one != TaskStatus::Pending);
        }
    }

    #[test]
    fn whatever_a_person_types_is_split_or_refused(line in ".{0,60}") {
        if let Ok(words) = words(&line) {
            let quoted: Vec<String> = words
                .iter()
                .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
                .collect();
            prop_assert_eq!(super::words(&quoted.join(" ")), Ok(words));
        }
    }
}

#[test]
fn words_are_split_as_a_shell_does() {
    let split = |line| words(line).unwrap();
    assert_eq!(split("  list --all "), ["list", "--all"]);
    assert_eq!(
        split(r#"say 'a "b"' "c 'd'" e\ f"#),
        ["say", "a \"b\"", "c 'd'", "e f"]
    );
    assert_eq!(split(r#"a "" ''"#), ["a", "", ""]);
    assert_eq!(split(r#""a\"b" "c\n""#), ["a\"b", "c\\n"]);
    assert!(words("say 'a").is_err());
    assert!(words("say \\").is_err());
    assert!(split("   ").is_empty());
}

#[test]
fn a_group_counts_also_where_a_task_is_not_parallel() {
    assert_eq!(Beside::of(false, ""), Beside::Nothing);
    assert_eq!(Beside::of(true, ""), Beside::Anything);
    assert_eq!(
        Beside::of(true, "disk"),
        Beside::OtherGroups("disk".to_owned())
    );
    assert_eq!(
        Beside::of(false, "disk"),
        Beside::OtherGroups("disk".to_owned())
    );
}

#[test]
fn a_receiver_reads_as_it_is_written_and_no_machine_is_a_unit() {
    for text in ["site/0", "machine/3", "machine-x/0"] {
        let receiver: Receiver = text.parse().unwrap();
        assert_eq!(receiver.to_string(), text);
        assert!(receiver.application().is_some() && receiver.machine().is_none());
    }
    for text in ["machine-0", "machine-12/lxd/1"] {
        let receiver: Receiver = text.parse().unwrap();
        assert_eq!(receiver.to_string(), text);
        assert_eq!(receiver.application(), None);
        assert!(receiver.unit().is_none());
    }
    for bad in ["", "site", "machine-", "machine-x", "machine-0/1"] {
        assert!(bad.parse::<Receiver>().is_err(), "{bad}");
    }
}

#[test]
fn what_a_machine_does_not_know_is_refused_with_what_it_does() {
    for command in MachineCommand::ALL {
        assert_eq!(command.as_str().parse(), Ok(*command));
    }
    assert_eq!(
        "rebot".parse::<MachineCommand>().unwrap_err(),
        "a machine has no shell, and its agent knows df, reboot, report, not \"rebot\"; did you mean \"reboot\"?"
    );
    let long = "x".repeat(10_000).parse::<MachineCommand>();
    assert!(long.unwrap_err().len() < 250);
}
