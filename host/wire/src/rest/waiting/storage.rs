//! What a query sees of a storage. It is read by its id.

use serde_json::{Map, Value, json};

use crate::rest::StorageInfo;

pub fn storage_entity(storage: &StorageInfo) -> Value {
    let units: Map<String, Value> = storage
        .attachments
        .iter()
        .map(|attached| {
            let unit = json!({
                "name": attached.unit, "machine": attached.machine, "life": attached.life,
                "location": attached.location, "read-only": attached.read_only,
            });
            (attached.unit.to_string(), unit)
        })
        .collect();
    json!({
        "name": storage.id, "life": storage.life, "status": storage.status.status,
        "message": storage.status.message, "kind": storage.kind, "owner": storage.owner,
        "pool": storage.pool, "provider": storage.provider, "provider-id": storage.provider_id,
        "size": storage.size, "persistent": storage.persistent, "units": units,
    })
}

#[cfg(test)]
mod tests {
    use periapt_model::query::Query;

    use super::*;
    use crate::rest::WaitKind;

    fn storage(life: &str, status: &str, units: &[&str]) -> StorageInfo {
        let attachments = units.iter().map(|unit| {
            json!({
                "unit": unit, "machine": "0", "location": "/storage/data/0", "read-only": false,
                "life": "alive",
            })
        });
        serde_json::from_value(json!({
            "id": "data/0", "kind": "filesystem", "life": life, "pool": "rootfs", "provider": "rootfs",
            "status": { "status": status, "message": "", "since": 0 }, "size": 1024, "limited": false,
            "persistent": true, "provider-id": "data-0", "created-at": 0,
            "attachments": attachments.collect::<Vec<_>>(),
        }))
        .unwrap()
    }

    #[test]
    fn by_default_a_storage_is_attached_and_queries_see_who_has_it() {
        let holds = |query: &str, storage: &StorageInfo| {
            let entity = storage_entity(storage);
            Query::parse(query).unwrap().holds(&entity).unwrap()
        };
        let attached = storage("alive", "attached", &["site/0", "site/1"]);
        assert!(holds(WaitKind::Storage.default_query(), &attached));
        assert!(holds(
            r#"len(units)==2 && forEach(units, unit => unit.machine=="0" && unit.life=="alive")"#,
            &attached
        ));
        assert!(holds(r#"size >= 1024 && pool=="rootfs""#, &attached));
        for (life, status) in [
            ("alive", "pending"),
            ("alive", "detached"),
            ("alive", "error"),
            ("dying", "attached"),
        ] {
            let storage = storage(life, status, &[]);
            let found = holds(WaitKind::Storage.default_query(), &storage);
            assert!(!found, "{life} {status}");
        }
    }
}
