//! Whatever happens in whatever order: nobody has what is not there, what goes is gone in the end, and nothing is
//! lost that nobody wanted destroyed.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use periapt_model::removal::{Force, Going};

use super::*;
use crate::testing::present;

#[derive(Clone, Debug)]
enum Step {
    AddUnit,
    RemoveUnit(u8, bool),
    ForceUnit(u8),
    Ask(u8),
    Attach(u8, u8),
    Detach(u8, bool),
    Remove(u8, bool, bool),
    LetGo(u8),
    Provide,
    Import,
}

fn step() -> impl Strategy<Value = Step> {
    let (unit, storage) = (0_u8..4, 0_u8..8);
    prop_oneof![
        1 => Just(Step::AddUnit),
        2 => (unit.clone(), any::<bool>()).prop_map(|(unit, destroy)| Step::RemoveUnit(unit, destroy)),
        1 => unit.clone().prop_map(Step::ForceUnit),
        3 => unit.clone().prop_map(Step::Ask),
        4 => (storage.clone(), unit.clone()).prop_map(|(storage, unit)| Step::Attach(storage, unit)),
        4 => (storage.clone(), any::<bool>()).prop_map(|(storage, force)| Step::Detach(storage, force)),
        2 => (storage, any::<bool>(), any::<bool>())
            .prop_map(|(storage, force, destroy)| Step::Remove(storage, force, destroy)),
        5 => unit.prop_map(Step::LetGo),
        5 => Just(Step::Provide),
        1 => Just(Step::Import),
    ]
}

/// What nobody said may go.
#[derive(Default)]
struct Truth {
    /// Was made, and is of a kind that lasts.
    lasting: BTreeSet<StorageId>,
    /// May be destroyed.
    doomed: BTreeSet<StorageId>,
}

async fn named(room: &Room<'_>, number: u8) -> Option<StorageId> {
    let all = room.all().await;
    let found = all.iter().find(|one| one.id.number() == u64::from(number));
    found.map(|one| one.id.clone())
}

async fn tell(room: &Room<'_>, truth: &mut Truth, step: Step) {
    let store = &room.fixture.store;
    let site = application("site");
    let of = |number: u8| -> UnitName { UnitName::new(&site, u64::from(number)) };
    match step {
        Step::AddUnit => {
            let added = store.add_units(&room.model, &site, 1).await;
            added.expect("added");
            room.place().await;
        }
        Step::RemoveUnit(number, destroy) => {
            let going = Going {
                force: Force::No,
                destroy_storage: destroy,
            };
            if let Ok(removed) = store.remove_unit(&room.model, &of(number), going).await
                && destroy
            {
                truth.doomed.extend(removed.destroyed_storage);
            }
        }
        Step::ForceUnit(number) => {
            let name = of(number);
            // One that is gone is refused.
            let _ = store.remove_unit(&room.model, &name, Force::AtOnce).await;
            store.cleanup(&room.model).await.expect("cleaned");
        }
        Step::Ask(number) => {
            let name = of(number);
            // Refused where there is no room, or no unit.
            let _ = room.ask(name.as_str(), "data", 1).await;
        }
        Step::Attach(storage, number) => {
            if let Some(id) = named(room, storage).await {
                let _ = store.attach_storage(&room.model, &id, &of(number)).await;
            }
        }
        Step::Detach(storage, force) => {
            if let Some(id) = named(room, storage).await {
                let _ = store.detach_storage(&room.model, &id, force).await;
            }
        }
        Step::Remove(storage, force, destroy) => {
            if let Some(id) = named(room, storage).await {
                let removal = Removal { force, destroy };
                let removed = store.remove_storage(&room.model, &id, removal).await;
                match (removed, destroy) {
                    (Ok(()), true) => {
                        truth.doomed.insert(id);
                    }
                    // The last word counts.
                    (Ok(()), false) => {
                        truth.doomed.remove(&id);
                    }
                    (Err(_), _) => {}
                }
            }
        }
        Step::LetGo(number) => room.let_go(of(number).as_str()).await,
        Step::Provide => room.provide().await,
        Step::Import => {
            let given_up = room.given_up.lock().expect("lock").first().cloned();
            if let Some(id) = given_up {
                let import = periapt_wire::rest::ImportFilesystem {
                    pool: "rootfs".to_owned(),
                    provider_id: id.dashed(),
                    storage: "data".to_owned(),
                };
                let _ = store.import_filesystem(&room.model, import).await;
            }
        }
    }
}

async fn hold(room: &Room<'_>, truth: &mut Truth) {
    let store = &room.fixture.store;
    let units = store.units(&room.model, &present).await.expect("units");
    let units: BTreeSet<UnitName> = units.into_iter().map(|unit| unit.name).collect();
    let all = room.all().await;
    for one in &all {
        for attachment in &one.attachments {
            assert!(units.contains(&attachment.unit), "{one:?}");
        }
        if one.life.is_alive() && one.attachments.is_empty() {
            assert_eq!(one.owner, None, "{one:?}");
        }
        if one.persistent && one.status.status == status::Storage::Attached {
            truth.lasting.insert(one.id.clone());
        }
    }
    let there: BTreeSet<&StorageId> = all.iter().map(|one| &one.id).collect();
    let given_up = room.given_up.lock().expect("lock").clone();
    for id in &truth.lasting {
        let known = there.contains(id) || given_up.contains(id) || truth.doomed.contains(id);
        assert!(known, "{id} was lost");
    }
    for id in room.destroyed.lock().expect("lock").iter() {
        let may = truth.doomed.contains(id) || !truth.lasting.contains(id);
        assert!(may, "{id} was destroyed");
    }
}

/// What goes is gone once everybody did what there is to do.
async fn end(room: &Room<'_>) {
    for _ in 0..3 {
        let store = &room.fixture.store;
        let units = store.units(&room.model, &present).await.expect("units");
        for unit in units {
            room.let_go(unit.name.as_str()).await;
        }
        room.provide().await;
    }
    let all = room.all().await;
    let going = all.iter().filter(|one| !one.life.is_alive());
    assert_eq!(going.count(), 0, "{all:?}");
}

#[test]
fn nothing_is_lost_that_was_to_be_kept_and_what_goes_is_gone() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime");
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    let stories = prop::collection::vec(step(), 1..30);
    let told = runner.run(&stories, |story| {
        runtime.block_on(async {
            for fixture in fixtures().await {
                let room = Room::new(&fixture).await;
                room.deploy(2, &[("data", "2"), ("cache", "tmpfs")])
                    .await
                    .expect("deployed");
                for name in ["site/0", "site/1"] {
                    room.start(name).await;
                }
                let mut truth = Truth::default();
                for step in &story {
                    tell(&room, &mut truth, step.clone()).await;
                    hold(&room, &mut truth).await;
                }
                end(&room).await;
                fixture.end().await;
            }
        });
        Ok(())
    });
    told.expect("holds");
}
