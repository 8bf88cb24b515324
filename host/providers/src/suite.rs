//! The suite every provider passes: what [`Provider`] and its optional parts promise, whatever an
//! instance is. It panics where a promise is broken.
#![allow(clippy::unwrap_used, reason = "a suite of tests, for tests alone")]

use std::collections::BTreeMap;
use std::sync::Arc;

use periapt_model::constraints::Constraints;
use periapt_model::storage::PoolKind;

use crate::{
    Filesystem, Filesystems, InstanceId, InstanceState, Provider, ProviderError, SharedAgent,
    StartInstance,
};

/// A request for `name` with some configuration.
pub fn request(name: &str) -> StartInstance {
    StartInstance {
        name: name.to_owned(),
        agent_config: b"{\"password\":\"hidden\"}".to_vec(),
        constraints: Constraints::default(),
    }
}

/// Runs an empty environment through the life of its instances. The environment is destroyed
/// afterwards.
///
/// # Panics
/// Where the provider breaks a promise.
pub async fn run(provider: Arc<dyn Provider>) {
    assert_eq!(provider.instances().await.unwrap(), []);
    provider.check_credential().await.unwrap();
    if let Some(agent) = provider.shared_agent() {
        assert_eq!(agent.config().await.unwrap(), None);
    }

    let first = provider.start_instance(request("0")).await.unwrap();
    assert_eq!(
        (first.name.as_str(), first.state),
        ("0", InstanceState::Running)
    );
    assert!(!first.addresses.is_empty() && first.hardware.contains("arch="));
    let again = provider.start_instance(request("0")).await.unwrap();
    assert_eq!(again, first, "the same name is the same instance");
    let second = provider.start_instance(request("1")).await.unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(
        provider.instances().await.unwrap(),
        [first.clone(), second.clone()]
    );
    if let Some(agent) = provider.shared_agent() {
        runs_one_agent(provider.as_ref(), agent).await;
    }
    if let Some(filesystems) = provider.filesystems() {
        keeps_directories(filesystems).await;
    }
    assert!(
        !format!("{:?}", request("0")).contains("hidden"),
        "a request shows no password"
    );
    assert!(!provider.describe().to_string().contains("hidden"));

    let bad = provider
        .start_instance(request("../../etc"))
        .await
        .unwrap_err();
    assert!(matches!(bad, ProviderError::InvalidName(_)), "{bad}");

    provider.stop_instance(&first.id).await.unwrap();
    provider.stop_instance(&first.id).await.unwrap();
    provider
        .stop_instance(&InstanceId::new("never-there"))
        .await
        .unwrap();
    assert_eq!(provider.instances().await.unwrap(), [second]);

    if let Some(firewall) = provider.firewall() {
        let applied = firewall.apply(None).await.unwrap();
        assert!(applied.listening.is_empty() && applied.not_listening.is_empty());
    }

    provider.destroy().await.unwrap();
    assert_eq!(provider.instances().await.unwrap(), []);
    if let Some(agent) = provider.shared_agent() {
        assert_eq!(agent.config().await.unwrap(), None);
    }
    provider.destroy().await.unwrap();
}

/// With instances `0` and `1`, which stay.
async fn runs_one_agent(provider: &dyn Provider, agent: &dyn SharedAgent) {
    let started = request("1").agent_config;
    assert_eq!(agent.config().await.unwrap(), Some(started.clone()));
    let next = b"{\"password\":\"hidden\",\"next\":true}".to_vec();
    agent.set_config(next.clone(), false).await.unwrap();
    assert_eq!(agent.config().await.unwrap(), Some(next));
    agent.set_config(started.clone(), true).await.unwrap();
    assert_eq!(agent.config().await.unwrap(), Some(started));
    assert_eq!(*agent.ended().borrow(), None);
    agent.start_again().await.unwrap();

    let there = provider.instances().await.unwrap();
    agent.halt().await.unwrap();
    let halted = provider.instances().await.unwrap();
    let ids = |all: &[crate::Instance]| -> Vec<InstanceId> {
        all.iter().map(|instance| instance.id.clone()).collect()
    };
    assert_eq!(ids(&halted), ids(&there), "its instances stay");
    for instance in there {
        let again = provider.start_instance(request(&instance.name)).await;
        assert_eq!(again.unwrap().state, InstanceState::Running);
    }
}

/// While an agent runs. Nothing is left.
async fn keeps_directories(filesystems: &dyn Filesystems) {
    let of = |directory: &str, kind| Filesystem {
        directory: directory.to_owned(),
        kind,
        size: 16,
        attributes: BTreeMap::new(),
        made: true,
    };
    let plain = of("data-0", PoolKind::Rootfs);
    let code = |refused: Result<(), ProviderError>| refused.unwrap_err().code();
    let absent = filesystems.import(&plain).await.map(drop);
    assert_eq!(code(absent), "storage-not-there");
    for _ in 0..2 {
        filesystems.make(&plain).await.unwrap();
    }
    for _ in 0..2 {
        filesystems.release(&plain).await.unwrap();
    }
    assert_eq!(filesystems.import(&plain).await.unwrap(), 16);
    assert!(filesystems.import(&plain).await.unwrap() > 0);
    for _ in 0..2 {
        filesystems.destroy(&plain).await.unwrap();
    }
    let gone = filesystems.import(&plain).await.map(drop);
    assert_eq!(code(gone), "storage-not-there");
    for bad in ["", "..", ".files", "a/b", "../data-0"] {
        let refused = filesystems.make(&of(bad, PoolKind::Rootfs)).await;
        assert_eq!(code(refused), "storage-directory-invalid", "{bad}");
    }
    // Whether these can be had depends on whose process it is, and where.
    for kind in [PoolKind::Tmpfs, PoolKind::Loop] {
        let limited = of(&format!("{kind}-1"), kind);
        match filesystems.make(&limited).await {
            Ok(()) => filesystems.make(&limited).await.unwrap(),
            Err(error) => {
                let code = error.code();
                let known = ["storage-needs-root", "storage-program"];
                assert!(known.contains(&code), "{code}: {error}");
            }
        }
        filesystems.destroy(&limited).await.unwrap();
    }
}
