//! Pools, what is imported into them, and the block devices beside them.

use periapt_wire::rest::{BlockDevice, ConfigChange, ImportFilesystem, NewStoragePool};

use super::*;
use crate::Setter;
use crate::testing::machine;

fn pool(name: &str, provider: &str, attributes: &[(&str, &str)]) -> NewStoragePool {
    let attributes = attributes.iter();
    NewStoragePool {
        name: name.to_owned(),
        provider: provider.to_owned(),
        attributes: attributes
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

#[tokio::test]
async fn a_pool_stays_while_something_is_made_of_it() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let store = &fixture.store;
        let fast = pool("fast", "loop", &[("filesystem-type", "xfs")]);
        let made = store.create_storage_pool(&room.model, fast.clone()).await;
        assert!(!made.expect("made").built_in);
        let again = store.create_storage_pool(&room.model, fast).await;
        assert_eq!(code(again), Refusal::AlreadyExists(Subject::StoragePool));
        for bad in [
            pool("loop", "loop", &[]),
            pool("slow", "ebs", &[]),
            pool("slow", "loop", &[("filesystem-type", "ntfs")]),
        ] {
            let refused = store.create_storage_pool(&room.model, bad).await;
            assert_eq!(code(refused), Refusal::StoragePoolInvalid);
        }
        let set = |name: &str| {
            let change = ConfigChange {
                set: [(
                    "storage-default-filesystem-source".to_owned(),
                    periapt_model::config::Value::Text(name.to_owned()),
                )]
                .into(),
                reset: Vec::new(),
            };
            store.set_model_config(&room.model, change, Setter::Admin)
        };
        assert_eq!(code(set("fats").await), Refusal::ModelOptionInvalid);
        set("fast").await.expect("set");
        let remove = || store.remove_storage_pool(&room.model, "fast");
        assert_eq!(code(remove().await), Refusal::StoragePoolInUse);
        room.deploy(1, &[]).await.expect("deployed");
        assert_eq!(room.one("data/0").await.pool, "fast");
        set("rootfs").await.expect("set");
        assert_eq!(code(remove().await), Refusal::StoragePoolInUse);
        let pools = store.storage_pools(&room.model).await.expect("pools");
        let shown: Vec<(&str, u64)> = pools
            .iter()
            .map(|pool| (pool.name.as_str(), pool.storages))
            .collect();
        assert_eq!(
            shown,
            [("fast", 1), ("loop", 0), ("rootfs", 0), ("tmpfs", 0)]
        );
        let built_in = store.remove_storage_pool(&room.model, "rootfs").await;
        assert_eq!(code(built_in), Refusal::StoragePoolInUse);
        let missing = store.remove_storage_pool(&room.model, "fats").await;
        assert_eq!(code(missing), Refusal::NotFound(Subject::StoragePool));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_directory_is_that_of_one_storage() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let store = &fixture.store;
        let import = |pool: &str, directory: &str| {
            let request = ImportFilesystem {
                pool: pool.to_owned(),
                provider_id: directory.to_owned(),
                storage: "data".to_owned(),
            };
            store.import_filesystem(&room.model, request)
        };
        let imported = import("rootfs", "data-1").await.expect("imported");
        assert_eq!(imported.id, id("data/0"));
        assert_eq!(
            code(import("rootfs", "data-1").await),
            Refusal::AlreadyExists(Subject::Storage)
        );
        assert_eq!(code(import("tmpfs", "old").await), Refusal::StorageInvalid);
        for bad in ["", "..", "a/b", ".files"] {
            assert_eq!(code(import("rootfs", bad).await), Refusal::StorageInvalid);
        }
        room.provide().await;
        let found = room.one("data/0").await;
        assert_eq!(
            (found.size, found.status.status),
            (64, status::Storage::Detached)
        );
        // A new one is not named after a directory that another has.
        room.deploy(1, &[]).await.expect("deployed");
        assert_eq!(
            room.held().await,
            held(&[("data/0", &[]), ("data/2", &["site/0"])])
        );
        room.attach("data/0", "site/0").await.expect("attached");
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_block_devices_of_a_machine_are_those_that_its_agent_told_last() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let store = &fixture.store;
        let host = periapt_model::AgentName::Host;
        let device = |name: &str| BlockDevice {
            name: name.to_owned(),
            size: 8,
            ..BlockDevice::default()
        };
        let tell = |names: &[&str]| {
            let devices = names.iter().map(|name| device(name)).collect();
            store.set_block_devices(&model, &host, devices)
        };
        tell(&["loop1", "loop0"]).await.expect("told");
        let none = store.block_devices(&model, &machine("0")).await;
        assert_eq!(none, Ok(Vec::new()), "it has no instance");
        fixture.provision(&model).await;
        let shown = store.block_devices(&model, &machine("0")).await;
        assert_eq!(shown, Ok(vec![device("loop0"), device("loop1")]));
        tell(&["loop1"]).await.expect("told");
        let shown = store.block_devices(&model, &machine("0")).await;
        assert_eq!(shown, Ok(vec![device("loop1")]));
        let missing = store.block_devices(&model, &machine("7")).await;
        assert_eq!(code(missing), Refusal::NotFound(Subject::Machine));
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_agent_tells_of_no_more_block_devices_than_are_kept() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let store = &fixture.store;
        let host = periapt_model::AgentName::Host;
        let mut devices: Vec<BlockDevice> = (0..1_200)
            .map(|number| BlockDevice {
                name: format!("sd{number:04}"),
                ..BlockDevice::default()
            })
            .collect();
        devices.push(BlockDevice {
            name: "long".to_owned(),
            mount_point: "x".repeat(1 << 20),
            ..BlockDevice::default()
        });
        let told = store.set_block_devices(&model, &host, devices).await;
        told.expect("told");
        let shown = store.block_devices(&model, &machine("0")).await;
        let shown = shown.expect("devices");
        assert_eq!(shown.len(), 1_000);
        assert!(shown.iter().all(|device| device.mount_point.is_empty()));
        fixture.end().await;
    }
}
