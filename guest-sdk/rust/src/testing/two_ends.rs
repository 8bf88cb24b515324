//! Relations, leadership and shared directories in the harness.

use std::fs;

use serde::{Deserialize, Serialize};

use super::*;
use crate::{
    Bag, CloudAccess, ErrorCode, Goal, GoalState, Opening, PayloadStatus, PortRange, RelationData,
    RelationEvent, RelationHook, VERSION_KEY, hook_names,
};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Greeting {
    text: String,
    #[serde(default)]
    times: u32,
}

impl RelationData for Greeting {}

#[derive(Serialize, Deserialize)]
struct NewerGreeting {
    text: String,
    language: String,
}

impl RelationData for NewerGreeting {
    const VERSION: u32 = 2;
}

#[derive(Serialize, Deserialize)]
struct BrokenGreeting {
    texts: Vec<String>,
}

impl RelationData for BrokenGreeting {
    const VERSION: u32 = 3;
}

/// Greets whoever comes, counts, and lists what it saw.
#[derive(Default)]
struct Greeter;

fn note(context: &Context<()>, line: String) -> Result<()> {
    let mut lines: Vec<String> = context.state().get("seen")?.unwrap_or_default();
    lines.push(line);
    context.state().set("seen", &lines)
}

impl Greeter {
    fn look(&self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        let relation = context.relation(event);
        let line = format!(
            "{} {} {}",
            event.hook,
            event.remote_unit.as_deref().unwrap_or("-"),
            relation.units()?.join(",")
        );
        note(context, line)
    }
}

impl Charm for Greeter {
    type Config = ();
    const HOOKS: &'static [Hook] = &[Hook::LeaderElected, Hook::LeaderSettingsChanged];
    const ENDPOINTS: &'static [&'static str] = &["friends", "ring"];

    fn leader_elected(&mut self, context: &Context<()>) -> Result<()> {
        context.set_leader_settings(&[("term", Some("1")), ("never", None)])?;
        assert_eq!(context.leader_settings()?["term"], "1");
        for relation in context.relations("ring")? {
            relation.publish_application(&Greeting {
                text: context.unit_name(),
                times: 0,
            })?;
        }
        Ok(())
    }

    fn leader_settings_changed(&mut self, context: &Context<()>) -> Result<()> {
        let refused = context.set_leader_settings(&[("term", Some("2"))]);
        let code = refused.err().and_then(|error| error.host_code());
        assert_eq!(code, Some(ErrorCode::Denied));
        note(context, context.leader_settings()?["term"].clone())
    }

    fn relation_created(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        let relation = context.relation(event);
        let greeting = Greeting {
            text: "hello".to_owned(),
            times: 1,
        };
        assert!(relation.publish(&greeting)?);
        assert!(!relation.publish(&greeting)?, "nothing changed");
        assert_eq!(relation.data(&context.unit_name())?, Some(greeting));
        self.look(context, event)
    }

    fn relation_joined(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        self.look(context, event)
    }

    fn relation_changed(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        let relation = context.relation(event);
        let member = event
            .remote_unit
            .as_ref()
            .unwrap_or(&event.remote_application);
        if let Some(said) = relation.data::<Greeting>(member)? {
            context.set_status(Status::active(said.text))?;
        }
        relation.set(Bag::Unit, &[("last", Some(member))])?;
        self.look(context, event)
    }

    fn relation_departed(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        if event.is_departing(&context.unit_name()) {
            return note(context, "leaving".to_owned());
        }
        self.look(context, event)
    }

    fn relation_broken(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        self.look(context, event)
    }
}

fn seen(harness: &Harness<Greeter>) -> Vec<String> {
    harness.state("seen").unwrap_or_default()
}

#[test]
fn a_relation_lives_from_created_to_broken() {
    let mut harness = Harness::<Greeter>::new();
    let id = harness.add_relation("friends", "other").expect("creates");
    assert_eq!(id, "friends:0");
    let said = Greeting {
        text: "hi".to_owned(),
        times: 3,
    };
    harness.set_data(&id, "other/0", &said);
    harness.join(&id, "other/0").expect("joins");
    assert_eq!(harness.status(), Status::active("hi"));
    harness.join(&id, "other/1").expect("joins");
    let said = Greeting {
        text: "we".to_owned(),
        times: 0,
    };
    harness.change(&id, "other", &said).expect("changes");
    assert_eq!(harness.status(), Status::active("we"));
    harness.depart(&id, "other/0").expect("departs");
    let settings = harness.settings(&id, "test/0");
    assert_eq!(
        (settings["text"].as_str(), settings["last"].as_str()),
        ("hello", "other")
    );
    assert_eq!(
        (
            settings["ingress-address"].as_str(),
            settings[VERSION_KEY].as_str()
        ),
        ("127.0.0.1", "1")
    );
    harness.break_relation(&id).expect("breaks");
    assert_eq!(
        seen(&harness),
        [
            "created - ",
            "joined other/0 other/0",
            "changed other/0 other/0",
            "joined other/1 other/0,other/1",
            "changed other/1 other/0,other/1",
            "changed - other/0,other/1",
            "departed other/0 other/1",
            "leaving",
            "broken - ",
        ]
    );
    harness.with_context(Hook::Start, |context| {
        assert_eq!(
            context.relations("friends").expect("is an endpoint").len(),
            0
        );
        let unknown = context
            .relations("enemies")
            .err()
            .and_then(|error| error.host_code());
        assert_eq!(unknown, Some(ErrorCode::NotFound));
        assert_eq!(
            context
                .network("friends")
                .expect("answers")
                .ingress_addresses,
            ["127.0.0.1"]
        );
    });
}

#[test]
fn newer_data_is_read_as_far_as_it_is_known() {
    let mut harness = Harness::<Greeter>::new();
    let id = harness.add_relation("friends", "other").expect("creates");
    let newer = NewerGreeting {
        text: "salve".to_owned(),
        language: "la".to_owned(),
    };
    harness.set_data(&id, "other/0", &newer);
    harness.join(&id, "other/0").expect("reads it");
    assert_eq!(harness.status(), Status::active("salve"));
    assert!(
        harness
            .log()
            .iter()
            .any(|(level, line)| *level == Level::Warning
                && line.contains("other/0 publishes version 2")),
        "{:?}",
        harness.log()
    );
    let broken = BrokenGreeting { texts: Vec::new() };
    harness.set_settings(&id, "other/1", &[("times", "1")]);
    harness.set_data(&id, "other/1", &broken);
    let error = harness
        .join(&id, "other/1")
        .expect_err("cannot be read")
        .to_string();
    assert!(
        error.contains("other/1")
            && error.contains("version 3")
            && error.contains("refresh this charm"),
        "{error}"
    );
}

#[test]
fn a_unit_whose_data_does_not_fit_need_not_fail_the_others() {
    let mut harness = Harness::<Greeter>::new();
    let id = harness.add_relation("friends", "other").expect("creates");
    let said = Greeting {
        text: "hi".to_owned(),
        times: 0,
    };
    harness.set_data(&id, "other/0", &said);
    harness.join(&id, "other/0").expect("joins");
    harness.join(&id, "other/1").expect("joins");
    harness.set_settings(&id, "other/1", &[("text", "1"), ("times", "many")]);
    harness.with_context(Hook::Start, |context| {
        let relation = &context.relations("friends").expect("is an endpoint")[0];
        relation
            .units_data::<Greeting>()
            .expect_err("one does not fit");
        let mut each = relation.each_units_data::<Greeting>().expect("answers");
        assert_eq!(
            each.remove("other/0").expect("is there").expect("fits"),
            said
        );
        let error = each.remove("other/1").expect("is there").err();
        assert!(error.is_some_and(|error| error.to_string().contains("other/1")));
    });
}

#[test]
fn a_failed_hook_publishes_nothing() {
    let mut harness = Harness::<Greeter>::new();
    let id = harness.add_relation("friends", "other").expect("creates");
    let before = harness.settings(&id, "test/0");
    harness.set_settings(&id, "other/0", &[("times", "many")]);
    harness.join(&id, "other/0").expect_err("does not fit");
    assert_eq!(harness.settings(&id, "test/0"), before);
}

#[test]
fn the_leader_speaks_for_the_application_and_peers_read_it() {
    let mut harness = Harness::<Greeter>::new();
    let id = harness.add_relation("ring", "test").expect("creates");
    harness.elect().expect("leads");
    let said: Greeting = harness.data(&id, "test").expect("is there");
    assert_eq!(said.text, "test/0");
    assert_eq!(harness.leader_settings()["term"], "1");

    harness
        .change_leader_settings(&[("term", "7")])
        .expect("is told");
    assert_eq!(seen(&harness).last().map(String::as_str), Some("7"));
    let friends = harness.add_relation("friends", "other").expect("creates");
    harness.with_context(Hook::Start, |context| {
        let code = |result: Result<bool>| result.err().and_then(|error| error.host_code());
        let ring = &context.relations("ring").expect("is an endpoint")[0];
        assert_eq!(
            ring.application_data::<Greeting>()
                .expect("peers read")
                .expect("is there")
                .text,
            "test/0"
        );
        let greeting = Greeting {
            text: "x".to_owned(),
            times: 0,
        };
        assert_eq!(
            code(ring.publish_application(&greeting)),
            Some(ErrorCode::Denied)
        );
        let friends = &context.relations("friends").expect("is an endpoint")[0];
        assert_eq!(friends.id(), "friends:1");
        assert!(
            friends.settings("test").is_err(),
            "its own application's, and not the leader"
        );
        assert!(friends.settings("stranger/0").is_err());
    });
    harness.break_relation(&friends).expect("breaks");
}

#[test]
fn every_hook_of_every_endpoint_is_exported() {
    let names = hook_names::<Greeter>();
    assert_eq!(names.len(), 2 + 2 * RelationHook::ALL.len());
    assert!(names.contains(&"ring-relation-broken".to_owned()));
}

#[test]
fn goals_and_shared_directories_are_as_the_test_says() {
    let mut harness = Harness::<Greeter>::new();
    let goal = Goal {
        name: "test/1".to_owned(),
        status: "waiting".to_owned(),
        since: 0,
    };
    harness.set_goal_state(GoalState {
        units: vec![goal.clone()],
        ..GoalState::default()
    });
    let shared = harness.add_shared("logs");
    fs::write(shared.join("a.log"), "x").expect("writes");
    harness.with_context(Hook::Start, |context| {
        assert_eq!(context.goal_state().expect("answers").units, [goal]);
        let path = context.shared("logs").expect("is there");
        assert_eq!(fs::read_to_string(path.join("a.log")).expect("reads"), "x");
        for wrong in ["data", "..", "", "logs/.."] {
            let error = context.shared(wrong).expect_err("is not there").to_string();
            assert!(error.contains("capabilities.yaml"), "{error}");
        }
    });
}

#[test]
fn resources_are_there_once_they_are_attached() {
    let mut harness = Harness::<Greeter>::new();
    harness.with_context(Hook::Start, |context| {
        assert_eq!(context.optional_resource("theme").expect("answers"), None);
        let missing = context.resource("theme").expect_err("nobody attached it");
        assert_eq!(missing.host_code(), Some(ErrorCode::NotFound));
        let advice = "periapt attach-resource test theme=FILE";
        assert!(missing.to_string().contains(advice), "{missing}");
    });
    for content in ["red", "blue"] {
        harness.set_resource("theme", content);
        harness.with_context(Hook::UpgradeCharm, |context| {
            let path = context.resource("theme").expect("is attached");
            assert_eq!(fs::read_to_string(path).expect("reads"), content);
        });
    }
    harness.remove_resource("theme");
    harness.with_context(Hook::Start, |context| {
        assert_eq!(context.optional_resource("theme").expect("answers"), None);
    });
}

#[test]
fn ports_are_open_for_some_endpoints_or_for_all() {
    let mut harness = Harness::<Greeter>::new();
    let opening = |ports, endpoints: &[&str]| Opening {
        ports,
        endpoints: endpoints.iter().map(|&name| name.to_owned()).collect(),
    };
    let (web, ring) = (PortRange::tcp(80), PortRange::tcp(7000));
    harness.with_context(Hook::Start, |context| {
        context.open_ports(web).expect("opens");
        context.open_ports_for(ring, &["ring"]).expect("opens");
        // What is open for all is open for this one already.
        context.open_ports_for(web, &["ring"]).expect("is open");
        let open = [opening(web, &[]), opening(ring, &["ring"])];
        assert_eq!(context.openings().expect("answers"), open);
    });
    harness.with_context(Hook::Start, |context| {
        context.close_ports_for(web, &["ring"]).expect("closes");
        context.close_ports_for(ring, &["ring"]).expect("closes");
    });
    assert_eq!(harness.openings(), [opening(web, &["friends"])]);
    assert_eq!(harness.ports(), [web]);
}

#[test]
fn payloads_are_registered_at_the_commit_and_held_against_what_is_declared() {
    let mut harness = Harness::<Greeter>::new();
    harness.declare_payload("monitor", "process");
    harness.with_context(Hook::Start, |context| {
        let other = context.register_payload("other", "process", "a", &[]);
        let other = other.expect_err("is not declared");
        assert_eq!(other.host_code(), Some(ErrorCode::NotFound));
        context
            .register_payload("monitor", "process", "a", &["eu"])
            .expect("registers");
        context
            .register_payload("monitor", "process", "b", &[])
            .expect("registers");
        context
            .set_payload_status("monitor", "b", PayloadStatus::Starting)
            .expect("is registered");
    });
    let key = |id: &str| ("monitor".to_owned(), id.to_owned());
    let expected = [
        (key("a"), PayloadStatus::Running),
        (key("b"), PayloadStatus::Starting),
    ];
    assert_eq!(harness.payloads(), expected.into());
    harness.with_context(Hook::Start, |context| {
        context
            .unregister_payload("monitor", "a")
            .expect("is taken away");
        let gone = context.set_payload_status("monitor", "a", PayloadStatus::Stopped);
        let gone = gone.expect_err("is not registered");
        assert_eq!(gone.host_code(), Some(ErrorCode::NotFound));
    });
    assert_eq!(harness.payloads().len(), 1);
}

#[test]
fn the_credential_of_the_cloud_is_for_trusted_applications() {
    let mut harness = Harness::<Greeter>::new();
    harness.with_context(Hook::Start, |context| {
        let denied = context.cloud_access().expect_err("nobody trusts it");
        assert_eq!(denied.host_code(), Some(ErrorCode::Denied));
    });
    let local = CloudAccess {
        name: "local".to_owned(),
        kind: "local".to_owned(),
        ..CloudAccess::default()
    };
    harness.trust_with(local.clone());
    harness.with_context(Hook::Start, |context| {
        assert_eq!(context.cloud_access().expect("is trusted"), local);
    });
}
