use clap::Parser;

use super::*;
use crate::arguments::{Arguments, Command};

fn parsed(line: &str) -> Result<Command, clap::Error> {
    let words = std::iter::once("periapt").chain(line.split(' '));
    Arguments::try_parse_from(words).map(|arguments| arguments.command)
}

#[test]
fn arguments_are_what_they_say() {
    match parsed("add-storage site/0 data=loop,2,1G cache").unwrap() {
        Command::Storage(Verb::AddStorage(arguments)) => {
            assert_eq!(arguments.unit, "site/0");
            let names: Vec<&str> = arguments
                .storage
                .iter()
                .map(|given| given.name.as_str())
                .collect();
            assert_eq!(names, ["data", "cache"]);
            assert_eq!(arguments.storage[0].asked.count, Some(2));
        }
        other => panic!("{other:?}"),
    }
    match parsed("attach-storage site/0 data/0 data/12").unwrap() {
        Command::Storage(Verb::AttachStorage(arguments)) => {
            let ids: Vec<String> = arguments.ids.iter().map(StorageId::to_string).collect();
            assert_eq!(ids, ["data/0", "data/12"]);
        }
        other => panic!("{other:?}"),
    }
    match parsed(
        "deploy ./site.charm --storage data=1G --storage logs=tmpfs --attach-storage data/3",
    )
    .unwrap()
    {
        Command::Deploy(arguments) => {
            assert_eq!(arguments.storage.len(), 2);
            assert_eq!(arguments.attach_storage[0].number(), 3);
        }
        other => panic!("{other:?}"),
    }
    for bad in [
        "detach-storage",
        "detach-storage data",
        "remove-storage data/00",
        "storage --filesystem --volume",
        "deploy ./site.charm --storage data",
        "destroy-model demo --destroy-storage --release-storage",
    ] {
        assert!(parsed(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_storage_is_named_once() {
    let ids = |words: &[&str]| -> Vec<StorageId> {
        words.iter().map(|word| word.parse().unwrap()).collect()
    };
    assert_eq!(once(&ids(&["data/0", "data/1"])).unwrap().len(), 2);
    assert!(once(&ids(&["data/0", "data/0"])).is_err());
}
