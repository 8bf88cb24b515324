use periapt_engine::FakeClock;
use periapt_model::{AgentName, Refusal};

use crate::db::{self, Probe, params};
use crate::migrations::MIGRATIONS;
use crate::testing::{empty_databases, fixtures, machine};
use crate::{Store, StoreOptions};

fn own(id: &str) -> AgentName {
    AgentName::Machine(machine(id))
}

#[tokio::test]
async fn each_machine_shows_the_loss_of_the_agent_that_hosts_it_alone() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        for id in ["0", "1"] {
            let instance = format!("local-{id}");
            let addresses = ["127.0.0.1".to_owned()];
            store
                .set_instance_info(&model, &machine(id), &own(id), &instance, &addresses, "")
                .await
                .unwrap();
        }
        let mut agents = store.agents().await.unwrap();
        agents.sort();
        let names: Vec<String> = agents.iter().map(|(_, agent)| agent.to_string()).collect();
        assert_eq!(names, ["host", "machine-0", "machine-1"]);
        for (agent, hosted) in [
            (own("0"), vec![machine("0")]),
            (AgentName::Host, Vec::new()),
        ] {
            assert_eq!(store.hosted_machines(&model, &agent).await.unwrap(), hosted);
        }
        let unit = "site/1".parse().unwrap();
        let host = store.unit_agent(&model, &unit).await.unwrap();
        let on = store.unit(&model, &unit, &|_| true).await.unwrap().machine;
        assert_eq!(host.flatten(), on.map(AgentName::Machine));

        let (lost, there) = (own("0"), |agent: &AgentName| *agent != own("0"));
        let shown = |status: &str| match status {
            "down" | "lost" => lost.clone(),
            _ => own("1"),
        };
        for machine in store.machines(&model, &there).await.unwrap() {
            let agent = AgentName::Machine(machine.id.clone());
            assert_eq!(shown(machine.agent.status.as_str()), agent);
        }
        let status = store.full_status(&model, &[], &there).await.unwrap();
        for (id, machine) in &status.machines {
            assert_eq!(shown(&machine.agent_status.status), own(id));
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_password_of_one_agent_is_not_anothers_and_goes_with_its_machine() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        store.add_machines(&model, 2).await.unwrap();
        let make = |id: &str| {
            let (store, model, agent) = (store.clone(), model.clone(), own(id));
            async move { store.make_agent_credential(&model, &agent).await.unwrap() }
        };
        let (first, second) = (make("0").await, make("1").await);
        assert_eq!(first.tag.to_string(), format!("agent-{model}-machine-0"));
        let fits = |id: &str, password: &str| {
            let (store, model, agent) = (store.clone(), model.clone(), own(id));
            let password = password.to_owned();
            async move {
                store
                    .check_agent_password(&model, &agent, &password)
                    .await
                    .unwrap()
            }
        };
        assert!(fits("0", &first.password).await && fits("1", &second.password).await);
        assert!(!fits("0", &second.password).await && !fits("1", &first.password).await);

        let gone = machine("0");
        store.remove_machine(&model, &gone, false).await.unwrap();
        store.ensure_machine_dead(&model, &gone).await.unwrap();
        store.mark_machine_for_removal(&model, &gone).await.unwrap();
        store
            .complete_machine_removals(&model, std::slice::from_ref(&gone))
            .await
            .unwrap();
        assert!(!fits("0", &first.password).await);
        assert!(fits("1", &second.password).await);
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_first_use_of_a_new_password_ends_the_old_one() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.model("lab").await;
        let agent = AgentName::Host;
        let given = store.make_agent_credential(&model, &agent).await.unwrap();
        let given = given.password;
        let fits = async |password: &str| {
            let fits = store.check_agent_password(&model, &agent, password);
            fits.await.unwrap()
        };
        let change = async |present: &str, next: &str| {
            let change = store.change_agent_password(&model, &agent, present, next);
            change.await.map_err(|error| error.refusal())
        };
        let [lost, next, later] = ["a", "b", "c"].map(|letter| letter.repeat(64));

        assert_eq!(change(&given, &lost).await, Ok(()));
        assert!(fits(&given).await, "nobody has used the new one");
        // Its answer got lost: the agent says it again, or another.
        for _ in 0..2 {
            assert_eq!(change(&given, &next).await, Ok(()));
        }
        assert!(!fits(&lost).await && fits(&given).await);
        for _ in 0..2 {
            assert!(fits(&next).await);
            assert!(!fits(&given).await, "it is over");
        }
        // A connection that the old one opened says nothing more about passwords.
        let stale = change(&given, &later).await;
        assert_eq!(stale, Err(Refusal::PasswordWrong));
        assert!(!fits(&later).await && fits(&next).await);
        for guessed in ["", "short"] {
            let guessed = change(&next, guessed).await;
            assert_eq!(guessed, Err(Refusal::PasswordRefused));
        }

        // One that is made anew ends both.
        assert_eq!(change(&next, &later).await, Ok(()));
        let made = store.make_agent_credential(&model, &agent).await.unwrap();
        assert!(!fits(&next).await && !fits(&later).await);
        assert!(fits(&made.password).await);
        fixture.end().await;
    }
}

#[tokio::test]
async fn an_agent_of_before_goes_on_with_its_password() {
    let clock = FakeClock::new();
    let model = "11111111-2222-4333-8444-555555555555";
    for empty in empty_databases().await {
        let options = StoreOptions::new(empty.database.clone(), clock.shared());
        let probe = Probe::new(clock.shared(), None);
        let mut before = db::writer(&options.database, &probe).await.unwrap();
        db::begin_schema(&mut before).await.unwrap();
        db::migrate_to(&mut before, MIGRATIONS, 0, Some(9))
            .await
            .unwrap();
        let sql = "INSERT INTO agent_credential (tag, model_uuid, digest) VALUES ($1, $2, $3)";
        let digest = blake3::hash(b"secret").to_hex().to_string();
        let row = params![format!("agent-{model}"), model, digest];
        before.execute(sql, row).await.unwrap();
        before.raw("COMMIT").await.unwrap();
        drop(before);

        let store = Store::open(options).await.unwrap();
        let model = model.parse().unwrap();
        let fits = store.check_agent_password(&model, &AgentName::Host, "secret");
        assert!(fits.await.unwrap());
        store.close().await;
        empty.end().await;
    }
}
