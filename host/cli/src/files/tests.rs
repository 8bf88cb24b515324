use std::os::unix::fs::PermissionsExt;

use super::*;

/// A directory of this test alone, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let directory =
            std::env::temp_dir().join(format!("periapt-files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        Scratch(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn fill(contents: &mut Contents) {
    let controller = Controller {
        uuid: "8419cd78-4993-4c3a-928e-c646226beeee".to_owned(),
        api_endpoints: vec!["127.0.0.1:17070".to_owned()],
        ca_cert: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned(),
        cloud: "local".to_owned(),
        agent_version: "0.1.0".to_owned(),
        data_dir: Some("/srv/periapt".into()),
        others: Others::from([("region".to_owned(), Value::from("here"))]),
    };
    contents
        .controllers
        .controllers
        .insert("local".to_owned(), controller);
    contents.controllers.current_controller = Some("local".to_owned());
    let account = Account {
        user: "admin".to_owned(),
        password: Some("0: \"odd\" #password\n".to_owned()),
        last_known_access: "superuser".to_owned(),
        token: Some("1e5".to_owned()),
        others: Others::new(),
    };
    contents
        .accounts
        .controllers
        .insert("local".to_owned(), account);
    let models = contents
        .models
        .controllers
        .entry("local".to_owned())
        .or_default();
    models.models.insert(
        "admin/demo".to_owned(),
        Model::new("9419cd78-4993-4c3a-928e-c646226beeee"),
    );
    models.current_model = Some("admin/demo".to_owned());
}

#[test]
fn what_is_written_is_read_back() {
    let scratch = Scratch::new("round-trip");
    let files = ClientFiles::at(&scratch.0);
    assert_eq!(files.read().unwrap(), Contents::default());
    let mut expected = Contents::default();
    fill(&mut expected);
    files.change(fill).unwrap();
    assert_eq!(files.read().unwrap(), expected);
    assert_eq!(expected.current_model("local"), Some("demo"));
    let mode = |name: &str| {
        fs::metadata(scratch.0.join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode("accounts.yaml"), mode(".")), (0o600, 0o700));
    assert_eq!(
        fs::read_to_string(scratch.0.join("cookies/local.json")).unwrap(),
        "[]\n"
    );
}

#[test]
fn the_shapes_are_those_of_jujus_client() {
    let scratch = Scratch::new("shapes");
    fs::create_dir_all(&scratch.0).unwrap();
    fs::write(
        scratch.0.join("controllers.yaml"),
        "controllers:\n  prod:\n    uuid: 8419cd78-4993-4c3a-928e-c646226beeee\n    api-endpoints: ['10.0.0.1:17070']\n    ca-cert: |\n      PEM\n    cloud: lxd\n    type: lxd\n    agent-version: 3.6.1\n    controller-machine-count: 1\ncurrent-controller: prod\n",
    )
    .unwrap();
    fs::write(
        scratch.0.join("models.yaml"),
        "controllers:\n  prod:\n    models:\n      admin/controller:\n        uuid: 9419cd78-4993-4c3a-928e-c646226beeee\n        type: iaas\n        branch: \"\"\n    current-model: admin/controller\n",
    )
    .unwrap();
    let files = ClientFiles::at(&scratch.0);
    let contents = files.read().unwrap();
    assert_eq!(
        contents.controllers.controllers["prod"].others["type"],
        "lxd"
    );
    assert_eq!(contents.current_model("prod"), Some("controller"));
    files
        .change(|contents| {
            contents
                .controllers
                .controllers
                .get_mut("prod")
                .unwrap()
                .cloud = "local".to_owned()
        })
        .unwrap();
    let text = fs::read_to_string(scratch.0.join("controllers.yaml")).unwrap();
    for kept in [
        "controller-machine-count: 1",
        "cloud: local",
        "current-controller: prod",
    ] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
}

#[test]
fn what_is_forgotten_is_gone_everywhere() {
    let mut contents = Contents::default();
    fill(&mut contents);
    contents.forget_model("local", "admin/demo");
    assert_eq!(contents.current_model("local"), None);
    contents.forget_controller("local");
    assert_eq!(contents, Contents::default());
}

#[test]
fn a_broken_file_is_named() {
    let scratch = Scratch::new("broken");
    fs::create_dir_all(&scratch.0).unwrap();
    fs::write(scratch.0.join("accounts.yaml"), "controllers: [\n").unwrap();
    let failure = ClientFiles::at(&scratch.0).read().unwrap_err();
    assert!(failure.to_string().contains("accounts.yaml"), "{failure}");
}

#[test]
fn changes_at_the_same_time_all_stay() {
    let scratch = Scratch::new("together");
    let files = ClientFiles::at(&scratch.0);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let files = &files;
            scope.spawn(move || {
                let name = format!("controller-{number}");
                files
                    .change(|contents| {
                        contents
                            .controllers
                            .controllers
                            .insert(name, Controller::default())
                    })
                    .unwrap();
            });
        }
    });
    assert_eq!(files.read().unwrap().controllers.controllers.len(), 8);
}
