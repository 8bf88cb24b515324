//! Storage and its pools over HTTP: who is refused what, and what answers say.

use periapt_model::AgentName;
use periapt_model::storage::{Removal, StorageId};
use periapt_wire::rest::{BlockDevice, ImportFilesystem};
use serde_json::json;

use crate::common::House;

const STORAGE: &str = "/v1/models/first/storage";
const POOLS: &str = "/v1/models/first/storage-pools";

#[tokio::test]
async fn pools_are_made_of_what_there_is_and_named_once() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    let (status, pools) = http.get(POOLS).await;
    assert_eq!(status, 200);
    let names: Vec<&str> = pools["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pool| pool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["loop", "rootfs", "tmpfs"]);
    let new =
        json!({ "name": "fast", "provider": "loop", "attributes": { "filesystem-type": "xfs" } });
    let (status, made) = http.send("POST", POOLS, Some(new.clone())).await;
    assert_eq!((status, &made["built-in"]), (201, &json!(false)), "{made}");
    for (new, code) in [
        (new, "storage-pool-already-exists"),
        (
            json!({ "name": "slow", "provider": "lop" }),
            "storage-pool-invalid",
        ),
    ] {
        let (_, refused) = http.send("POST", POOLS, Some(new)).await;
        assert_eq!(refused["code"], code, "{refused}");
    }
    let (status, _) = http.send("DELETE", &format!("{POOLS}/fast"), None).await;
    assert_eq!(status, 200);
    let (status, refused) = http.send("DELETE", &format!("{POOLS}/fast"), None).await;
    assert_eq!(
        (status, &refused["code"]),
        (404, &json!("storage-pool-not-found"))
    );
    house.close().await;
}

#[tokio::test]
async fn a_directory_is_imported_shown_and_removed() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let import = json!({ "pool": "rootfs", "provider-id": "data-7", "storage": "data" });
    let (status, imported) = http.send("POST", STORAGE, Some(import)).await;
    assert_eq!(
        (status, &imported["id"]),
        (201, &json!("data/0")),
        "{imported}"
    );
    assert_eq!(imported["status"]["status"], "pending");
    assert!(imported.get("owner").is_none(), "{imported}");
    let one = format!("{STORAGE}/data/0");
    assert_eq!(http.get(&one).await, (200, imported.clone()));
    let (status, page) = http.get(STORAGE).await;
    assert_eq!((status, &page["items"]), (200, &json!([imported])));
    // The charm has no place for it.
    let attach = json!({ "unit": "site/0" });
    let path = format!("{one}/attach");
    let (status, refused) = http.send("POST", &path, Some(attach)).await;
    assert_eq!((status, &refused["code"]), (400, &json!("storage-invalid")));
    let add = json!({ "storage": "data", "asked": { "count": 1 } });
    let path = "/v1/models/first/units/site/0/storage";
    let (status, refused) = http.send("POST", path, Some(add)).await;
    assert_eq!((status, &refused["code"]), (400, &json!("storage-invalid")));
    let missing = format!("{STORAGE}/data/1");
    let (status, refused) = http.get(&missing).await;
    assert_eq!(
        (status, &refused["code"]),
        (404, &json!("storage-not-found"))
    );
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("data/0"), "the nearest is named: {detail}");

    // It outlives units, so the model does not go without a word for it.
    let (status, refused) = http.send("DELETE", "/v1/models/first", None).await;
    assert_eq!(
        (status, &refused["code"]),
        (409, &json!("model-has-persistent-storage"))
    );
    let path = format!("{one}?no-destroy=true");
    let (status, removed) = http.send("DELETE", &path, None).await;
    assert_eq!(status, 202, "{removed}");
    assert_eq!(http.get(&one).await.1["status"]["status"], "destroying");
    let (status, gone) = http
        .send("DELETE", "/v1/models/first?destroy-storage=true", None)
        .await;
    assert_eq!((status, &gone["life"]), (202, &json!("dying")), "{gone}");
    house.close().await;
}

#[tokio::test]
async fn one_call_waits_for_storage_until_it_is_there_and_until_it_is_gone() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let wait = |query: &str| format!("/v1/models/first/wait?kind=storage&{query}");
    let (status, refused) = http.get(&wait("name=data")).await;
    assert_eq!(
        (status, &refused["code"]),
        (400, &json!("query-invalid")),
        "{refused}"
    );
    let (status, vain) = http.get(&wait("name=data/0&timeout=1")).await;
    assert_eq!((status, &vain["code"]), (408, &json!("wait-timed-out")));
    let detail = vain["detail"].as_str().unwrap();
    assert!(detail.contains("no such storage yet"), "{detail}");

    let id: StorageId = "data/0".parse().unwrap();
    let comes = wait(r#"name=data/0&query=status=="detached"&timeout=20"#);
    let (found, ()) = tokio::join!(http.get(&comes), async {
        let import = json!({ "pool": "rootfs", "provider-id": "data-7", "storage": "data" });
        let import: ImportFilesystem = serde_json::from_value(import).unwrap();
        let imported = house.store.import_filesystem(&model, import).await;
        assert_eq!(imported.unwrap().id, id);
        let there = house.store.set_storage_provisioned(&model, &id, Some(64));
        there.await.unwrap();
    });
    assert_eq!(found.0, 200, "{}", found.1);
    let entity = &found.1["entity"];
    assert_eq!(
        (&entity["name"], &entity["size"]),
        (&json!("data/0"), &json!(64))
    );
    assert_eq!(entity["units"], json!({}));

    let gone = wait(r#"name=data/0&query=life=="dead"&timeout=20"#);
    let (gone, ()) = tokio::join!(http.get(&gone), async {
        let removal = Removal {
            force: false,
            destroy: true,
        };
        let removed = house.store.remove_storage(&model, &id, removal).await;
        removed.unwrap();
        house.store.forget_storage(&model, &id).await.unwrap();
    });
    assert_eq!(
        (gone.0, &gone.1["entity"]),
        (200, &json!(null)),
        "{}",
        gone.1
    );
    house.close().await;
}

#[tokio::test]
async fn removals_say_what_becomes_of_storage_and_block_devices_are_listed() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let device = BlockDevice {
        name: "loop0".to_owned(),
        size: 64,
        ..BlockDevice::default()
    };
    let agent = AgentName::Host;
    let told = house.store.set_block_devices(&model, &agent, vec![device]);
    told.await.unwrap();
    let (status, devices) = http.get("/v1/models/first/machines/0/block-devices").await;
    assert_eq!((status, &devices["items"][0]["name"]), (200, &json!("loop0")));
    let path = "/v1/models/first/units/site/0?destroy-storage";
    let (status, removed) = http.send("DELETE", path, None).await;
    assert_eq!(status, 202, "{removed}");
    assert!(removed.get("destroyed-storage").is_none(), "it has none");
    let path = "/v1/models/first/units/site/1?destroy-storag";
    let (status, refused) = http.send("DELETE", path, None).await;
    assert_eq!(
        (status, &refused["code"]),
        (400, &json!("query-parameter-unknown"))
    );
    house.close().await;
}
