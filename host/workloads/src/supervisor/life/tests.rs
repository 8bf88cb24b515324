use periapt_model::workload::desired::Asked;

use super::*;

fn container(plan: &str, requests: &[(u64, Request)]) -> Container {
    let asked = requests.iter().map(|(id, request)| Asked {
        id: *id,
        request: request.clone(),
    });
    Container {
        plan: Plan::parse(plan).unwrap(),
        files: BTreeMap::new(),
        storage: BTreeMap::new(),
        requests: asked.collect(),
    }
}

const TWO: &str = "
services:
  site: {override: replace, kind: http, component: a, port: 80, startup: enabled}
  admin: {override: replace, kind: http, component: a, port: 81, after: [site]}
";

fn components(digest: &str) -> BTreeMap<String, Component> {
    let component = Component {
        file: "a".into(),
        digest: digest.to_owned(),
        engine_hash: String::new(),
    };
    [("a".to_owned(), component)].into()
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn now(life: &Life) -> Vec<(String, Current)> {
    let services = life.services.iter();
    services
        .map(|(name, run)| (name.clone(), run.state.current()))
        .collect()
}

fn current(life: &Life, name: &str) -> Current {
    life.services[name].state.current()
}

fn load(life: &mut Life, name: &str, error: Option<&str>, time: Duration) {
    let number = life.services[name].load;
    life.loaded(name, number, error.map(str::to_owned), time);
}

#[test]
fn a_service_is_active_once_it_is_loaded() {
    let mut life = Life::new(kept::Container::default());
    life.desire(&container(TWO, &[]), &components("1"), at(0));
    assert_eq!(current(&life, "site"), Current::Starting);
    assert_eq!(current(&life, "admin"), Current::Inactive);
    // Time alone does not make it so.
    life.tick(at(2));
    assert_eq!(current(&life, "site"), Current::Starting);
    life.loaded("site", 99, None, at(2));
    assert_eq!(current(&life, "site"), Current::Starting);
    load(&mut life, "site", None, at(2));
    assert_eq!(current(&life, "site"), Current::Active);
    assert!(life.record().wanted["site"]);
}

#[test]
fn what_cannot_be_loaded_is_tried_again() {
    let mut life = Life::new(kept::Container::default());
    life.desire(&container(TWO, &[]), &components("1"), at(0));
    load(&mut life, "site", Some("it is damaged"), at(1));
    assert_eq!(current(&life, "site"), Current::Backoff);
    let seen = life.seen(|_| 0);
    let end = seen.services["site"].last_end.as_deref();
    assert_eq!(end, Some("not started: it is damaged"));
    let due = life.due().unwrap();
    assert!(due > at(1) && due <= at(2));
    life.tick(due);
    assert_eq!(current(&life, "site"), Current::Starting);
    load(&mut life, "site", None, at(3));
    assert_eq!(current(&life, "site"), Current::Active);
}

#[test]
fn requests_are_carried_out_once_and_outlive_the_supervisor() {
    let start = (1, Request::Start(vec!["admin".to_owned()]));
    let mut life = Life::new(kept::Container::default());
    life.desire(
        &container(TWO, std::slice::from_ref(&start)),
        &components("1"),
        at(0),
    );
    load(&mut life, "site", None, at(0));
    load(&mut life, "admin", None, at(0));
    assert_eq!(current(&life, "admin"), Current::Active);
    let stop = (2, Request::Stop(vec!["site".to_owned()]));
    let wanted = container(TWO, &[start, stop]);
    life.desire(&wanted, &components("1"), at(1));
    assert_eq!(current(&life, "site"), Current::Inactive);
    life.desire(&wanted, &components("1"), at(2));
    assert_eq!(current(&life, "site"), Current::Inactive);
    assert_eq!(life.record().requests, 2);

    let mut next = Life::new(life.record().clone());
    next.desire(&wanted, &components("1"), at(0));
    assert_eq!(
        now(&next),
        [
            ("admin".to_owned(), Current::Starting),
            ("site".to_owned(), Current::Inactive)
        ]
    );
    let replan = container(TWO, &[(3, Request::Replan)]);
    next.desire(&replan, &components("1"), at(1));
    assert_eq!(current(&next, "site"), Current::Starting);
}

#[test]
fn another_component_restarts_and_a_service_that_is_gone_ends() {
    let mut life = Life::new(kept::Container::default());
    life.desire(&container(TWO, &[]), &components("1"), at(0));
    load(&mut life, "site", None, at(0));
    life.desire(&container(TWO, &[]), &components("1"), at(1));
    assert_eq!(current(&life, "site"), Current::Active);
    life.desire(&container(TWO, &[]), &components("2"), at(2));
    assert_eq!(current(&life, "site"), Current::Starting);
    load(&mut life, "site", None, at(2));
    assert_eq!(life.services["site"].state.restarts(), 1);
    life.desire(&Container::default(), &components("2"), at(3));
    assert!(now(&life).is_empty());
}

#[test]
fn a_check_runs_while_its_service_does_and_has_its_consequence() {
    let plan = "
services:
  site:
    override: replace
    kind: http
    component: a
    port: 80
    startup: enabled
    on-check-failure: {up: restart}
  old: {override: replace, command: x, startup: enabled}
checks:
  up: {override: replace, period: 2s, timeout: 1s, threshold: 1, http: {url: 'http://localhost/'}}
";
    let mut life = Life::new(kept::Container::default());
    life.desire(&container(plan, &[]), &components("1"), at(0));
    load(&mut life, "site", None, at(0));
    let old = life.seen(|_| 0).services["old"].clone();
    assert_eq!(old.current, Current::Backoff);
    assert!(old.last_end.unwrap().contains("kind native"));
    assert_eq!(life.seen(|_| 0).checks["up"].status, Status::Up);
    life.tick(at(2));
    let probes = life.take_probes();
    assert_eq!(probes.len(), 1);
    life.probed("up", probes[0].number, Err("500".to_owned()), at(2));
    assert_eq!(current(&life, "site"), Current::Starting);
    assert_eq!(
        life.seen(|_| 0).checks["up"].message.as_deref(),
        Some("500")
    );
    load(&mut life, "site", None, at(3));
    let off = (1, Request::StopChecks(vec!["up".to_owned()]));
    life.desire(&container(plan, &[off]), &components("1"), at(3));
    assert_eq!(life.seen(|_| 0).checks["up"].status, Status::Inactive);
}
