use periapt_charm::testing::{Harness, Outcome};
use periapt_charm::{Hook, StatusKind};

use super::*;

fn vault() -> Harness<Vault> {
    let mut harness = Harness::<Vault>::new();
    harness
        .set_config("rotate", "hourly")
        .set_config("length", 20_i64);
    harness.elect().expect("leads");
    harness
}

fn secret_of(harness: &Harness<Vault>, relation: &str) -> String {
    let told = harness.data::<Credentials>(relation, "test");
    told.expect("the application is told").secret
}

#[test]
fn each_application_has_credentials_that_it_alone_may_read() {
    let mut harness = vault();
    assert_eq!(
        harness.status(),
        Status::active("nobody asked for credentials")
    );
    let blog = harness.add_relation(ENDPOINT, "blog").expect("relates");
    let shop = harness.add_relation(ENDPOINT, "shop").expect("relates");
    assert_eq!(
        harness.status(),
        Status::active("credentials for 2 applications")
    );
    let (first, second) = (secret_of(&harness, &blog), secret_of(&harness, &shop));
    assert_ne!(first, second);
    let values = harness.secret_values(&first);
    assert_eq!(values["username"], "blog");
    assert_eq!(values["password"].len(), 20);
    assert_ne!(
        values["password"],
        harness.secret_values(&second)["password"]
    );
    let granted = harness.secret_grants(&first);
    assert_eq!(granted.len(), 1);
    assert_eq!(granted[0].to, "blog");
    let info = harness.secret_info(&first).expect("is known");
    assert_eq!(info.rotate, RotatePolicy::Hourly);

    // Hooks that come again change nothing.
    harness.run(Hook::ConfigChanged).expect("succeeds");
    assert_eq!(harness.secret_values(&first), values);
    assert_eq!(harness.secrets().len(), 2);
}

#[test]
fn a_password_is_replaced_when_its_time_has_come_and_goes_when_nobody_is_on_it() {
    let mut harness = vault();
    let blog = harness.add_relation(ENDPOINT, "blog").expect("relates");
    let secret = secret_of(&harness, &blog);
    let before = harness.secret_values(&secret);
    harness.rotate_secret(&secret).expect("rotates");
    let after = harness.secret_values(&secret);
    assert_eq!(after["username"], "blog");
    assert_ne!(after["password"], before["password"]);
    harness.leave_secret(&secret, 1).expect("removes");
    assert_eq!(
        harness.secret_info(&secret).expect("is known").revisions,
        [2]
    );
    harness
        .set_config("rotate", "never")
        .run(Hook::ConfigChanged)
        .expect("succeeds");
    let info = harness.secret_info(&secret).expect("is known");
    assert_eq!(info.rotate, RotatePolicy::Never);
}

#[test]
fn credentials_go_with_the_relation() {
    let mut harness = vault();
    let blog = harness.add_relation(ENDPOINT, "blog").expect("relates");
    let shop = harness.add_relation(ENDPOINT, "shop").expect("relates");
    harness.break_relation(&blog).expect("ends");
    assert_eq!(harness.secrets().len(), 1);
    assert_eq!(
        harness.status(),
        Status::active("credentials for 1 application")
    );
    harness.break_relation(&shop).expect("ends");
    assert!(harness.secrets().is_empty());
    assert_eq!(
        harness.status(),
        Status::active("nobody asked for credentials")
    );
}

#[test]
fn a_unit_that_does_not_lead_hands_out_nothing_and_takes_over_what_is_there() {
    let mut harness = Harness::<Vault>::new();
    harness
        .set_config("rotate", "daily")
        .set_config("length", 32_i64);
    let blog = harness.add_relation(ENDPOINT, "blog").expect("relates");
    assert!(harness.secrets().is_empty());
    harness.elect().expect("leads");
    assert_eq!(
        harness.secret_values(&secret_of(&harness, &blog))["username"],
        "blog"
    );
    harness.set_leader(false);
    let outcome = harness.break_relation(&blog).expect("ends");
    assert_eq!(outcome, Outcome::Ran);
    // Nobody led as the relation went, so the next leader takes the credentials back.
    assert_eq!(harness.secrets().len(), 1);
    harness.elect().expect("leads");
    assert!(harness.secrets().is_empty());
}

#[test]
fn an_option_that_makes_no_sense_is_the_operators_to_mend() {
    let mut harness = vault();
    for (option, value) in [
        ("rotate", "often".into()),
        ("length", periapt_charm::Value::from(4_i64)),
    ] {
        let mut broken = Harness::<Vault>::new();
        broken
            .set_config("rotate", "daily")
            .set_config("length", 32_i64);
        broken.set_config(option, value);
        broken.elect().expect("leads");
        assert_eq!(broken.status().kind, StatusKind::Blocked, "{option}");
    }
    let answer = harness.run_command("list", &[]).expect("runs");
    assert_eq!(answer.return_code, 0);
}
