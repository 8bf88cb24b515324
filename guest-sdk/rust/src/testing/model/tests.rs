use std::fs;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::*;
use crate::{
    Action, Command, Context, Options, RelationEvent, RotatePolicy, SecretEvent, SecretOptions,
    SecretOwner, StorageEvent, charm, secret_values,
};

/// What the store tells its clients.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Offer {
    secret: String,
    size: i64,
}

impl RelationData for Offer {}

/// What each unit tells its peers.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Peer {
    address: String,
}

impl RelationData for Peer {}

#[derive(Deserialize, Options)]
#[options(project = "tests/store")]
struct StoreConfig {
    size: i64,
    path: Option<String>,
}

#[derive(Default)]
struct Store;

impl Store {
    fn offer(&self, context: &Context<StoreConfig>) -> Result<()> {
        if !context.is_leader()? {
            return Ok(());
        }
        for relation in context.relations("clients")? {
            let secret = match context.secret_ids()?.pop() {
                Some(id) => id,
                None => {
                    let options = SecretOptions::labelled("access").rotate(RotatePolicy::Daily);
                    let values = secret_values([("password", "one")]);
                    context.add_secret(SecretOwner::Application, &values, &options)?
                }
            };
            context.secret(&secret).grant(&relation)?;
            let size = context.config()?.size;
            relation.publish_application(&Offer { secret, size })?;
        }
        Ok(())
    }
}

#[charm(project = "tests/store")]
impl Charm for Store {
    type Config = StoreConfig;
    const ACTIONS: &'static [Action<Self>] = &[];
    const COMMANDS: &'static [Command<Self>] = &[];

    fn storage_attached(&mut self, _: &Context<StoreConfig>, event: &StorageEvent) -> Result<()> {
        fs::write(event.location.join("made"), "here")?;
        Ok(())
    }

    fn install(&mut self, context: &Context<StoreConfig>) -> Result<()> {
        let storage = context.storage_named("data")?;
        assert_eq!(storage.len(), 1, "storage comes before install");
        Ok(())
    }

    fn leader_elected(&mut self, context: &Context<StoreConfig>) -> Result<()> {
        context.set_application_status(Status::active(context.unit_name()))?;
        context.set_leader_settings(&[("leader", Some(&context.unit_name()))])?;
        self.offer(context)
    }

    fn leader_settings_changed(&mut self, context: &Context<StoreConfig>) -> Result<()> {
        let told = context.leader_settings()?;
        context.state().set("leader", &told["leader"])
    }

    fn config_changed(&mut self, context: &Context<StoreConfig>) -> Result<()> {
        if context.config()?.size < 0 {
            return Err("a size is positive".into());
        }
        self.offer(context)
    }

    fn update_status(&mut self, context: &Context<StoreConfig>) -> Result<()> {
        let ran: u32 = context.state().get("updates")?.unwrap_or(0);
        context.state().set("updates", &(ran + 1))
    }

    fn secret_rotate(&mut self, context: &Context<StoreConfig>, event: &SecretEvent) -> Result<()> {
        context
            .secret(&event.id)
            .set(&secret_values([("password", "two")]))
    }

    fn relation_created(
        &mut self,
        context: &Context<StoreConfig>,
        event: &RelationEvent,
    ) -> Result<()> {
        if event.endpoint == "ring" {
            let address = context.private_address()?;
            context.relation(event).publish(&Peer { address })?;
        }
        self.offer(context)
    }

    fn relation_changed(
        &mut self,
        context: &Context<StoreConfig>,
        event: &RelationEvent,
    ) -> Result<()> {
        if event.endpoint == "ring" {
            let peers = context.relation(event).units_data::<Peer>()?;
            let peers: Vec<String> = peers.into_keys().collect();
            context.set_status(Status::active(peers.join(",")))?;
        }
        Ok(())
    }

    fn relation_departed(
        &mut self,
        context: &Context<StoreConfig>,
        event: &RelationEvent,
    ) -> Result<()> {
        self.relation_changed(context, event)
    }
}

#[derive(Default)]
struct Client;

impl Client {
    fn read(&self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        let Some(offer) = context.relation(event).application_data::<Offer>()? else {
            return context.set_status(Status::waiting("no offer yet"));
        };
        let values = context.secret_as(&offer.secret, "access").values()?;
        context.set_status(Status::active(format!(
            "{} of {}",
            values["password"], offer.size
        )))
    }
}

#[charm(project = "tests/client")]
impl Charm for Client {
    fn relation_joined(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        self.read(context, event)
    }

    fn relation_changed(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        self.read(context, event)
    }

    fn relation_broken(&mut self, context: &Context<()>, _: &RelationEvent) -> Result<()> {
        context.set_status(Status::blocked("needs a store"))
    }

    fn secret_changed(&mut self, context: &Context<()>, event: &SecretEvent) -> Result<()> {
        let values = context.secret(&event.id).refresh()?;
        context.set_status(Status::active(values["password"].clone()))
    }
}

/// Lives beside clients.
#[derive(Default)]
struct Watcher;

#[charm(project = "tests/watcher")]
impl Charm for Watcher {
    fn relation_joined(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
        let beside = event.remote_unit.clone().unwrap_or_default();
        fs::write(context.shared("notes")?.join("seen"), &beside)?;
        context.set_status(Status::active(beside))
    }
}

fn with_client() -> (Model, u64) {
    let mut model = Model::new();
    model.deploy::<Store>("store", 2).expect("deploys");
    model.deploy::<Client>("client", 1).expect("deploys");
    let relation = model.integrate("client", "store").expect("integrates");
    (model, relation)
}

#[test]
fn peers_see_each_other_and_the_leader_speaks_for_all() {
    let mut model = Model::new();
    model.deploy::<Store>("store", 3).expect("deploys");
    assert_eq!(model.leader("store").as_deref(), Some("store/0"));
    assert_eq!(model.status("store/0"), Status::active("store/1,store/2"));
    assert_eq!(model.application_status("store"), Status::active("store/0"));
    let ring = model.peer_relation("store", "ring");
    let said: Peer = model.data(ring, "store/1").expect("is published");
    let other: Peer = model.data(ring, "store/2").expect("is published");
    assert_ne!(said, other, "each unit has an address of its own");
    let told = model.unit::<Store>("store/1").state::<String>("leader");
    assert_eq!(told.as_deref(), Some("store/0"));

    model.remove_unit("store/0").expect("goes");
    assert_eq!(model.units("store"), ["store/1", "store/2"]);
    assert_eq!(model.leader("store").as_deref(), Some("store/1"));
    assert_eq!(model.status("store/1"), Status::active("store/2"));
    let told = model.unit::<Store>("store/2").state::<String>("leader");
    assert_eq!(told.as_deref(), Some("store/1"));
    assert_eq!(model.add_unit("store").expect("comes"), "store/3");
    assert_eq!(model.status("store/1"), Status::active("store/2,store/3"));
    model.elect("store/3").expect("leads");
    assert_eq!(model.leader_settings("store")["leader"], "store/3");
}

#[test]
fn what_one_end_says_reaches_the_other() {
    let (mut model, relation) = with_client();
    assert_eq!(model.status("client/0"), Status::active("one of 10"));
    model.set_config("store", "size", 20).expect("is taken");
    assert_eq!(model.status("client/0"), Status::active("one of 20"));
    let offer: Offer = model.data(relation, "store").expect("is published");
    assert_eq!(offer.size, 20);
    model.remove_relation(relation).expect("ends");
    assert_eq!(model.status("client/0"), Status::blocked("needs a store"));
}

#[test]
fn time_passes_as_the_test_says() {
    let (mut model, _) = with_client();
    let began = model.now();
    model.advance(Duration::from_secs(299)).expect("passes");
    let updates = |model: &Model| model.unit::<Store>("store/1").state::<u32>("updates");
    assert_eq!(updates(&model), None);
    model.advance(Duration::from_secs(601)).expect("passes");
    assert_eq!(updates(&model), Some(3));
    assert_eq!(model.now(), began + Duration::from_secs(900));
    model
        .advance(Duration::from_secs(24 * 3600))
        .expect("passes");
    assert_eq!(model.status("client/0"), Status::active("two"));
}

#[test]
fn a_hook_that_fails_is_named_and_runs_again() {
    let (mut model, _) = with_client();
    let error = model.set_config("store", "size", -1).expect_err("fails");
    assert_eq!(
        error.to_string(),
        "store/0: config-changed: a size is positive"
    );
    assert_eq!(model.status("client/0"), Status::active("one of 10"));
    model.settle().expect_err("fails again");
    model.set_config("store", "size", 5).expect("is mended");
    assert_eq!(model.status("client/0"), Status::active("one of 5"));
}

#[test]
fn a_subordinate_comes_and_goes_with_its_principal() {
    let mut model = Model::new();
    model.deploy::<Client>("client", 2).expect("deploys");
    model.deploy::<Watcher>("watcher", 0).expect("deploys");
    model.integrate("watcher", "client").expect("integrates");
    assert_eq!(model.units("watcher"), ["watcher/0", "watcher/1"]);
    assert_eq!(model.status("watcher/1"), Status::active("client/1"));
    assert_eq!(model.add_unit("client").expect("comes"), "client/2");
    assert_eq!(model.status("watcher/2"), Status::active("client/2"));
    model.remove_unit("client/0").expect("goes");
    assert_eq!(model.units("watcher"), ["watcher/1", "watcher/2"]);
}

#[test]
fn a_charm_opens_the_ports_that_its_files_declare_and_no_others() {
    let mut harness = crate::testing::Harness::<Watcher>::new();
    harness.with_context(crate::Hook::Start, |context| {
        let open = |port| context.open_ports(crate::PortRange::tcp(port));
        open(8080).expect("is declared");
        let error = open(80).expect_err("is not declared");
        assert_eq!(error.host_code(), Some(crate::ErrorCode::Denied));
        assert!(error.to_string().contains("name it under ports"), "{error}");
    });
}

#[test]
#[should_panic(expected = "\"client\" declares no endpoint \"storr\"; did you mean \"store\"?")]
fn an_endpoint_that_is_not_declared_is_refused() {
    let (mut model, _) = with_client();
    model.integrate("client:storr", "store").ok();
}

#[test]
#[should_panic(expected = "the charm declares no option \"siez\"; did you mean \"size\"?")]
fn an_option_that_is_not_declared_is_refused() {
    let mut harness = Harness::<Store>::new();
    harness.set_config("siez", 1);
}

#[test]
fn a_unit_has_what_the_files_declare() {
    let mut harness = Harness::<Store>::new();
    let config = harness.with_context(Hook::Start, |context| context.config());
    let config = config.expect("fits");
    assert_eq!((config.size, config.path), (10, None));
    harness.set_config("path", "/a");
    harness.set_config("size", 3);
    harness.unset_config("size").unset_config("path");
    let config = harness.with_context(Hook::Start, |context| context.config());
    assert_eq!(config.expect("fits").size, 10);
    harness.add_relation("clients", "other").expect("is there");
    let now = harness.now();
    harness.advance(Duration::from_secs(60));
    let seen = harness.with_context(Hook::Start, |context| context.now());
    assert_eq!(seen, now + Duration::from_secs(60));
}
