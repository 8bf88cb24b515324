//! storageprovisioner: "when a charm with storage `data` is deployed, then status shows storage attached". That
//! `storage-attached` precedes `install`, and that a component writes only there, is tested where hooks run.

use std::io::Write;

use bytes::Bytes;
use periapt_model::status;
use periapt_model::storage::{Removal, StorageId};
use periapt_wire::rest::{Deploy, ImportFilesystem, StorageInfo, StorageQuery};

use super::*;
use crate::model::storageprovisioner;

const METADATA: &[u8] = b"name: site\nsummary: A site\nstorage:\n  data:\n    type: filesystem\n";

fn archive() -> Bytes {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in [
        ("metadata.yaml", METADATA),
        ("charm.wasm", &b"\0asm\x0d\0\x01\0"[..]),
    ] {
        writer
            .start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content).unwrap();
    }
    Bytes::from(writer.finish().unwrap().into_inner())
}

/// Deploys a unit whose charm needs storage.
async fn deploy(bench: &Bench) {
    let archive = archive();
    let read = periapt_model::charm::Archive::read(&archive).unwrap();
    let url = "local:site-0".parse().unwrap();
    let info = read.info(url, vec!["start".into()]);
    let charm = bench.store.add_charm(&bench.model, info, archive).await;
    let deploy = Deploy {
        channel: None,
        trust: false,
        constraints: String::new(),
        resources: Default::default(),
        placement: Vec::new(),
        application: "site".parse().unwrap(),
        charm: charm.unwrap().url.to_string(),
        units: 1,
        config: Default::default(),
        storage: Default::default(),
        attach_storage: Vec::new(),
        capabilities: Default::default(),
    };
    bench.store.deploy(&bench.model, deploy).await.unwrap();
}

async fn shown(bench: &Bench) -> Vec<StorageInfo> {
    let query = StorageQuery::default();
    let page = bench.store.storages(&bench.model, &query).await;
    page.unwrap().items
}

/// Until the only storage has this status.
async fn until_storage(bench: &Bench, wanted: status::Storage) -> StorageInfo {
    bench
        .until(&format!("the storage is {wanted}"), || async {
            let shown = shown(bench).await;
            shown.into_iter().find(|one| one.status.status == wanted)
        })
        .await
}

async fn until_gone(bench: &Bench) {
    bench
        .until("the storage is gone", || async {
            shown(bench).await.is_empty().then_some(())
        })
        .await;
}

fn id(text: &str) -> StorageId {
    text.parse().unwrap()
}

#[tokio::test]
async fn when_a_charm_with_storage_is_deployed_then_status_shows_it_attached() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, storageprovisioner::NAME).await;
    deploy(&bench).await;
    let storage = until_storage(&bench, status::Storage::Attached).await;
    assert_eq!(storage.id, id("data/0"));
    assert_eq!(storage.attachments[0].unit.as_str(), "site/0");
    assert_eq!(bench.provider.calls("make data-0"), 1);
    // Another life looks whether it is there, once, and makes nothing.
    engine.kill();
    engine.wait().await.unwrap();
    let engine = bench.engine();
    bench
        .until("it was looked for", || async {
            (bench.provider.calls("import data-0") == 1).then_some(())
        })
        .await;
    assert_eq!(bench.provider.calls("make data-0"), 1);
    bench.close(engine).await;
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_says_why_and_is_tried_again_ever_more_seldom() {
    let bench = Bench::new().await;
    *bench.provider.no_directory.lock().unwrap() = 2;
    let engine = bench.engine();
    deploy(&bench).await;
    let failed = until_storage(&bench, status::Storage::Error).await;
    assert_eq!(failed.status.message, "the disc is full");
    let tries = |count: usize| {
        let bench = &bench;
        bench.until("the next try", move || async move {
            bench.clock.advance(Duration::from_millis(200));
            (bench.provider.calls("make data-0") == count).then_some(())
        })
    };
    for (count, wait) in [(2, 30), (3, 60)] {
        let before = bench.clock.shared().monotonic();
        tries(count).await;
        let waited = bench.clock.shared().monotonic() - before;
        // Time goes on while the bench looks.
        assert!(waited > Duration::from_secs(wait - 5), "{waited:?}");
        assert!(waited < Duration::from_secs(wait + 10), "{waited:?}");
    }
    let attached = until_storage(&bench, status::Storage::Attached).await;
    assert_eq!(attached.status.message, "");
    bench.close(engine).await;
}

#[tokio::test]
async fn what_goes_is_destroyed_or_given_up_and_what_was_given_up_comes_back() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    deploy(&bench).await;
    until_storage(&bench, status::Storage::Attached).await;
    let application = "site".parse().unwrap();
    let removed = bench
        .store
        .remove_application(
            &bench.model,
            &application,
            periapt_model::removal::Force::AtOnce,
        )
        .await
        .unwrap();
    assert_eq!(removed.detached_storage, [id("data/0")]);
    until_storage(&bench, status::Storage::Detached).await;
    let remove = |storage: StorageId, destroy: bool| {
        let removal = Removal {
            force: false,
            destroy,
        };
        let bench = &bench;
        async move {
            let removed = bench.store.remove_storage(&bench.model, &storage, removal);
            removed.await.unwrap();
        }
    };
    remove(id("data/0"), false).await;
    until_gone(&bench).await;
    assert_eq!(bench.provider.calls("release data-0"), 1);
    let import = ImportFilesystem {
        pool: "rootfs".to_owned(),
        provider_id: "data-0".to_owned(),
        storage: "data".to_owned(),
    };
    let imported = bench.store.import_filesystem(&bench.model, import).await;
    assert_eq!(imported.unwrap().id, id("data/1"));
    let found = until_storage(&bench, status::Storage::Detached).await;
    assert_eq!((found.size, found.provider_id.as_str()), (1024, "data-0"));
    remove(id("data/1"), true).await;
    until_gone(&bench).await;
    assert_eq!(bench.provider.calls("destroy data-0"), 1);
    bench.close(engine).await;
}
