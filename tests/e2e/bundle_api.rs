//! Bundles as a script sends them: the charm goes up, the bundle is planned, applied and followed, and what people
//! change afterwards is drift. The command line sees the same, since the controller plans for both.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use periapt_client::rest::{RestClient, RestError};
use periapt_tests::account::client;
use periapt_tests::{Home, charm};
use periapt_wire::rest::{
    BundleApply, BundleApplyState, BundleCharm, BundleFile, BundleWait, DeployBundle,
};

const BUNDLE: &str = "\
name: web
applications:
  docs:
    charm: ./site.charm
    num_units: 1
    options: {title: Documentation}
    resources: {theme: ./theme.css}
  front: {charm: ./front.charm, num_units: 1}
relations:
- [front, docs]
";

/// The bundle as a script says it; the file is named by the id of its upload.
async fn request(client: &RestClient, theme: &str) -> Result<DeployBundle> {
    let mut charms = BTreeMap::new();
    for name in ["site", "front"] {
        let archive = std::fs::read(charm(name))?;
        let uploaded = client
            .upload_charm("test", archive.into(), None, None)
            .await?;
        let told = BundleCharm {
            sha256: uploaded.sha256,
            metadata: None,
            config: None,
        };
        charms.insert(format!("./{name}.charm"), told);
    }
    let theme = theme.as_bytes().to_vec().into();
    let uploaded = client.upload_resource("test", theme, None).await?;
    let file = BundleFile {
        sha256: uploaded.sha256,
        upload: Some(uploaded.id),
    };
    let files = BTreeMap::from([("theme".to_owned(), file)]);
    Ok(DeployBundle {
        bundle: BUNDLE.to_owned(),
        charms,
        resources: BTreeMap::from([("docs".parse()?, files)]),
        ..DeployBundle::default()
    })
}

/// Applies it and follows it to its end; how many changes were made at each answer.
async fn followed(client: &RestClient, request: &DeployBundle) -> Result<(BundleApply, Vec<u64>)> {
    let begun = client.deploy_bundle("test", request).await?;
    let mut apply = begun.apply.context("nothing to follow")?;
    let mut heard = vec![apply.taken];
    while !apply.state.has_ended() {
        let query = BundleWait {
            wait: Some(60),
            taken: Some(apply.taken),
        };
        apply = client.bundle("test", apply.id, &query).await?;
        heard.push(apply.taken);
    }
    Ok((apply, heard))
}

async fn from_a_script(home: &Home) -> Result<()> {
    let client = client(home).await?;
    let request = request(&client, "h1 { color: teal }").await?;
    let dry = DeployBundle {
        dry_run: true,
        ..request.clone()
    };
    let plan = client.deploy_bundle("test", &dry).await?;
    let words: Vec<&str> = plan
        .changes
        .iter()
        .map(|change| change.words.as_str())
        .collect();
    let wanted = [
        "deploy docs with 1 unit",
        "deploy front with 1 unit",
        "integrate front:website docs:website",
    ];
    ensure!(words == wanted, "{words:?}");
    ensure!(plan.missing.is_empty());
    ensure!(plan.apply.is_none() && client.applications("test").await?.is_empty());

    // What is not said of a file can be planned without, and not applied.
    let unsaid = DeployBundle {
        resources: BTreeMap::new(),
        ..request.clone()
    };
    let unsaid_dry = DeployBundle {
        dry_run: true,
        ..unsaid.clone()
    };
    let plan = client.deploy_bundle("test", &unsaid_dry).await?;
    let missing: Vec<&str> = plan.missing.iter().map(|each| each.file.as_str()).collect();
    ensure!(missing == ["./theme.css"], "{missing:?}");
    let refused = client.deploy_bundle("test", &unsaid).await;
    ensure!(refused.is_err_and(|error| error.code() == "bundle-invalid"));

    let (ended, heard) = followed(&client, &request).await?;
    ensure!(
        ended.state == BundleApplyState::Completed && ended.taken == 3,
        "{ended:?}"
    );
    ensure!(heard.is_sorted(), "{heard:?}");
    let attached = client.resources("test", &"docs".parse()?).await?;
    ensure!(
        attached
            .resources
            .iter()
            .any(|resource| resource.attached.is_some()),
        "{attached:?}"
    );
    ensure!(client.bundle_drift("test").await?.difference.is_empty());

    // Another file is attached; the same one again is not.
    let another = self::request(&client, "h1 { color: navy }").await?;
    let (ended, _) = followed(&client, &another).await?;
    let words: Vec<&str> = ended
        .changes
        .iter()
        .map(|change| change.words.as_str())
        .collect();
    ensure!(
        words == ["attach theme to docs"] && ended.taken == 1,
        "{ended:?}"
    );
    let (ended, _) = followed(&client, &another).await?;
    ensure!(ended.changes.is_empty() && ended.state == BundleApplyState::Completed);

    // What people change by other ways is drift.
    home.ok(["config", "docs", "title=Other"])?;
    home.ok([
        "deploy",
        &charm("site").display().to_string(),
        "extra",
        "-n",
        "0",
    ])?;
    let drift = client.bundle_drift("test").await?;
    let difference = serde_json::to_value(&drift.difference)?;
    let title = &difference["applications"]["docs"]["options"]["title"];
    ensure!(
        title["bundle"] == "Documentation" && title["model"] == "Other",
        "{difference}"
    );
    ensure!(
        difference["applications"]["extra"]["missing"] == "bundle",
        "{difference}"
    );

    // The command line exports what the API does.
    let exported = client.export_bundle("test").await?.bundle;
    let path = home.path().join("exported.yaml");
    std::fs::write(&path, &exported)?;
    let path = path.display().to_string();
    ensure!(
        home.ok(["diff-bundle", &path])?.trim() == "{}",
        "{exported}"
    );

    // A refusal names the line.
    let wrong = DeployBundle {
        bundle: BUNDLE.replace("    charm: ./site.charm\n", ""),
        ..request
    };
    match client.deploy_bundle("test", &wrong).await {
        Err(RestError::Problem(problem)) => ensure!(
            problem.code == "bundle-charm-missing" && problem.detail.starts_with("line 3: "),
            "{problem:?}"
        ),
        other => anyhow::bail!("a bundle without a charm: {other:?}"),
    }
    Ok(())
}

#[test]
fn a_script_plans_applies_and_follows_a_bundle() -> Result<()> {
    let home = Home::started()?;
    tokio::runtime::Runtime::new()?.block_on(from_a_script(&home))
}
