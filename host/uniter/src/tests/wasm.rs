//! The same loop with real charms in the real sandbox, where they have been built.

use std::path::PathBuf;

use periapt_sandbox::{CompileCache, SandboxEngine, Settings};

use super::*;
use crate::sandbox::WasmSandbox;

fn charm(name: &str) -> Option<Vec<u8>> {
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/charms");
    std::fs::read(target.join(format!("{name}.charm"))).ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_charm_goes_through_its_hooks() {
    let mut world = World::new();
    let Some(bytes) = charm("site") else {
        eprintln!("target/charms/site.charm is not built: nothing to run");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let engine = SandboxEngine::new(Settings {
        slots: 4,
        ..Settings::default()
    })
    .unwrap();
    let component = periapt_model::charm::Archive::read(&bytes)
        .unwrap()
        .component()
        .to_vec();
    let artifact = engine.compile(&component).unwrap();
    let hooks: Vec<&str> = artifact
        .inspection()
        .hooks
        .iter()
        .map(String::as_str)
        .collect();
    let url = CharmUrl::new("site", 0).unwrap();
    let info = charm_info(&bytes, &url, &hooks).unwrap();
    world.controller.add_blob(
        &format!("{}.{}", info.sha256, engine.engine_hash()),
        artifact.as_bytes().to_vec(),
    );
    let options = info.config.options.clone();
    world.controller.add_charm(info, bytes);
    world.controller.change(&unit(), |record| {
        record.config = options
            .into_iter()
            .filter_map(|(name, option)| option.default.map(|value| (name, value)))
            .collect();
    });
    let cache = CompileCache::new(directory.path().join("compiled"), engine.engine_hash()).unwrap();
    let sandbox = WasmSandbox::new(engine, cache);
    world.process = open(&world.clock, &world.directory, Arc::new(sandbox));
    let agent = world.start();
    world.settle().await;
    let record = world.record();
    assert!(record.state.operation.unwrap().started);
    agent.stop().await;
}
