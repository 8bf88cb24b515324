//! Bundles over HTTP: one plan for everybody, steps that each ask and are recorded, and what is left of one that is
//! interrupted.
use crate::common::{House, Http, Standing, charm_archive, text};
use periapt_model::bundle::AppliedBundle;
use periapt_model::charm::repository::{CHANNEL, INDEX, Index, Release};
use periapt_model::{Digest, ModelUuid};
use periapt_store::NewApply;
use serde_json::{Value, json};

mod revisions;

const BUNDLES: &str = "/v1/models/first/bundles";
const DRIFT: &str = "/v1/models/first/bundle/drift";

async fn as_one(house: &House, standing: Standing) -> Http {
    let mut http = house.stranger();
    http.authorization = Some(format!("Bearer {}", house.token_of(standing).await));
    http
}

async fn send(http: &Http, bundle: &str, dry_run: bool) -> (u16, Value) {
    let body = json!({ "bundle": bundle, "dry-run": dry_run });
    http.send("POST", BUNDLES, Some(body)).await
}

/// Applies a bundle and waits for its end.
async fn applied(http: &Http, body: Value) -> Value {
    let (status, plan) = http.send("POST", BUNDLES, Some(body)).await;
    assert_eq!(status, 202, "{plan}");
    let path = format!("{BUNDLES}/{}?wait=60", plan["apply"]["id"]);
    let (status, ended) = http.get(&path).await;
    assert_eq!(status, 200, "{ended}");
    ended
}

fn words(plan: &Value) -> Vec<String> {
    let changes = plan["changes"].as_array().into_iter().flatten();
    changes.map(|change| text(&change["words"])).collect()
}

/// A house with the model `first`, its people, and the charm `site` in it, of which nothing runs.
async fn house() -> (House, ModelUuid, String) {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("other").await,
    );
    house.people(&model, &other).await;
    let http = house.http().await;
    let (status, charm) = http.upload(&model, charm_archive("site")).await;
    assert_eq!(status, 201, "{charm}");
    let sha256 = text(&charm["sha256"]);
    (house, model, sha256)
}

const TWO: &str = "name: pair\napplications:\n  one:\n    charm: local:site-0\n    num_units: 2\n    options: {port: 81}\n  two: {charm: local:site-0, num_units: 1, expose: true}\n";

#[tokio::test]
async fn a_step_that_is_refused_leaves_no_machines() {
    let (house, _, _) = house().await;
    let http = house.http().await;
    // More units than one request adds, the first of which gets its machine before.
    let many = "applications:\n  one: {charm: local:site-0, num_units: 10001, to: [new]}\n";
    let ended = applied(&http, json!({ "bundle": many })).await;
    assert_eq!(ended["state"], "failed", "{ended}");
    let (status, machines) = http.get("/v1/models/first/machines").await;
    assert_eq!(status, 200, "{machines}");
    let machines = machines["items"].as_array().unwrap();
    let stays = machines.iter().find(|machine| machine["life"] == "alive");
    assert_eq!(stays, None);
    house.close().await;
}

#[tokio::test]
async fn a_bundle_is_planned_applied_compared_and_exported() {
    let (house, _, _) = house().await;
    let http = house.http().await;
    let (status, drift) = http.get(DRIFT).await;
    assert_eq!((status, &drift["apply"]), (200, &Value::Null));
    let (status, plan) = send(&http, TWO, true).await;
    assert_eq!(status, 200, "{plan}");
    let steps = [
        "deploy one with 2 units",
        "deploy two with 1 unit",
        "expose two",
    ];
    assert_eq!(words(&plan), steps);
    assert_eq!(plan["changes"][0]["kind"], "deploy");
    assert_eq!(plan["changes"][0]["units"], 2);
    assert_eq!(
        plan["difference"]["applications"]["one"]["missing"],
        "model"
    );
    assert_eq!(plan["apply"], Value::Null);
    let (_, there) = http.get("/v1/models/first/applications").await;
    assert_eq!(there["items"], json!([]), "a dry run changes nothing");

    let ended = applied(&http, json!({ "bundle": TWO })).await;
    assert_eq!(
        (&ended["state"], &ended["taken"]),
        (&json!("completed"), &json!(3)),
        "{ended}"
    );
    assert_eq!(ended["name"], "pair");
    let (_, plan) = send(&http, TWO, true).await;
    assert_eq!((words(&plan).len(), &plan["difference"]), (0, &json!({})));
    let (_, drift) = http.get(DRIFT).await;
    assert_eq!(drift["difference"], json!({}), "{drift}");

    // Each step is in the audit log as the request that it stands for.
    let (_, audit) = http.get("/v1/models/first/audit?limit=50").await;
    let items = audit["items"].as_array().into_iter().flatten();
    let deploys = items.filter(|row| {
        text(&row["target"]).ends_with("/applications")
            && row["result"] == "200"
            && row["arguments"]["by"] == "bundle"
    });
    assert_eq!(deploys.count(), 2, "{audit}");

    // What people change is drift, and the export is the model as it is.
    let change = json!({ "set": { "port": 82 } });
    let config = "/v1/models/first/applications/one/config";
    assert_eq!(http.send("PATCH", config, Some(change)).await.0, 200);
    let (_, drift) = http.get(DRIFT).await;
    let port = &drift["difference"]["applications"]["one"]["options"]["port"];
    assert_eq!(port, &json!({ "bundle": 81, "model": 82 }));
    let (_, exported) = http.get("/v1/models/first/bundle").await;
    let (_, plan) = send(&http, &text(&exported["bundle"]), true).await;
    assert_eq!(
        (words(&plan).len(), &plan["difference"]),
        (0, &json!({})),
        "{exported}"
    );
    // Applied again, the bundle takes the change back.
    let ended = applied(&http, json!({ "bundle": TWO })).await;
    assert_eq!(words(&ended), ["configure one: port"]);
    let (_, all) = http.get(BUNDLES).await;
    let ids = all["items"].as_array().into_iter().flatten();
    let ids: Vec<&Value> = ids.map(|apply| &apply["id"]).collect();
    assert_eq!(ids, [&json!(2), &json!(1)], "newest first");
    house.close().await;
}

#[tokio::test]
async fn whoever_may_not_change_the_model_may_plan_and_no_more() {
    let (house, _, _) = house().await;
    let http = house.http().await;
    let reader = as_one(&house, Standing::Reader).await;
    assert_eq!(send(&reader, TWO, true).await.0, 200);
    let (status, problem) = send(&reader, TWO, false).await;
    assert_eq!((status, &problem["code"]), (403, &json!("forbidden")));

    // Trust is said twice, and by an admin.
    let trusting = "applications: {one: {charm: 'local:site-0', num_units: 0, trust: true}}";
    let writer = as_one(&house, Standing::Writer).await;
    let (_, plan) = send(&writer, trusting, true).await;
    assert_eq!(plan["trusted"], json!(["one"]));
    let (status, problem) = send(&writer, trusting, false).await;
    assert_eq!(
        (status, &problem["code"]),
        (400, &json!("bundle-trust-missing"))
    );
    let trusted = json!({ "bundle": trusting, "trust": true });
    let (status, _) = writer.send("POST", BUNDLES, Some(trusted.clone())).await;
    assert_eq!(status, 403);
    let (_, all) = http.get(BUNDLES).await;
    assert_eq!(all["items"], json!([]), "nothing began");
    assert_eq!(applied(&http, trusted).await["state"], "completed");

    // A block holds it back, and nothing is held back of a model that has it all.
    let block = json!({ "message": "not on Fridays" });
    let blocks = "/v1/models/first/blocks/all";
    assert_eq!(http.send("PUT", blocks, Some(block)).await.0, 200);
    let (status, problem) = send(&writer, TWO, false).await;
    assert_eq!(
        (status, &problem["code"]),
        (409, &json!("operation-blocked"))
    );
    let again = applied(&writer, json!({ "bundle": trusting })).await;
    assert_eq!(
        (&again["state"], words(&again).len()),
        (&json!("completed"), 0)
    );
    house.close().await;
}

#[tokio::test]
async fn what_cannot_be_planned_is_refused_with_its_line() {
    let (house, _, sha256) = house().await;
    let http = house.http().await;
    for (bundle, code, at) in [
        ("applications: {", "bundle-unreadable", "line "),
        ("name: x\napplications: {}\n", "bundle-empty", "line 2: "),
        (
            "applications:\n  a: {}\n",
            "bundle-charm-missing",
            "line 2: ",
        ),
        (
            "applications:\n  a: {charm: local:site-0}\nrelations:\n- [a:x, b:y]\n",
            "bundle-relation-invalid",
            "line 4: ",
        ),
        (
            "applications:\n  a: {charm: local:site-0, options: {prot: 1}}\n",
            "config-unknown-option",
            "line 2: ",
        ),
        (
            "applications:\n  a:\n    charm: ./site.charm\n",
            "bundle-charm-invalid",
            "line 2: ",
        ),
        (
            "applications:\n  a: {charm: other}\n",
            "charm-repository-missing",
            "line 2: ",
        ),
    ] {
        let (_, problem) = send(&http, bundle, false).await;
        assert_eq!(problem["code"], code, "{problem}");
        let detail = text(&problem["detail"]);
        assert!(detail.starts_with(at), "{detail}");
    }
    let (status, problem) = send(&http, "applications: {a: {charm: 'local:site-7'}}", true).await;
    assert_eq!((status, &problem["code"]), (404, &json!("charm-not-found")));

    // A charm beside the bundle is told by its digest: by its path, or by its file's name.
    for name in ["./charms/site.charm", "site.charm"] {
        let body = json!({
            "bundle": "applications: {a: {charm: ./charms/site.charm, num_units: 0}}",
            "charms": { name: { "sha256": sha256 } },
            "dry-run": true,
        });
        let (status, plan) = http.send("POST", BUNDLES, Some(body)).await;
        assert_eq!(status, 200, "{plan}");
        assert_eq!(words(&plan).len(), 1);
    }
    // One that is not there yet can be planned with where enough is said of it, and not applied.
    let described = |dry_run: bool| {
        json!({
            "bundle": "applications: {a: {charm: ./new.charm, num_units: 0}}",
            "charms": { "./new.charm": {
                "sha256": "0".repeat(64),
                "metadata": { "name": "new" },
                "config": { "options": {} },
            } },
            "dry-run": dry_run,
        })
    };
    let (status, plan) = http.send("POST", BUNDLES, Some(described(true))).await;
    assert_eq!(status, 200, "{plan}");
    let (status, problem) = http.send("POST", BUNDLES, Some(described(false))).await;
    assert_eq!(
        (status, &problem["code"]),
        (400, &json!("bundle-charm-invalid"))
    );
    house.close().await;
}

#[tokio::test]
async fn a_charm_is_taken_by_its_name_from_the_charm_repository() {
    let (house, _, _) = house().await;
    let http = house.http().await;
    let repository = tempfile::tempdir().unwrap();
    let archive = charm_archive("other");
    let release = Release {
        sha256: Digest::of(&archive),
        size: archive.len() as u64,
    };
    std::fs::write(repository.path().join(release.file()), &archive).unwrap();
    let mut index = Index::default();
    index.publish("other", CHANNEL, release, None).unwrap();
    std::fs::write(repository.path().join(INDEX), index.write().unwrap()).unwrap();
    let place = repository.path().display().to_string();
    let config = json!({ "set": { "charm-repository": place } });
    let (status, answer) = http
        .send("PATCH", "/v1/controller/config", Some(config))
        .await;
    assert_eq!(status, 200, "{answer}");

    let bundle = "applications: {a: {charm: other, num_units: 0}, b: {charm: other, num_units: 0}}";
    let ended = applied(&http, json!({ "bundle": bundle })).await;
    assert_eq!(
        (&ended["state"], &ended["taken"]),
        (&json!("completed"), &json!(2)),
        "{ended}"
    );
    for name in ["a", "b"] {
        let (_, application) = http
            .get(&format!("/v1/models/first/applications/{name}"))
            .await;
        assert_eq!(application["charm"], "local:other-0");
        assert_eq!(application["channel"], CHANNEL);
    }
    let (status, problem) = send(&http, "applications: {a: {charm: nosuch}}", true).await;
    assert_eq!(
        (status, &problem["code"]),
        (400, &json!("bundle-charm-invalid"))
    );
    house.close().await;
}

#[tokio::test]
async fn an_apply_that_nobody_works_on_was_interrupted_and_makes_room() {
    let (house, model, _) = house().await;
    let http = house.http().await;
    // What a controller leaves that dies on the way.
    let left = NewApply {
        name: "left".to_owned(),
        user: "admin".parse().unwrap(),
        node: 0,
        changes: Vec::new(),
        applied: AppliedBundle {
            text: "applications: {one: {charm: 'local:site-0'}}".to_owned(),
            ..AppliedBundle::default()
        },
    };
    let begun = house.store.begin_bundle(&model, left, Vec::new()).await;
    assert_eq!(begun.unwrap().id, 1);
    let (_, shown) = http.get(&format!("{BUNDLES}/1?wait=60")).await;
    assert_eq!(shown["state"], "interrupted");
    assert!(text(&shown["message"]).contains("apply the bundle again"));
    let (_, drift) = http.get(DRIFT).await;
    assert_eq!(
        drift["difference"]["applications"]["one"]["missing"],
        "model"
    );
    let ended = applied(&http, json!({ "bundle": TWO })).await;
    assert_eq!(
        (&ended["id"], &ended["state"]),
        (&json!(2), &json!("completed"))
    );
    let (status, problem) = http.get(&format!("{BUNDLES}/9")).await;
    assert_eq!(
        (status, &problem["code"]),
        (404, &json!("bundle-not-found"))
    );
    let (status, problem) = http.get(&format!("{BUNDLES}/first")).await;
    assert_eq!(
        (status, &problem["code"]),
        (400, &json!("bundle-number-invalid"))
    );
    house.close().await;
}
