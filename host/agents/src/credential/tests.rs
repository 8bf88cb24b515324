use std::os::unix::fs::PermissionsExt;

use periapt_model::{AgentName, Tag};

use super::*;

fn config(directory: &Path, password: &str) -> AgentConfig {
    let model = "11111111-2222-4333-8444-555555555555";
    AgentConfig {
        tag: Tag::Agent(model.parse().unwrap(), AgentName::Host),
        password: password.to_owned(),
        model_uuid: model.parse().unwrap(),
        controller_uuid: model.parse().unwrap(),
        api_addresses: Vec::new(),
        known_ports: Default::default(),
        ca_cert: String::new(),
        directory: directory.to_owned(),
    }
}

fn agent() -> (tempfile::TempDir, AgentConfig) {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join(DIRECTORY)).unwrap();
    let config = config(directory.path(), "given");
    (directory, config)
}

#[test]
fn what_is_written_is_read_again_and_readable_by_its_owner_alone() {
    let (directory, config) = agent();
    assert!(OwnPassword::read(&config).unwrap().is_none());
    let own = OwnPassword::after(&config);
    for own in [own.clone(), own.told()] {
        own.write(directory.path()).unwrap();
        assert!(OwnPassword::read(&config).unwrap() == Some(own.clone()));
        assert_eq!(own.of(&config).password, own.password());
    }
    let file = directory.path().join(DIRECTORY).join(FILE);
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        !fs::read_to_string(&file)
            .unwrap()
            .contains("\"given\":\"given\"")
    );
}

#[test]
fn a_password_that_follows_another_one_is_none() {
    let (directory, config) = agent();
    let own = OwnPassword::after(&config).told();
    own.write(directory.path()).unwrap();
    let renewed = self::config(directory.path(), "given by a restored controller");
    assert!(OwnPassword::read(&renewed).unwrap().is_none());
}

#[test]
fn a_damaged_file_is_none_and_one_that_cannot_be_read_is_an_error() {
    let (directory, config) = agent();
    let file = directory.path().join(DIRECTORY).join(FILE);
    fs::write(&file, "{").unwrap();
    assert!(OwnPassword::read(&config).unwrap().is_none());
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(OwnPassword::read(&config).is_err());
}

#[test]
fn a_write_that_was_broken_off_leaves_what_was_there() {
    let (directory, config) = agent();
    let own = OwnPassword::after(&config);
    own.write(directory.path()).unwrap();
    fs::write(directory.path().join(DIRECTORY).join(NEXT), "{").unwrap();
    assert!(OwnPassword::read(&config).unwrap() == Some(own.clone()));
    own.clone().told().write(directory.path()).unwrap();
    assert!(OwnPassword::read(&config).unwrap() == Some(own.told()));
}
