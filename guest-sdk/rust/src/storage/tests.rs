use std::fs;

use super::*;
use crate::testing::{Harness, Outcome};
use crate::{Charm, ErrorCode, Hook};

/// Writes where it is told of storage, and asks for more when it starts.
#[derive(Default)]
struct Diary;

impl Charm for Diary {
    type Config = ();
    const HOOKS: &'static [Hook] = &[Hook::Start, Hook::UpdateStatus, Hook::CollectMetrics];
    const STORAGE: &'static [&'static str] = &["pages"];

    fn storage_attached(&mut self, context: &Context<()>, event: &StorageEvent) -> Result<()> {
        let found = context.hook_storage()?;
        assert_eq!((&found.id, &found.location), (&event.id, &event.location));
        if event.location.join("reboot").exists() {
            return context.reboot_now();
        }
        let first = event.location.join("first");
        let again = first.exists();
        fs::write(first, "Dear diary,")?;
        match again {
            true => Ok(()),
            false => Err("the ink is dry".into()),
        }
    }

    fn storage_detaching(&mut self, context: &Context<()>, event: &StorageEvent) -> Result<()> {
        let last = context.storage(&event.id)?.location.join("last");
        Ok(fs::write(last, "Yours")?)
    }

    fn start(&mut self, context: &Context<()>) -> Result<()> {
        let refused = |name: &str, count| {
            let refused = context.add_storage(name, count);
            refused.err().and_then(|error| error.host_code())
        };
        assert_eq!(refused("pges", 1), Some(ErrorCode::NotFound));
        assert_eq!(refused("shelf", 1), Some(ErrorCode::Denied));
        assert_eq!(refused("pages", 9), Some(ErrorCode::Limit));
        context.add_storage("pages", 1)
    }

    fn update_status(&mut self, context: &Context<()>) -> Result<()> {
        for pages in context.storage_named("pages")? {
            fs::write(pages.location.join("today"), "nothing happened")?;
        }
        Ok(())
    }

    fn collect_metrics(&mut self, context: &Context<()>) -> Result<()> {
        let refused = context.storage_ids().err();
        let code = refused.and_then(|error| error.host_code());
        assert_eq!(code, Some(ErrorCode::Denied));
        Ok(())
    }
}

fn harness() -> Harness<Diary> {
    let mut harness = Harness::new();
    harness.declare_storage("pages", Some(2));
    harness
        .declare_storage("shelf", None)
        .share_storage("shelf");
    harness
}

#[test]
fn what_is_written_to_storage_stays_when_the_hook_fails() {
    let mut harness = harness();
    let pages = harness.add_storage("pages");
    harness.attach_storage(&pages).expect_err("fails at first");
    assert_eq!(harness.waiting_storage(), [pages.clone()]);
    assert!(harness.storage_dir(&pages).join("first").exists());
    let ran = harness.attach_storage(&pages).expect("succeeds");
    assert_eq!(ran, Outcome::Ran);
    assert!(harness.waiting_storage().is_empty());
}

#[test]
fn a_storage_whose_hook_asked_for_a_reboot_at_once_is_told_of_again() {
    let mut harness = harness();
    let pages = harness.add_storage("pages");
    fs::write(harness.storage_dir(&pages).join("reboot"), "").expect("writes");
    let ended = harness.attach_storage(&pages).expect("ends");
    assert_eq!(ended, Outcome::Rebooted);
    assert_eq!(harness.waiting_storage(), [pages]);
}

#[test]
fn the_unit_has_a_storage_from_its_attached_to_its_detaching() {
    let mut harness = harness();
    let pages = harness.add_storage("pages");
    harness.run(Hook::UpdateStatus).expect("has none yet");
    let directory = harness.storage_dir(&pages);
    assert!(!directory.join("today").exists());
    fs::write(directory.join("first"), "of another unit").expect("writes");
    harness.attach_storage(&pages).expect("attaches");
    harness.run(Hook::UpdateStatus).expect("writes");
    assert!(directory.join("today").exists());
    let found = harness.with_context(Hook::UpdateStatus, |context| context.storage(&pages));
    let found = found.expect("is there");
    assert_eq!(
        (found.kind, found.read_only),
        (StorageKind::Filesystem, false)
    );
    harness.detach_storage(&pages).expect("detaches");
    assert!(directory.join("last").exists(), "what is in it is kept");
    let gone = harness.with_context(Hook::UpdateStatus, |context| context.storage(&pages));
    assert!(gone.expect_err("has none").is_not_found());
}

#[test]
fn a_hook_asks_for_more_up_to_what_is_declared() {
    let mut harness = harness();
    harness.run(Hook::Start).expect("adds one");
    let waiting = harness.waiting_storage();
    assert_eq!(waiting, ["pages/0"]);
    harness
        .attach_storage(&waiting[0])
        .expect_err("the first time");
    harness.attach_storage(&waiting[0]).expect("the second");
    harness.run(Hook::CollectMetrics).expect("is refused");
}

#[test]
fn storage_that_a_charm_does_not_list_is_attached_without_a_hook() {
    let mut harness = harness();
    harness.set_storage_read_only("shelf");
    let shelf = harness.add_storage("shelf");
    let skipped = harness.attach_storage(&shelf).expect("attaches");
    assert_eq!(skipped, Outcome::Skipped);
    let found = harness.with_context(Hook::Start, |context| context.storage_named("shelf"));
    let found = found.expect("is there");
    assert_eq!(
        (found[0].id.as_str(), found[0].read_only),
        ("shelf/0", true)
    );
}

#[test]
fn names_of_hooks_are_split_at_their_end() {
    let name = StorageHook::Attached.name_of("a-storage-b");
    let split = StorageHook::split(&name);
    assert_eq!(split, Some(("a-storage-b", StorageHook::Attached)));
    assert_eq!(StorageHook::split("data-storage-danced"), None);
    let names = crate::hook_names::<Diary>();
    assert!(names.contains(&"pages-storage-detaching".to_owned()));
}
