//! Bundles that name a revision of the charm repository: planned, applied, compared and exported, and refused where
//! there is none.
use super::*;
use crate::common::archive;

const APPLICATIONS: &str = "/v1/models/first/applications";

/// A charm of which only the description tells the revision.
fn web(revision: u32) -> Vec<u8> {
    let metadata = format!("name: web\nsummary: a test\ndescription: revision {revision}\n");
    archive(&[
        ("metadata.yaml", metadata.as_bytes()),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
    ])
}

/// The controller's charm repository: `edge` is at revision 1 of `web`, and `stable` at 0.
async fn repository(http: &Http) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let archives = [web(0), web(1)];
    let mut index = Index::default();
    for (archive, channel) in [(0, CHANNEL), (0, "edge"), (1, "edge")] {
        let archive = &archives[archive];
        let release = Release {
            sha256: Digest::of(archive),
            size: archive.len() as u64,
        };
        std::fs::write(directory.path().join(release.file()), archive).unwrap();
        index.publish("web", channel, release, None).unwrap();
    }
    std::fs::write(directory.path().join(INDEX), index.write().unwrap()).unwrap();
    let place = directory.path().display().to_string();
    let config = json!({ "set": { "charm-repository": place } });
    let (status, answer) = http
        .send("PATCH", "/v1/controller/config", Some(config))
        .await;
    assert_eq!(status, 200, "{answer}");
    directory
}

fn bundle(charm: &str) -> String {
    format!("applications:\n  web: {{charm: {charm}, num_units: 1}}\n")
}

/// The words of the plan of a bundle, and what differs of the application.
async fn planned(http: &Http, bundle: &str) -> (Vec<String>, Value) {
    let (status, plan) = send(http, bundle, true).await;
    assert_eq!(status, 200, "{plan}");
    let difference = plan["difference"]["applications"]["web"].clone();
    (words(&plan), difference)
}

/// Applies a bundle; the charm and the channel that the application has then.
async fn came_to(http: &Http, bundle: &str) -> (String, String) {
    let ended = applied(http, json!({ "bundle": bundle })).await;
    assert_eq!(ended["state"], "completed", "{ended}");
    let (_, application) = http.get(&format!("{APPLICATIONS}/web")).await;
    (text(&application["charm"]), text(&application["channel"]))
}

fn pair(charm: &str, channel: &str) -> (String, String) {
    (charm.to_owned(), channel.to_owned())
}

#[tokio::test]
async fn a_bundle_deploys_and_refreshes_to_the_revision_that_it_names() {
    let (house, _, _) = house().await;
    let http = house.http().await;
    let _charms = repository(&http).await;

    let older = bundle("web, channel: edge, revision: 0");
    let (words, _) = planned(&http, &older).await;
    assert_eq!(words, ["deploy web from repository revision 0 with 1 unit"]);
    assert_eq!(came_to(&http, &older).await, pair("local:web-0", "edge"));
    let (words, difference) = planned(&http, &older).await;
    assert_eq!((words.len(), difference), (0, Value::Null));

    let newer = bundle("web, channel: edge, revision: 1");
    let (words, difference) = planned(&http, &newer).await;
    assert_eq!(words, ["refresh web to repository revision 1"]);
    assert_eq!(difference["revision"], json!({ "bundle": 1, "model": 0 }));
    assert_eq!(difference["channel"], Value::Null);
    assert_eq!(came_to(&http, &newer).await, pair("local:web-1", "edge"));
    let (_, drift) = http.get(DRIFT).await;
    assert_eq!(drift["difference"], json!({}), "{drift}");

    // Back again, and to another channel: what was uploaded is not uploaded again.
    let back = bundle("web, channel: stable, revision: 0");
    let (words, difference) = planned(&http, &back).await;
    assert_eq!(
        words,
        ["refresh web to repository revision 0 and channel stable"]
    );
    let channels = json!({ "bundle": "stable", "model": "edge" });
    assert_eq!(difference["channel"], channels);
    assert_eq!(came_to(&http, &back).await, pair("local:web-0", "stable"));

    // The same charm under another channel; without a revision it is where the channel is.
    let (words, _) = planned(&http, &older).await;
    assert_eq!(words, ["refresh web to channel edge"]);
    assert_eq!(came_to(&http, &older).await, pair("local:web-0", "edge"));
    let (words, _) = planned(&http, &bundle("web, channel: edge")).await;
    assert_eq!(words, ["refresh web to repository revision 1"]);
    house.close().await;
}

#[tokio::test]
async fn an_export_names_the_revision_and_drift_tells_of_another() {
    let (house, _, _) = house().await;
    let http = house.http().await;
    let charms = repository(&http).await;
    let newer = bundle("web, channel: edge, revision: 1");
    assert_eq!(came_to(&http, &newer).await, pair("local:web-0", "edge"));
    let older = bundle("web, channel: edge, revision: 0");
    assert_eq!(came_to(&http, &older).await, pair("local:web-1", "edge"));

    let (_, exported) = http.get("/v1/models/first/bundle").await;
    let exported = text(&exported["bundle"]);
    let read = periapt_model::bundle::Bundle::parse(&exported, &[]).unwrap();
    let found = read.applications.values().next().unwrap();
    assert_eq!(
        (
            found.charm.as_str(),
            found.channel.as_deref(),
            found.revision
        ),
        ("web", Some("edge"), Some(0)),
        "{exported}"
    );
    let (words, difference) = planned(&http, &exported).await;
    assert_eq!((words.len(), difference), (0, Value::Null));
    // Elsewhere it deploys the same again.
    let body = json!({ "bundle": exported, "dry-run": true });
    let (status, plan) = http
        .send("POST", "/v1/models/other/bundles", Some(body))
        .await;
    assert_eq!(status, 200, "{plan}");
    assert_eq!(
        super::words(&plan),
        ["deploy web from repository revision 0 with 1 unit"]
    );

    // Somebody has it follow another channel, and then takes another revision.
    let path = format!("{APPLICATIONS}/web/refresh");
    let follow = Some(json!({ "charm": "local:web-1", "channel": "stable" }));
    assert_eq!(http.send("POST", &path, follow).await.0, 200);
    let (_, drift) = http.get(DRIFT).await;
    let channels = json!({ "channel": { "bundle": "edge", "model": "stable" } });
    assert_eq!(drift["difference"]["applications"]["web"], channels);
    let refresh = Some(json!({ "charm": "local:web-0" }));
    assert_eq!(http.send("POST", &path, refresh).await.0, 200);
    let (_, drift) = http.get(DRIFT).await;
    let charm = &drift["difference"]["applications"]["web"]["charm"];
    assert!(charm["bundle"] != charm["model"], "{drift}");

    // Where the repository cannot be read, charms are named as the model has them.
    std::fs::remove_file(charms.path().join(INDEX)).unwrap();
    let (status, exported) = http.get("/v1/models/first/bundle").await;
    assert_eq!(status, 200, "{exported}");
    let exported = text(&exported["bundle"]);
    assert!(
        exported.contains("local:web-0") && !exported.contains("revision"),
        "{exported}"
    );
    house.close().await;
}

#[tokio::test]
async fn a_revision_that_cannot_be_taken_is_refused_and_nothing_is_deployed() {
    let (house, _, sha256) = house().await;
    let http = house.http().await;
    let _charms = repository(&http).await;
    let invalid = "bundle-revision-invalid";
    for (charm, code, told) in [
        ("web, revision: 7", invalid, "it has 0-1"),
        ("web, channel: edge, revision: 7", invalid, "it has 0-1"),
        ("web, revision: one", invalid, "\"one\""),
        ("web, revision: -1", invalid, "-1"),
        ("./web.charm, revision: 0", invalid, "\"./web.charm\""),
        ("'local:site-0', revision: 0", invalid, "\"local:site-0\""),
        ("web, channel: nosuch", "bundle-charm-invalid", "\"nosuch\""),
    ] {
        // An application before it would be deployed first.
        let text_of = bundle(charm) + "  a: {charm: 'local:site-0', num_units: 0}\n";
        for dry_run in [true, false] {
            let (status, problem) = send(&http, &text_of, dry_run).await;
            assert_eq!(
                (status, &problem["code"]),
                (400, &json!(code)),
                "{charm}: {problem}"
            );
            let detail = text(&problem["detail"]);
            assert!(
                detail.starts_with("line 2: ") && detail.contains(told),
                "{detail}"
            );
            assert!(!text(&problem["advice"]).is_empty(), "{problem}");
        }
    }
    // A file of this name was sent with the bundle: it has no revisions, and a channel means the repository.
    let with_file = |charm: &str| {
        json!({
            "bundle": bundle(charm),
            "charms": { "web": { "sha256": sha256 } },
            "dry-run": true,
        })
    };
    let named = with_file("web, revision: 0");
    let (status, problem) = http.send("POST", BUNDLES, Some(named)).await;
    assert_eq!((status, &problem["code"]), (400, &json!(invalid)));
    let followed = with_file("web, channel: edge, revision: 0");
    let (status, plan) = http.send("POST", BUNDLES, Some(followed)).await;
    assert_eq!(status, 200, "{plan}");
    assert_eq!(
        words(&plan),
        ["deploy web from repository revision 0 with 1 unit"]
    );

    let (_, ignored) = send(&http, &bundle("'local:site-0', channel: edge"), true).await;
    assert_eq!(ignored["ignored"], json!(["applications.web.channel"]));
    let (_, there) = http.get(APPLICATIONS).await;
    assert_eq!(there["items"], json!([]), "nothing was deployed");
    let (_, begun) = http.get(BUNDLES).await;
    assert_eq!(begun["items"], json!([]), "nothing began");
    house.close().await;
}
