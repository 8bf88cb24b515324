use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use periapt_model::UnitName;
use periapt_model::charm::{CharmInfo, CharmMetadata, CharmUrl};
use periapt_model::uniter::OperationState;
use periapt_server::backups::BackupError;
use periapt_store::{HookCommit, Store};
use periapt_wire::rest::Deploy;
use tempfile::TempDir;
use tokio::runtime::Handle;

use super::create::{Made, Source, create};
use super::manifest::{Kind, Manifest};
use super::parts::{PartsReader, PartsWriter};
use super::*;
use crate::bootstrap::store_options;
use crate::tests::options;
use crate::{ControllerConfig, bootstrap};

fn manifest() -> Manifest {
    Manifest {
        format: FORMAT,
        id: "x".to_owned(),
        created_at: 1,
        version: String::new(),
        directory: PathBuf::new(),
        database: "sqlite".to_owned(),
        schema: 1,
        models: 0,
        units: 0,
        missing: Vec::new(),
        tables: Vec::new(),
        trees: Vec::new(),
        parts: Default::default(),
    }
}

fn written(path: &Path) -> Manifest {
    let file = File::options()
        .create(true)
        .truncate(true)
        .write(true)
        .open(path);
    let mut parts = PartsWriter::new(file.unwrap(), manifest());
    for (name, content) in [("a", "first".repeat(5000)), ("b/c", "second".to_owned())] {
        let write = parts.part(name, |out| out.write_all(content.as_bytes()));
        write.unwrap();
    }
    parts.finish().unwrap().1
}

#[test]
fn every_byte_that_is_changed_or_missing_is_noticed_before_anything_is_read() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("backup");
    let manifest = written(&path);
    let mut whole = PartsReader::open(&path).unwrap();
    assert_eq!(whole.manifest, manifest);
    let read = whole.part("b/c", |part| {
        let mut text = String::new();
        part.read_to_string(&mut text).map(|_| text)
    });
    assert_eq!(read.unwrap(), "second");

    let bytes = std::fs::read(&path).unwrap();
    let damaged = home.path().join("damaged");
    let mut passed = 0;
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        std::fs::write(&damaged, changed).unwrap();
        if let Ok(mut reader) = PartsReader::open(&damaged) {
            // A date or an attribute of the archive's own, which nobody reads.
            assert_eq!(reader.manifest, manifest, "byte {place}");
            for name in ["a", "b/c"] {
                let read = reader.part(name, |part| std::io::copy(part, &mut std::io::sink()));
                read.unwrap();
            }
            passed += 1;
        }
    }
    assert!(passed < bytes.len() / 2, "{passed} of {}", bytes.len());
    for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&damaged, &bytes[..length]).unwrap();
        let error = PartsReader::open(&damaged).err().unwrap();
        assert_eq!(
            error.kind(),
            std::io::ErrorKind::InvalidData,
            "{length}: {error}"
        );
    }
}

#[test]
fn a_newer_layout_is_named() {
    let home = TempDir::new().unwrap();
    let path = home.path().join("backup");
    let newer = Manifest {
        format: FORMAT + 1,
        ..manifest()
    };
    PartsWriter::new(File::create(&path).unwrap(), newer)
        .finish()
        .unwrap();
    let error = PartsReader::open(&path).err().unwrap().to_string();
    assert!(error.contains("newer program"), "{error}");
}

/// A bootstrapped controller whose database knows units, with files where an agent keeps them.
struct Scene {
    home: TempDir,
    source: Source,
    model: periapt_model::ModelUuid,
}

async fn scene() -> Scene {
    let home = TempDir::new().unwrap();
    let data_dir = home.path().join("first");
    bootstrap(options(&data_dir)).await.unwrap();
    let config = ControllerConfig::read(&data_dir).unwrap();
    let store = Store::open(store_options(&data_dir, None)).await.unwrap();
    let model = config.controller_model.clone();
    let charm = CharmInfo {
        shared: Default::default(),
        workload: Default::default(),
        components: Vec::new(),
        metrics: Default::default(),
        url: CharmUrl::new("probe", 0).unwrap(),
        name: "probe".to_owned(),
        revision: 0,
        sha256: String::new(),
        size: 0,
        metadata: CharmMetadata {
            name: "probe".to_owned(),
            ..CharmMetadata::default()
        },
        config: Default::default(),
        actions: Default::default(),
        capabilities: Vec::new(),
        declared: Default::default(),
        unused: Vec::new(),
        hooks: Vec::new(),
        subordinate: false,
    };
    let archive = bytes::Bytes::from_static(b"archive");
    store.add_charm(&model, charm, archive).await.unwrap();
    let request = Deploy {
        channel: None,
        resources: Default::default(),
        trust: false,
        constraints: String::new(),
        placement: Vec::new(),
        application: "probe".parse().unwrap(),
        charm: "local:probe-0".to_owned(),
        units: 3,
        config: Default::default(),
        storage: Default::default(),
        attach_storage: Vec::new(),
        capabilities: Default::default(),
    };
    store.deploy(&model, request).await.unwrap();
    Scene {
        source: Source {
            config,
            data_dir,
            store,
        },
        home,
        model,
    }
}

impl Scene {
    fn state(&self, unit: &str) -> PathBuf {
        let agent = self
            .source
            .data_dir
            .join("agents")
            .join(self.model.as_str());
        agent
            .join("units")
            .join(unit.replace('/', "-"))
            .join("state")
    }

    fn write(&self, unit: &str, generation: u64, content: &str) {
        let directory = self.state(unit).join(generation.to_string());
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("journal"), content).unwrap();
    }

    async fn at(&self, unit: &str, generation: u64) {
        let unit: UnitName = unit.parse().unwrap();
        let operation = OperationState {
            state_generation: generation,
            ..Default::default()
        };
        let store = &self.source.store;
        let state = store.get_state(&self.model, &unit).await.unwrap();
        let commit = HookCommit {
            from: state.sequence,
            operation,
            ..HookCommit::default()
        };
        let committed = store.commit_hook_run(&self.model, &unit, commit);
        committed.await.unwrap();
    }

    async fn create(&self) -> Result<Made, BackupError> {
        let (source, path) = (self.source.clone(), self.home.path().join("backup.zip"));
        let runtime = Handle::current();
        tokio::task::spawn_blocking(move || create(&source, "id", &path, &runtime))
            .await
            .unwrap()
    }
}

fn restored_to(scene: &Scene, name: &str) -> RestoreOptions {
    RestoreOptions {
        file: scene.home.path().join("backup.zip"),
        data_dir: Some(scene.home.path().join(name)),
        database: None,
        address: None,
        port: Some(0),
    }
}

#[tokio::test]
async fn a_unit_gets_the_generation_that_the_database_names_and_no_other() {
    let scene = scene().await;
    scene.at("probe/0", 7).await;
    for generation in 5..=8 {
        scene.write("probe/0", generation, &generation.to_string());
    }
    let agent = scene
        .source
        .data_dir
        .join("agents")
        .join(scene.model.as_str());
    let shared = agent.join("shared/probe-0/logs");
    std::fs::create_dir_all(&shared).unwrap();
    std::fs::write(shared.join("log"), "shared").unwrap();
    let keys = periapt_secrets::Keyring::open(&scene.source.data_dir, "authority", 1).unwrap();
    let sealed = keys.seal(&["model"], b"its key").unwrap();
    let made = scene.create().await.unwrap();
    let path = scene.home.path().join("backup.zip");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kinds: Vec<Kind> = made.manifest.trees.iter().map(|tree| tree.what).collect();
    assert_eq!(kinds, [Kind::State(7), Kind::Shared]);

    let restored = restore(restored_to(&scene, "second")).await.unwrap();
    assert_eq!(restored.uuid, scene.source.config.uuid);
    let second = &restored.data_dir;
    let agent = second.join("agents").join(scene.model.as_str());
    let state = agent.join("units/probe-0/state");
    let names: Vec<_> = std::fs::read_dir(&state).unwrap().flatten().collect();
    assert_eq!(names.len(), 1);
    assert_eq!(
        std::fs::read_to_string(state.join("7/journal")).unwrap(),
        "7"
    );
    let shared = agent.join("shared/probe-0/logs/log");
    assert_eq!(std::fs::read_to_string(shared).unwrap(), "shared");
    let config = ControllerConfig::read(second).unwrap();
    assert_eq!(config.uuid, scene.source.config.uuid);
    for name in ["ca.crt", "ca.key"] {
        let read = |home: &Path| std::fs::read(home.join("pki").join(name)).unwrap();
        assert_eq!(read(second), read(&scene.source.data_dir));
    }
    // What was sealed is read there.
    let key_file = second.join(periapt_secrets::KEY_FILE);
    let mode = std::fs::metadata(key_file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let keys = periapt_secrets::Keyring::open(second, "another", 2).unwrap();
    let opened = keys.open_under(&sealed.0, &["model"], &sealed.1);
    assert_eq!(opened.unwrap(), b"its key");
    // What is there is not written over.
    let again = restore(restored_to(&scene, "second")).await.unwrap_err();
    assert_eq!(again.code(), "folder-not-empty");
}

#[tokio::test]
async fn a_generation_that_was_replaced_is_looked_for_anew_and_one_elsewhere_is_told() {
    let scene = scene().await;
    scene.at("probe/1", 3).await;
    let made = scene.create().await.unwrap();
    assert_eq!(made.manifest.missing, [format!("{}/probe/1", scene.model)]);
    // Here there are files, but never those that the database names.
    scene.write("probe/1", 4, "newer");
    let restless = scene.create().await.err().unwrap();
    assert_eq!(restless.refusal().code(), "backup-restless");
    assert!(
        !scene.home.path().join("backup.zip").exists(),
        "nothing is left of it"
    );
    scene.at("probe/1", 4).await;
    let made = scene.create().await.unwrap();
    assert_eq!(
        (made.manifest.missing.len(), made.manifest.trees.len()),
        (0, 1)
    );
}

#[tokio::test]
async fn a_backup_names_neither_the_database_nor_places_of_its_machine() {
    let mut scene = scene().await;
    scene.source.config.database = Some("postgresql://me:secret@there/db".to_owned());
    scene.source.config.agents_directory = Some(scene.source.data_dir.join("agents"));
    scene.create().await.unwrap();
    let mut parts = PartsReader::open(&scene.home.path().join("backup.zip")).unwrap();
    let text = parts.part("identity/controller.json", |part| {
        std::io::read_to_string(part)
    });
    let text = text.unwrap();
    assert!(
        !text.contains("secret") && !text.contains("agents"),
        "{text}"
    );
}

#[tokio::test]
async fn a_restore_that_fails_leaves_nothing() {
    let scene = scene().await;
    scene.at("probe/0", 1).await;
    scene.write("probe/0", 1, "one");
    scene.create().await.unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let options = RestoreOptions {
        port: Some(port),
        ..restored_to(&scene, "second")
    };
    let refused = restore(options).await.unwrap_err();
    assert_eq!(refused.code(), "port-unavailable");
    assert!(!scene.home.path().join("second").exists());
    let options = RestoreOptions {
        database: Some("postgresql://nobody@127.0.0.1:1/nothing".to_owned()),
        ..restored_to(&scene, "second")
    };
    assert!(restore(options).await.is_err());
    assert!(!scene.home.path().join("second").exists());
}
