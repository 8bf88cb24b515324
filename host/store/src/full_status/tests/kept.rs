//! A status that is kept answers what one does that is read whole, whatever happened in between.

use std::collections::BTreeSet;
use std::time::Duration;

use periapt_model::hook::Effects;
use periapt_model::ports::PortRange;
use periapt_model::reach::published::{Answer, Listening, NotListening};
use periapt_model::status::{Agent, Machine, Model, Status, Workload};
use periapt_model::{AgentName, MachineId, ModelUuid};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use crate::lease::{Manager, Namespace};
use crate::relation::tests::House;
use crate::relation::tests::property::{Step, step};
use crate::testing::{application, charm, fixtures, fixtures_with, machine, present, unit};
use crate::{Presence, StatusPicture, Store};

/// Brings a kept status up to date, and holds it against one that is read whole, to the letter.
pub(crate) async fn assert_is_whole(
    store: &Store,
    model: &ModelUuid,
    kept: &mut Option<StatusPicture>,
    presence: Presence<'_>,
    after: &str,
) {
    let picture = match kept {
        Some(picture) => {
            let refreshed = store.refresh_status(picture, presence).await;
            refreshed.expect("refreshed");
            picture
        }
        none => none.insert(store.status_picture(model, presence).await.expect("read")),
    };
    let text = String::from_utf8(picture.to_json().expect("JSON")).expect("text");
    let whole = store.full_status(model, &[], presence).await;
    let whole = serde_json::to_string(&whole.expect("status")).expect("JSON");
    if text != whole {
        let at = text.bytes().zip(whole.bytes()).take_while(|(a, b)| a == b);
        let from = at.count().saturating_sub(300);
        let part = |text: &str| {
            String::from_utf8_lossy(&text.as_bytes()[from..(from + 600).min(text.len())])
                .into_owned()
        };
        panic!(
            "after {after} there is kept\n{}\nand read\n{}",
            part(&text),
            part(&whole)
        );
    }
}

#[derive(Clone, Debug)]
enum Deed {
    House(Step),
    Says(Index, u8),
    Does(Index, u8),
    Leads(Index),
    SaysOfAll(Index, u8),
    /// So many seconds pass, and leases with them.
    Time(u8),
    Version(Index, u8),
    OpensPort(Index, u8),
    /// Whose application is exposed, or is not any more.
    Exposes(Index, bool),
    /// At which of its ports a unit listens.
    Listens(Index, u8),
    Machine(Index, u8),
    MachineSays(Index, u8),
    InstanceSays(Index, u8),
    /// Whose agent it has: that of all, or its own.
    Host(Index, bool),
    AddMachine,
    RemoveMachine(Index, bool),
    Refresh,
    Model(u8),
    /// The agent of all machines comes or goes, or the own one of a machine.
    Comes(Option<u8>),
    Goes(Option<u8>),
    Prune,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let one = any::<Index>;
    let few = || 0..3_u8;
    let deed = prop_oneof![
        30 => step().prop_map(Deed::House),
        4 => (one(), 0..4_u8).prop_map(|(at, what)| Deed::Says(at, what)),
        4 => (one(), 0..4_u8).prop_map(|(at, what)| Deed::Does(at, what)),
        3 => one().prop_map(Deed::Leads),
        2 => (one(), few()).prop_map(|(at, what)| Deed::SaysOfAll(at, what)),
        1 => any::<u8>().prop_map(Deed::Time),
        2 => (one(), few()).prop_map(|(at, what)| Deed::Version(at, what)),
        2 => (one(), few()).prop_map(|(at, what)| Deed::OpensPort(at, what)),
        2 => (one(), any::<bool>()).prop_map(|(at, now)| Deed::Exposes(at, now)),
        2 => (one(), few()).prop_map(|(at, what)| Deed::Listens(at, what)),
        2 => (one(), few()).prop_map(|(at, what)| Deed::Machine(at, what)),
        2 => (one(), few()).prop_map(|(at, what)| Deed::MachineSays(at, what)),
        2 => (one(), few()).prop_map(|(at, what)| Deed::InstanceSays(at, what)),
        2 => (one(), any::<bool>()).prop_map(|(at, own)| Deed::Host(at, own)),
        1 => Just(Deed::AddMachine),
        1 => (one(), any::<bool>()).prop_map(|(at, force)| Deed::RemoveMachine(at, force)),
        1 => Just(Deed::Refresh),
        1 => few().prop_map(Deed::Model),
        2 => proptest::option::of(0..4_u8).prop_map(Deed::Comes),
        2 => proptest::option::of(0..4_u8).prop_map(Deed::Goes),
        1 => Just(Deed::Prune),
    ];
    prop::collection::vec((deed, any::<bool>()), 1..60)
        .prop_map(|deeds| deeds.into_iter().map(|(deed, _)| deed).collect())
}

/// A model in which everything happens.
struct World<'a> {
    house: House<'a>,
    away: BTreeSet<AgentName>,
}

impl World<'_> {
    async fn machine(&self, at: &Index) -> Option<MachineId> {
        let all = self
            .house
            .fixture
            .store
            .machine_ids(&self.house.model)
            .await;
        let all = all.expect("machines");
        (!all.is_empty()).then(|| at.get(&all).clone())
    }

    /// What comes at a wrong time is refused, and that is fine.
    async fn take(&mut self, deed: &Deed) {
        let (store, model) = (&self.house.fixture.store, &self.house.model);
        let units = self.house.units().await;
        let unit = |at: &Index| (!units.is_empty()).then(|| at.get(&units).clone());
        let words = [
            Workload::Active,
            Workload::Blocked,
            Workload::Waiting,
            Workload::Unset,
        ];
        match deed {
            Deed::House(step) => self.house.take(step).await,
            Deed::Says(at, what) => {
                if let Some(unit) = unit(at) {
                    let mut said = Status::new(words[usize::from(*what)], format!("\"{what}\""));
                    said.data
                        .insert("subordinates".to_owned(), serde_json::Value::Null);
                    let _ = store.set_unit_status(model, &unit, said).await;
                }
            }
            Deed::Does(at, what) => {
                if let Some(unit) = unit(at) {
                    let words = [Agent::Idle, Agent::Executing, Agent::Error, Agent::Stopped];
                    let mut does = Status::new(words[usize::from(*what)], "");
                    does.data.insert("units".to_owned(), serde_json::json!({}));
                    let _ = store.set_agent_status(model, &unit, does).await;
                }
            }
            Deed::Leads(at) => {
                if let Some(unit) = unit(at) {
                    let _ = self.house.lead(unit.as_str()).await;
                }
            }
            Deed::SaysOfAll(at, what) => {
                if let Some(unit) = unit(at) {
                    let said = Status::new(words[usize::from(*what) + 1], "all of it");
                    let _ = store.set_application_status(model, &unit, said).await;
                }
            }
            Deed::Time(seconds) => {
                let clock = &self.house.fixture.clock;
                clock.advance(Duration::from_secs(u64::from(*seconds)));
                let expired = store.write(|tx| {
                    Box::pin(async move { crate::lease::rows::expire(tx).await.map(|_| ()) })
                });
                expired.await.expect("expired");
            }
            Deed::Version(at, what) => {
                if let Some(unit) = unit(at) {
                    let version = format!("{what}.0");
                    let _ = store.set_workload_version(model, &unit, &version).await;
                }
            }
            Deed::OpensPort(at, what) => {
                if let Some(unit) = unit(at) {
                    let port = format!("{}/tcp", 80 + u16::from(*what));
                    let effects = Effects {
                        ports: periapt_model::ports::Changes {
                            open: vec![port.parse::<PortRange>().expect("port").into()],
                            close: Vec::new(),
                        },
                        ..Effects::default()
                    };
                    let _ = self.house.commit(unit.as_str(), None, effects).await;
                }
            }
            Deed::Exposes(at, now) => {
                if let Some(unit) = unit(at) {
                    let application = unit.application();
                    let _ = match now {
                        true => store.expose(model, &application, Default::default()).await,
                        false => {
                            let request = Default::default();
                            store.unexpose(model, &application, request).await
                        }
                    };
                }
            }
            Deed::Listens(at, what) => {
                if let Some(unit) = unit(at) {
                    let port = |number: u16| format!("{number}/tcp").parse().expect("port");
                    let way = Listening {
                        unit: unit.clone(),
                        port: port(80 + u16::from(*what)),
                        address: "127.77.0.1:10080".parse().expect("address"),
                    };
                    let silent = NotListening {
                        unit,
                        port: port(80),
                        reason: format!("taken {what} times"),
                    };
                    let named = what % 2 == 0;
                    let answer = Answer {
                        number: 0,
                        ingress: named.then(|| "127.0.0.1:8800".parse().expect("address")),
                        ingress_failed: (!named).then(|| format!("in use {what} times")),
                        listening: vec![way],
                        not_listening: vec![silent],
                    };
                    store.set_reached(model, answer).await.expect("told");
                }
            }
            Deed::Machine(at, what) => {
                if let Some(id) = self.machine(at).await {
                    let addresses = vec![format!("10.0.0.{what}")];
                    let says = Status::new(Machine::Started, "");
                    let set = store.set_machine_status(model, &id, says, Some(&addresses));
                    set.await.expect("addresses");
                }
            }
            Deed::MachineSays(at, what) => {
                if let Some(id) = self.machine(at).await {
                    let words = [Machine::Pending, Machine::Started, Machine::Stopped];
                    let says = Status::new(words[usize::from(*what)], "as it is");
                    let set = store.set_machine_status(model, &id, says, None);
                    set.await.expect("status");
                }
            }
            Deed::InstanceSays(at, what) => {
                if let Some(id) = self.machine(at).await {
                    let words = [
                        Machine::Running,
                        Machine::ProvisioningError,
                        Machine::Pending,
                    ];
                    let says = Status::new(words[usize::from(*what)], "so");
                    let set = store.set_instance_statuses(model, [(id, says)].into());
                    set.await.expect("status");
                }
            }
            Deed::Host(at, own) => {
                if let Some(id) = self.machine(at).await {
                    let agent = match own {
                        true => AgentName::Machine(id.clone()),
                        false => AgentName::Host,
                    };
                    let addresses = ["127.0.0.1".to_owned()];
                    let _ = store
                        .set_instance_info(model, &id, &agent, "local", &addresses, "cores=1")
                        .await;
                }
            }
            Deed::AddMachine => {
                let _ = store.add_machines(model, 1).await;
            }
            Deed::RemoveMachine(at, force) => {
                if let Some(id) = self.machine(at).await {
                    let _ = store.remove_machine(model, &id, *force).await;
                    let _ = store.ensure_machine_dead(model, &id).await;
                    let _ = store.ensure_machiner_dead(model, &id).await;
                    if *force && store.mark_machine_for_removal(model, &id).await.is_ok() {
                        let gone = store
                            .complete_machine_removals(model, std::slice::from_ref(&id))
                            .await;
                        gone.expect("removed");
                    }
                }
            }
            Deed::Refresh => {
                let again = charm("bare");
                let bytes = bytes::Bytes::from(format!("{:?}", store.last_commit(model)));
                let url = store
                    .add_charm(model, again, bytes)
                    .await
                    .expect("charm")
                    .url;
                let request = periapt_wire::rest::Refresh {
                    capabilities: Default::default(),
                    storage: Default::default(),
                    channel: None,
                    resources: Default::default(),
                    charm: url.to_string(),
                    config: Default::default(),
                    force_units: false,
                };
                let _ = store.refresh(model, &application("bare"), request).await;
            }
            Deed::Model(what) => {
                let words = [Model::Available, Model::Busy, Model::Error];
                let status = Status::new(words[usize::from(*what)], "{\"machines\":{}}");
                let set = store.set_model_status(model, status);
                set.await.expect("status");
            }
            Deed::Comes(who) => {
                self.away.remove(&agent(*who));
            }
            Deed::Goes(who) => {
                self.away.insert(agent(*who));
            }
            Deed::Prune => {
                self.house.fixture.settle().await;
                store.changes().prune().await.expect("pruned");
            }
        }
    }
}

fn agent(who: Option<u8>) -> AgentName {
    match who {
        None => AgentName::Host,
        Some(number) => AgentName::Machine(machine(&number.to_string())),
    }
}

/// What is kept is looked at after each deed, after some, and last of all; where processes share a
/// database, by another one than that which writes.
#[test]
fn a_kept_status_is_the_one_that_is_there() {
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime.block_on(async {
        for fixture in fixtures_with(|options| options.change_tail = 0).await {
            let reader = match fixture.is_postgres() {
                true => fixture.second().await,
                false => fixture.store.clone(),
            };
            let cases = std::sync::atomic::AtomicU32::new(0);
            let mut runner = TestRunner::new(Config {
                max_shrink_iters: 200,
                ..Config::with_cases(40)
            });
            let outcome = tokio::task::block_in_place(|| {
                runner.run(&deeds(), |deeds| {
                    let case = cases.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    tokio::runtime::Handle::current().block_on(async {
                        let house = House::new(&fixture, &format!("case-{case}")).await;
                        house.deploy("site", 2).await;
                        house.deploy("shipper", 0).await;
                        let away = BTreeSet::new();
                        let mut world = World { house, away };
                        let (mut often, mut seldom) = (None, None);
                        for (number, deed) in deeds.iter().enumerate() {
                            world.take(deed).await;
                            let (model, away) = (&world.house.model, &world.away);
                            let here = |agent: &AgentName| !away.contains(agent);
                            let after = format!("{deed:?}");
                            assert_is_whole(&reader, model, &mut often, &here, &after).await;
                            if number % 7 == 6 || number + 1 == deeds.len() {
                                assert_is_whole(&reader, model, &mut seldom, &here, &after).await;
                            }
                        }
                    });
                    Ok(())
                })
            });
            if let Err(error) = outcome {
                panic!("{error}");
            }
            reader.close().await;
            fixture.end().await;
        }
    });
}

#[tokio::test]
async fn more_changes_than_are_followed_are_read_whole() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(3).await;
        let mut kept = None;
        assert_is_whole(store, &model, &mut kept, &present, "the beginning").await;
        store
            .add_units(&model, &application("site"), 1_000)
            .await
            .expect("added");
        assert_is_whole(store, &model, &mut kept, &present, "many units").await;
        let said = Status::new(Workload::Active, "ready");
        let name = unit("site/700");
        let set = store.set_unit_status(&model, &name, said);
        set.await.expect("said");
        assert_is_whole(store, &model, &mut kept, &present, "one unit").await;
        // A model that is gone has no status, nor has it one again.
        let gone = store.write({
            let model = model.clone();
            move |tx| {
                Box::pin(async move {
                    crate::tables::remove_model(tx, &model).await?;
                    tx.touch(&model, crate::namespace::MODEL, model.as_str());
                    Ok(())
                })
            }
        });
        gone.await.expect("removed");
        let picture = kept.as_mut().expect("kept");
        for _ in 0..2 {
            let refused = store.refresh_status(picture, &present).await;
            assert_eq!(
                refused.expect_err("gone").refusal().code(),
                "model-not-found"
            );
        }
        fixture.end().await;
    }
}

/// After one change a status costs a few statements, however large the model is.
#[tokio::test]
async fn one_change_is_a_few_statements() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(200).await;
        let mut kept = None;
        assert_is_whole(store, &model, &mut kept, &present, "the beginning").await;
        let mut kept = kept.expect("kept");
        let said = Status::new(Workload::Active, "ready");
        let name = unit("site/70");
        let set = store.set_unit_status(&model, &name, said);
        set.await.expect("said");
        let manager = Manager::new(store);
        let (leadership, minute) = (Namespace::ApplicationLeadership, Duration::from_secs(60));
        let claimed = manager.claim(leadership, &model, "site", "site/7", minute);
        claimed.await.expect("claimed");
        let (slow, statements) = crate::testing::collector();
        store.set_slow_query(Some(slow));
        store
            .refresh_status(&mut kept, &present)
            .await
            .expect("refreshed");
        store.set_slow_query(None);
        let statements = statements.lock().expect("lock").clone();
        let reads = statements.iter().filter(|sql| sql.starts_with("SELECT"));
        assert!(reads.count() <= 8, "{statements:#?}");
        fixture.end().await;
    }
}
