use std::path::PathBuf;
use std::sync::Arc;

use periapt_engine::SystemClock;

use crate::local::{self, LocalOptions, LocalProviders, Patience, Program};
use crate::{ProviderError, Providers};

fn local(directory: PathBuf) -> LocalProviders {
    LocalProviders::new(LocalOptions {
        directory,
        program: Program {
            path: PathBuf::from("/bin/false"),
            arguments: Vec::new(),
            environment: Vec::new(),
        },
        workloads: Program {
            path: PathBuf::from("/bin/false"),
            arguments: Vec::new(),
            environment: Vec::new(),
        },
        patience: Patience::default(),
        clock: SystemClock::shared(),
    })
}

#[tokio::test]
async fn a_registry_opens_an_environment_by_the_kind_of_its_cloud() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let providers = Providers::default()
        .with(local::KIND, local(one.path().to_owned()))
        .with("twin", local(two.path().to_owned()));
    let (here, there) = (
        providers.open(local::KIND, "m").unwrap(),
        providers.open("twin", "m").unwrap(),
    );
    assert!(!Arc::ptr_eq(&here, &there), "the same name in two clouds");
    assert!(Arc::ptr_eq(
        &here,
        &providers.clone().open(local::KIND, "m").unwrap()
    ));
    assert!(!providers.upgrade_ops(local::KIND).unwrap().is_empty());

    let unknown = providers.open("lxd", "m").err().unwrap();
    assert!(matches!(&unknown, ProviderError::UnknownKind { kind, .. } if kind == "lxd"));
    assert_eq!(
        unknown.to_string(),
        "this program has no provider \"lxd\"; it has local, twin"
    );
    assert!(providers.upgrade_ops("lxd").is_err());
}
