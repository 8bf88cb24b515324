use super::*;
use crate::testing::{fixtures, machine, present, unit};

#[tokio::test]
async fn a_list_shows_each_as_it_shows_alone() {
    for fixture in fixtures().await {
        let model = fixture.site(3).await;
        fixture.provision(&model).await;
        let store = &fixture.store;
        let removed = unit("site/2");
        store.remove_unit(&model, &removed, false).await.unwrap();
        for presence in [&present as Presence<'_>, &|_: &AgentName| false] {
            let units = store.units(&model, presence).await.unwrap();
            assert_eq!(units.len(), 3);
            for shown in units {
                let alone = store.unit(&model, &shown.name, presence).await.unwrap();
                assert_eq!(
                    serde_json::to_value(&shown).unwrap(),
                    serde_json::to_value(&alone).unwrap()
                );
            }
            let machines = store.machines(&model, presence).await.unwrap();
            assert_eq!(machines.len(), 3);
            for shown in machines {
                let alone = store.machine(&model, &shown.id, presence).await.unwrap();
                assert_eq!(
                    serde_json::to_value(&shown).unwrap(),
                    serde_json::to_value(&alone).unwrap()
                );
                let agent = if presence(&AgentName::Host) {
                    "started"
                } else {
                    "down"
                };
                assert_eq!(shown.agent.status.as_str(), agent);
                assert_eq!(shown.units.len(), 1);
            }
        }
        let missing = store.machine(&model, &machine("9"), &present).await;
        assert_eq!(missing.unwrap_err().refusal().code(), "machine-not-found");
        assert!(store.relations(&model).await.unwrap().is_empty());
        let missing = store.relation(&model, 1).await;
        assert_eq!(missing.unwrap_err().refusal().code(), "relation-not-found");
        fixture.end().await;
    }
}
