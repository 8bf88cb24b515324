//! Secrets over time: of people and of charms, read, replaced, expired and taken back.

use std::time::Duration;

use periapt_testing::{Scenario, ScenarioError};
use periapt_wire::rest::{SecretInfo, TaskInfo};

use crate::common::{Done, charm, hooks, until_ran};

async fn probe(scenario: &Scenario) -> Done {
    let settings = [("script", "start: status active ready")];
    scenario
        .deploy_with(charm("probe"), "probe", 1, &settings)
        .await?;
    scenario.until_active("probe").await.map(|_| ())
}

/// What a command wrote.
fn output(task: &TaskInfo) -> &str {
    let results = task.results.as_ref();
    let output = results.and_then(|results| results.get("stdout")?.as_str());
    output.unwrap_or_default()
}

/// The secrets of the vault once it has handed out credentials: what a hook says is seen before the rest of it, which is
/// committed at its end.
async fn handed_out(scenario: &Scenario) -> Result<Vec<SecretInfo>, ScenarioError> {
    scenario
        .until_says("vault/0", "active: credentials for 1 application")
        .await?;
    scenario
        .until_true("a secret", async || {
            Ok(!scenario.secrets().await?.is_empty())
        })
        .await?;
    scenario.secrets().await
}

fn revisions(secret: &SecretInfo) -> Vec<u32> {
    let revisions = secret.revisions.iter();
    revisions.map(|revision| revision.revision).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_the_model_is_read_by_whom_it_was_granted_to_and_changes_when_the_charm_asks()
-> Done {
    let scenario = Scenario::start().await?;
    probe(&scenario).await?;
    let made = scenario
        .add_secret("database", &[("password", "hush")])
        .await?;
    let id = made.id.to_string();
    let read = async |mode: &str| {
        let task = scenario.exec("probe/0", &["secret-get", &id, mode]).await?;
        Ok::<_, periapt_testing::ScenarioError>(output(&task).to_owned())
    };
    assert_eq!(read("kept").await?, "", "nobody granted it");

    let granted = scenario.grant_secret("database", "probe").await?;
    assert_eq!(granted.grants[0].to, "probe");
    assert!(read("kept").await?.contains("password=hush"));

    scenario
        .update_secret("database", &[("password", "louder")])
        .await?;
    until_ran(&scenario, "probe/0", "secret-changed").await?;
    assert!(read("kept").await?.contains("password=hush"), "it stays");
    assert!(read("refresh").await?.contains("password=louder"));
    assert!(read("kept").await?.contains("password=louder"));
    let revealed = scenario.reveal_secret("database", None).await?;
    assert_eq!(revealed["password"], "louder");
    let revealed = scenario.reveal_secret("database", Some(1)).await?;
    assert_eq!(revealed["password"], "hush");
    scenario.remove_secret("database", Some(1)).await?;
    assert_eq!(revisions(&scenario.secret("database").await?), [2]);

    scenario.revoke_secret("database", "probe").await?;
    assert_eq!(read("kept").await?, "", "it was taken back");
    scenario.remove_secret("database", None).await?;
    assert!(scenario.secrets().await?.is_empty());
    scenario.stop().await
}

/// The vault hands out a password, and replaces it after an hour; the old one goes when nobody is on it.
#[tokio::test(flavor = "multi_thread")]
async fn a_password_of_the_vault_is_rotated_and_the_old_one_goes_with_its_last_reader() -> Done {
    let scenario = Scenario::start().await?;
    probe(&scenario).await?;
    scenario
        .deploy_with(charm("vault"), "vault", 1, &[("rotate", "hourly")])
        .await?;
    scenario.until_active("vault").await?;
    scenario
        .integrate("vault:credentials", "probe:credentials")
        .await?;
    let secrets = handed_out(&scenario).await?;
    let [secret] = &secrets[..] else {
        panic!("{secrets:?}");
    };
    assert_eq!(
        (secret.owner.name.as_str(), secret.grants[0].to.as_str()),
        ("vault", "probe")
    );
    let id = secret.id.to_string();
    let listed = scenario.exec("vault/leader", &["list"]).await?;
    assert!(output(&listed).contains(&id), "{listed:?}");
    let first = scenario.exec("probe/0", &["secret-get", &id]).await?;
    assert!(output(&first).contains("username=probe"), "{first:?}");

    scenario.pass(Duration::from_secs(1800)).await?;
    assert_eq!(revisions(&scenario.secret(&id).await?), [1], "not yet");
    let rotated = scenario
        .until_secret(&id, "another password", |secret| {
            revisions(secret) == [1, 2]
        })
        .await?;
    assert_eq!(rotated.revisions[0].readers, ["probe/0"]);
    assert!(rotated.next_rotate > secret.next_rotate, "{rotated:?}");
    until_ran(&scenario, "probe/0", "secret-changed").await?;
    let second = scenario
        .exec("probe/0", &["secret-get", &id, "refresh"])
        .await?;
    assert!(output(&second).contains("username=probe"), "{second:?}");
    assert_ne!(output(&second), output(&first));
    scenario
        .until_secret(&id, "the old password to go", |secret| {
            revisions(secret) == [2]
        })
        .await?;
    let ran = hooks(&scenario, "vault/0").await?;
    let of_secrets: Vec<&String> = ran
        .iter()
        .filter(|hook| hook.starts_with("secret-"))
        .collect();
    assert_eq!(of_secrets, ["secret-rotate", "secret-remove"]);
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_of_the_vault_go_with_the_relation_and_nobody_reads_them_any_more() -> Done {
    let scenario = Scenario::start().await?;
    probe(&scenario).await?;
    scenario
        .deploy_with(charm("vault"), "vault", 1, &[])
        .await?;
    scenario.until_active("vault").await?;
    let relation = scenario
        .integrate("vault:credentials", "probe:credentials")
        .await?;
    let secrets = handed_out(&scenario).await?;
    let id = secrets[0].id.to_string();
    let command = ["secret-get", id.as_str()];
    let read = scenario.exec("probe/0", &command).await?;
    assert!(output(&read).contains("username=probe"), "{read:?}");

    scenario.remove_relation(relation.id, false).await?;
    let gone = scenario.until_true("the secret to be gone", async || {
        Ok(scenario.secrets().await?.is_empty())
    });
    gone.await?;
    let read = scenario.exec("probe/0", &command).await?;
    assert_eq!(output(&read), "", "it was taken back");
    scenario
        .until_says("vault/0", "active: nobody asked for credentials")
        .await?;
    scenario.stop().await
}
