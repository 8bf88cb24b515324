use periapt_model::status::Status;
use periapt_model::{AgentName, MachineId};

use super::*;
use crate::testing::{fixtures, present};

fn seen(machine: &str, status: Option<Machine>, address: &str) -> InstanceSeen {
    InstanceSeen {
        machine: machine.parse().unwrap(),
        instance_id: format!("local-{machine}"),
        status: status.map(|status| Status::new(status, "")),
        addresses: vec![address.to_owned()],
    }
}

#[tokio::test]
async fn what_is_seen_of_instances_is_one_change_and_shows_everywhere() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        let second = seen("1", Some(Machine::Down), "192.0.2.2");
        let all = vec![seen("0", None, "192.0.2.1"), second];
        let before = store.last_commit(&model);
        store.set_instances_seen(&model, all.clone()).await.unwrap();
        let shown = store.machines(&model, &present).await.unwrap();
        let addresses: Vec<&str> = shown
            .iter()
            .map(|found| found.addresses[0].as_str())
            .collect();
        assert_eq!(addresses, ["192.0.2.1", "192.0.2.2"]);
        assert_eq!(shown[0].instance.status, Machine::Running);
        assert_eq!(shown[1].instance.status, Machine::Down);
        let status = store.full_status(&model, &[], &|_| true).await.unwrap();
        let machine = &status.machines["0"];
        assert_eq!(machine.dns_name, "192.0.2.1");
        assert_eq!(machine.ip_addresses, ["192.0.2.1"]);
        let after = store.last_commit(&model);
        assert!(after > before);
        // Said again it changes nothing.
        store.set_instances_seen(&model, all).await.unwrap();
        assert_eq!(store.last_commit(&model), after);
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_was_seen_of_another_instance_or_said_by_the_provisioner_stays() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let machine: MachineId = "0".parse().unwrap();
        let stopped = Status::new(Machine::Stopped, "its agent ended for good");
        let set = store.set_instance_statuses(&model, [(machine.clone(), stopped)].into());
        set.await.unwrap();
        let running = vec![seen("0", Some(Machine::Running), "192.0.2.1")];
        store
            .set_instances_seen(&model, running.clone())
            .await
            .unwrap();
        let shown = store.machine(&model, &machine, &present).await.unwrap();
        assert_eq!(shown.instance.status, Machine::Stopped);
        assert_eq!(shown.addresses, ["192.0.2.1"]);

        let addresses = ["192.0.2.7".to_owned()];
        let moved =
            store.set_instance_info(&model, &machine, &AgentName::Host, "other", &addresses, "");
        moved.await.unwrap();
        store.set_instances_seen(&model, running).await.unwrap();
        let nobody = vec![seen("9", None, "192.0.2.9")];
        store.set_instances_seen(&model, nobody).await.unwrap();
        let shown = store.machine(&model, &machine, &present).await.unwrap();
        assert_eq!(shown.addresses, addresses);
        fixture.end().await;
    }
}
