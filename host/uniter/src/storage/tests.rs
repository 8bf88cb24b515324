use periapt_model::Life;
use periapt_model::charm::{Container, Mount, Storage};
use periapt_model::storage::Kind;

use super::*;
use crate::testing::{archive, charm_info};

fn attachment(id: &str, ready: bool) -> (StorageId, RemoteAttachment) {
    let attachment = RemoteAttachment {
        life: Life::Alive,
        ready,
        kind: Kind::Filesystem,
        location: format!("/storage/{id}"),
        read_only: id.starts_with("pool"),
        directory: id.replace('/', "-"),
    };
    (id.parse().unwrap(), attachment)
}

fn ids(held: &Held) -> Vec<String> {
    held.keys().map(StorageId::to_string).collect()
}

#[test]
fn a_unit_has_what_it_was_told_of_and_what_its_hook_is_about() {
    let all = Held::from([
        attachment("data/0", true),
        attachment("data/1", false),
        attachment("data/2", true),
        attachment("pool/3", true),
    ]);
    let told = ["data/0", "data/1", "logs/9"].map(|id| id.parse::<StorageId>().unwrap());
    let state = OperationState {
        storage: told.into(),
        ..OperationState::default()
    };
    assert_eq!(ids(&held(&state, &all, None)), ["data/0"]);
    let about = "data/2".parse().unwrap();
    let found = held(&state, &all, Some(&about));
    assert_eq!(ids(&found), ["data/0", "data/2"]);
    let unready = "data/1".parse().unwrap();
    assert_eq!(ids(&held(&state, &all, Some(&unready))), ["data/0"]);
}

#[test]
fn a_directory_is_named_below_that_of_all_and_written_to_unless_it_is_for_reading() {
    let all = Held::from([attachment("data/0", true), attachment("pool/3", true)]);
    let found = directories_of(&all, Path::new("/agent/storage"));
    let of = |id: &str, access| StorageDirectory {
        id: id.to_owned(),
        root: PathBuf::from("/agent/storage"),
        directory: id.replace('/', "-"),
        location: format!("/storage/{id}"),
        access,
    };
    let expected = [
        of("data/0", Access::ReadWrite),
        of("pool/3", Access::ReadOnly),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_container_has_what_it_mounts_and_all_where_it_says_nothing() {
    let url = periapt_model::charm::CharmUrl::new("site", 0).unwrap();
    let mut charm = charm_info(&archive("site", "0"), &url, &[]).unwrap();
    let storage: Storage = serde_json::from_str(r#"{"type": "filesystem"}"#).unwrap();
    let several = r#"{"type": "filesystem", "multiple": {"range": "0+"}}"#;
    let data: Storage = serde_json::from_str(several).unwrap();
    charm.metadata.storage = [("data".to_owned(), data), ("pool".to_owned(), storage)].into();
    let mount = |storage: &str, location: Option<&str>| Mount {
        storage: storage.to_owned(),
        location: location.map(str::to_owned),
    };
    let containers = [
        ("web", vec![mount("pool", None)]),
        ("worker", vec![mount("data", Some("/srv"))]),
        ("both", Vec::new()),
    ];
    charm.metadata.containers = containers
        .map(|(name, mounts)| {
            let container = Container {
                mounts,
                ..Container::default()
            };
            (name.to_owned(), container)
        })
        .into();
    let all = Held::from([attachment("data/0", true), attachment("pool/3", true)]);
    let found = |container: &str| {
        let found = in_container(&charm, container, &all).into_iter();
        found
            .map(|(guest, stored)| {
                let directory = stored.directory.display().to_string();
                (guest, directory, stored.read_only)
            })
            .collect::<Vec<_>>()
    };
    let of = |guest: &str, directory: &str, read_only| {
        (guest.to_owned(), directory.to_owned(), read_only)
    };
    assert_eq!(
        found("web"),
        [of("/storage/pool/3", "storage/pool-3", true)]
    );
    assert_eq!(found("worker"), [of("/srv/0", "storage/data-0", false)]);
    let everything = [
        of("/storage/data/0", "storage/data-0", false),
        of("/storage/pool/3", "storage/pool-3", true),
    ];
    assert_eq!(found("both"), everything);
}
