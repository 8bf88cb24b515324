//! Newer revisions of charms over HTTP: who may have them looked for, and who says where.
use crate::common::{House, Http, Standing, charm_archive};
use periapt_model::Digest;
use periapt_model::charm::repository::{CHANNEL, INDEX, Index, Release};
use serde_json::{Value, json};

const REVISIONS: &str = "/v1/models/first/charm-revisions";

async fn as_one(house: &House, standing: Standing) -> Http {
    let mut http = house.stranger();
    http.authorization = Some(format!("Bearer {}", house.token_of(standing).await));
    http
}

fn set(place: &str) -> Option<Value> {
    Some(json!({ "set": { "charm-repository": place } }))
}

#[tokio::test]
async fn newer_revisions_are_looked_for_where_a_superuser_said() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let other = house.add_model("other").await;
    house.people(&model, &other).await;
    house.deploy(&model, 0).await;
    let http = house.http().await;
    let writer = as_one(&house, Standing::Writer).await;

    let (status, problem) = writer.send("POST", REVISIONS, None).await;
    assert_eq!(
        (status, &problem["code"]),
        (409, &json!("charm-repository-missing"))
    );
    let charms = tempfile::tempdir().unwrap();
    let place = charms.path().display().to_string();
    let config = "/v1/controller/config";
    let (status, problem) = writer.send("PATCH", config, set(&place)).await;
    assert_eq!(status, 403, "{problem}");
    for bad in ["charms", "https://user:word@charms.example/"] {
        let (status, problem) = http.send("PATCH", config, set(bad)).await;
        assert_eq!(
            (status, &problem["code"]),
            (400, &json!("controller-option-invalid"))
        );
    }
    let (status, settings) = http.send("PATCH", config, set(&place)).await;
    assert_eq!(status, 200, "{settings}");
    let (_, controller) = writer.get("/v1/controller").await;
    assert_eq!(controller["charm-repository"], json!(place));

    let (status, problem) = writer.send("POST", REVISIONS, None).await;
    assert_eq!(
        (status, &problem["code"]),
        (503, &json!("charm-repository-unavailable"))
    );
    let uploaded = house.store.charms(&model).await.unwrap();
    let mut index = Index::default();
    for sha256 in [uploaded[0].sha256.parse().unwrap(), Digest::of("newer")] {
        let release = Release { sha256, size: 1 };
        index.publish("site", CHANNEL, release, None).unwrap();
    }
    std::fs::write(charms.path().join(INDEX), index.write().unwrap()).unwrap();
    let (status, told) = writer.send("POST", REVISIONS, None).await;
    let wanted = json!([{
        "application": "site", "charm": "local:site-0", "can-upgrade-to": "repository:site-1",
    }]);
    assert_eq!((status, told), (200, wanted));
    let (_, application) = writer.get("/v1/models/first/applications/site").await;
    assert_eq!(application["can-upgrade-to"], "repository:site-1");
    assert_eq!(application["channel"], "");

    let reader = as_one(&house, Standing::Reader).await;
    let (status, problem) = reader.send("POST", REVISIONS, None).await;
    assert_eq!(status, 403, "{problem}");
    let (status, listed) = reader.get("/v1/charm-repository").await;
    assert_eq!(
        (status, &listed["charms"][0]["name"]),
        (200, &json!("site"))
    );
    let channel = &listed["charms"][0]["channels"][0];
    assert_eq!(
        (&channel["channel"], &channel["revision"]),
        (&json!("stable"), &json!(1))
    );

    let take = "/v1/models/first/charm-repository/take";
    let (status, problem) = reader
        .send("POST", take, Some(json!({ "name": "site" })))
        .await;
    assert_eq!(status, 403, "{problem}");
    let unknown = writer
        .send("POST", take, Some(json!({ "name": "sita" })))
        .await;
    assert_eq!(
        (unknown.0, &unknown.1["code"]),
        (404, &json!("charm-not-found"))
    );
    assert!(
        unknown.1["detail"].to_string().contains("site"),
        "{}",
        unknown.1
    );
    let unknown = writer
        .send("POST", take, Some(json!({ "name": "site", "revision": 2 })))
        .await;
    assert_eq!(
        (unknown.0, &unknown.1["code"]),
        (404, &json!("charm-not-found"))
    );
    assert!(
        unknown.1["detail"].to_string().contains("it has 0-1"),
        "{}",
        unknown.1
    );
    // An older revision is taken, not the one that the channel is at.
    let archive = charm_archive("site");
    let older = Release {
        sha256: Digest::of(&archive),
        size: archive.len() as u64,
    };
    std::fs::write(charms.path().join(older.file()), &archive).unwrap();
    let newer = Release {
        sha256: Digest::of("newer"),
        size: 1,
    };
    let mut index = Index::default();
    for release in [older.clone(), newer] {
        index.publish("site", CHANNEL, release, None).unwrap();
    }
    std::fs::write(charms.path().join(INDEX), index.write().unwrap()).unwrap();
    let (status, taken) = writer
        .send("POST", take, Some(json!({ "name": "site", "revision": 0 })))
        .await;
    assert!((200..300).contains(&status), "{taken}");
    assert_eq!(taken["sha256"], json!(older.sha256.to_string()));
    // What the index names is not there.
    let (status, problem) = writer
        .send("POST", take, Some(json!({ "name": "site" })))
        .await;
    assert_eq!(
        (status, &problem["code"]),
        (503, &json!("charm-repository-unavailable"))
    );
    house.close().await;
}
