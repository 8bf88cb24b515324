//! apicaller: "old password accepted -> generates a new one, writes it locally then remotely", and what an agent
//! makes of a death at each point of this.

use periapt_wire::agent::host::ChangePassword;

use super::*;
use crate::credential::{DIRECTORY, OwnPassword};

/// An agent that was given its first password.
fn given() -> (Host, AgentConfig) {
    let host = Host::new(false);
    let config = host.context.conf.current();
    std::fs::create_dir(config.directory.join(DIRECTORY)).unwrap();
    host.controller.set_agent_password(&config.password);
    (host, config)
}

/// A life of the process, from its start until it works.
async fn live(host: &mut Host) {
    host.context.stopping = CancellationToken::new();
    let before = host.controller.count("WatchMachines");
    let running = host.run();
    host.until("connected", |controller| {
        controller.count("WatchMachines") > before
    })
    .await;
    host.context.stopping.cancel();
    let ended = tokio::time::timeout(LIMIT, running).await.expect("stops");
    assert_eq!(ended.unwrap().unwrap(), ExitReason::Stopped);
}

fn own(config: &AgentConfig) -> OwnPassword {
    OwnPassword::read(config).unwrap().expect("written")
}

/// The agent has a password of its own, which alone counts, and no login was refused so often.
fn assert_changed(host: &Host, config: &AgentConfig, refused: usize) {
    let own = own(config);
    assert_eq!(host.controller.refused_logins(), refused);
    assert!(own.is_told());
    assert_ne!(own.password(), config.password);
    assert!(host.controller.is_agent_password(own.password()));
    assert!(!host.controller.is_agent_password(&config.password));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_password_that_was_given_is_refused_after_its_first_use() {
    let (mut host, config) = given();
    live(&mut host).await;
    assert_changed(&host, &config, 0);
    let first = own(&config);
    live(&mut host).await;
    assert!(own(&config) == first, "it stays");
    assert_eq!(host.controller.count("ChangePassword"), 1);
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_was_written_and_not_told_is_told_by_the_next_life() {
    let (mut host, config) = given();
    let written = OwnPassword::after(&config);
    written.write(&config.directory).unwrap();
    live(&mut host).await;
    assert_changed(&host, &config, 0);
    assert!(own(&config) == written.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_was_told_and_not_answered_is_told_again() {
    let (mut host, config) = given();
    host.controller.lose_next("ChangePassword");
    live(&mut host).await;
    assert_changed(&host, &config, 0);
    assert_eq!(host.controller.count("ChangePassword"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_was_told_and_not_used_is_used_by_the_next_life() {
    let (mut host, config) = given();
    let written = OwnPassword::after(&config).told();
    written.write(&config.directory).unwrap();
    let (connection, _cut) = host.controller.connect();
    let told = ChangePassword {
        present_password: config.password.clone(),
        password: written.password().to_owned(),
    };
    connection.call(&told).await.unwrap();
    live(&mut host).await;
    assert_changed(&host, &config, 0);
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 1);
}

/// The file was not written to the end: the disk was full.
#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_was_used_and_not_noted_is_noted_by_the_next_life() {
    let (mut host, config) = given();
    let written = OwnPassword::after(&config);
    written.write(&config.directory).unwrap();
    host.controller.set_agent_password(written.password());
    live(&mut host).await;
    assert_changed(&host, &config, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_that_knows_an_older_password_is_told_the_new_one_again() {
    let (mut host, config) = given();
    let written = OwnPassword::after(&config).told();
    written.write(&config.directory).unwrap();
    live(&mut host).await;
    assert_changed(&host, &config, 1);
    assert!(own(&config) == written);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_given_another_password_forgets_its_own() {
    let (mut host, config) = given();
    live(&mut host).await;
    let before = own(&config);
    let again = "given again";
    host.controller.set_agent_password(again);
    host.context
        .conf
        .update(|config| config.password = again.to_owned());
    let config = host.context.conf.current();
    live(&mut host).await;
    assert_changed(&host, &config, 0);
    assert!(own(&config) != before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_of_which_neither_password_counts_ends_for_good() {
    let (host, config) = given();
    OwnPassword::after(&config)
        .told()
        .write(&config.directory)
        .unwrap();
    host.controller.set_agent_password("another's");
    let ended = tokio::time::timeout(LIMIT, host.run()).await.expect("ends");
    assert_eq!(ended.unwrap().unwrap(), ExitReason::Terminated);
    assert_eq!(host.dial.dials.load(Ordering::SeqCst), 2, "each once");
}

/// A full disk, or whatever it is.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_cannot_write_its_password_goes_on_with_the_one_it_was_given() {
    let (mut host, config) = given();
    std::fs::remove_dir(config.directory.join(DIRECTORY)).unwrap();
    live(&mut host).await;
    assert!(host.controller.is_agent_password(&config.password));
    assert_eq!(host.controller.count("ChangePassword"), 0);
}
