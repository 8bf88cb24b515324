//! What becomes of storage when those that have it go, as it is said before anybody is asked.

use periapt_model::status;
use periapt_wire::rest::StorageInfo;

use crate::commands::Context;
use crate::failure::{Exit, Failure, Outcome};
use crate::session::ModelSession;

/// Says what becomes of the storage of a unit, or of those of an application, that is removed.
pub async fn tell(context: &Context, here: &ModelSession, of: &str, destroy: bool) -> Outcome {
    let storages = here.client().storages(&here.model, Some(of)).await?;
    // Of what goes already nobody needs to hear, unless it was to be kept.
    let told = storages
        .iter()
        .filter(|storage| destroy || storage.life.is_alive());
    for storage in told {
        let id = &storage.id;
        let goes = match goes(storage, of, destroy) {
            true => "remove",
            false => "detach",
        };
        context.output.say(&format!("- will {goes} storage {id}"));
    }
    Ok(())
}

/// Whether it goes as well; else whoever goes lets go of it.
fn goes(storage: &StorageInfo, of: &str, destroy: bool) -> bool {
    // What the units of an application share goes with the application alone.
    let is_units = storage
        .owner
        .as_ref()
        .is_none_or(|owner| owner.contains('/'));
    (is_units || storage.owner.as_deref() == Some(of)) && (destroy || !storage.persistent)
}

/// Why a model is not destroyed before somebody has said what becomes of its storage.
pub fn undecided(model: &str, storages: &[StorageInfo]) -> Option<Failure> {
    let failure = outlives(model, storages)?;
    Some(
        failure.advice(
            "add --destroy-storage, or --release-storage to keep its directories as they are",
        ),
    )
}

/// Why a controller is not destroyed, before any of its models is: one of them has storage that outlives units,
/// and nothing of a controller's directories stays.
pub fn kept(controller: &str, model: &str, storages: &[StorageInfo]) -> Option<Failure> {
    let failure = outlives(model, storages)?;
    Some(failure.advice(format!(
        "add --destroy-storage, or first copy what you need: periapt storage -m {controller}:{model}"
    )))
}

fn outlives(model: &str, storages: &[StorageInfo]) -> Option<Failure> {
    let stays = storages
        .iter()
        .filter(|storage| storage.persistent && storage.life.is_alive());
    // One that has no directory yet has nothing in it.
    let kept = stays.filter(|storage| storage.status.status != status::Storage::Pending);
    let kept: Vec<String> = kept.map(|storage| storage.id.to_string()).collect();
    let failure = Failure::new(
        Exit::Conflict,
        format!("model \"{model}\" has storage that outlives its units"),
    );
    let why = format!(
        "there is: {} (model-has-persistent-storage)",
        kept.join(", ")
    );
    (!kept.is_empty()).then(|| failure.why(why))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn storage(owner: Option<&str>, persistent: bool) -> StorageInfo {
        let storage = json!({
            "id": "data/0", "kind": "filesystem", "owner": owner, "life": "alive",
            "status": { "status": "attached", "message": "", "data": {}, "since": 0 }, "pool": "rootfs",
            "provider": "rootfs", "size": 1, "limited": false, "persistent": persistent,
            "provider-id": "data-0", "created-at": 0, "attachments": [],
        });
        serde_json::from_value(storage).unwrap()
    }

    #[test]
    fn storage_stays_unless_somebody_says_otherwise_or_it_ends_with_its_unit() {
        for (owner, persistent, of, destroy, expected) in [
            (Some("site/0"), true, "site/0", false, false),
            (Some("site/0"), true, "site/0", true, true),
            (Some("site/0"), false, "site/0", false, true),
            (Some("site/0"), true, "site", true, true),
            (Some("site"), true, "site/0", true, false),
            (Some("site"), false, "site/0", false, false),
            (Some("site"), true, "site", true, true),
            (Some("site"), true, "site", false, false),
        ] {
            let storage = storage(owner, persistent);
            let found = goes(&storage, of, destroy);
            assert_eq!(found, expected, "{owner:?} {persistent} {of} {destroy}");
        }
    }

    #[test]
    fn a_model_with_storage_that_outlives_its_units_asks_what_becomes_of_it() {
        assert_eq!(undecided("demo", &[storage(None, false)]), None);
        let failure = undecided("demo", &[storage(None, true)]).unwrap();
        assert_eq!(failure.exit, Exit::Conflict);
        assert!(failure.to_string().contains("data/0"));
    }
}
