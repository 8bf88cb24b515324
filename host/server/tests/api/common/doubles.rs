//! What stands in for a compiler and for workers, and charms for them.

use std::io::Write;

use async_trait::async_trait;
use periapt_model::{ModelUuid, Refusal};
use periapt_server::{CharmCompiler, CompileProblem, CompiledCharm, Components, Reports, Turn};
use periapt_wire::rest::WorkerRow;

/// Takes any component. One that ends with `imports INTERFACE` imports that one of the contract.
pub struct AnyComponent;

#[async_trait]
impl CharmCompiler for AnyComponent {
    fn engine_hash(&self) -> String {
        "engine-1".to_owned()
    }

    async fn compile(
        &self,
        components: Components<'_>,
        _: Option<Turn>,
    ) -> Result<CompiledCharm, CompileProblem> {
        let component = components.charm;
        for refusal in [Refusal::CompileAddressSpace, Refusal::CompileStart] {
            if component.ends_with(refusal.code().as_bytes()) {
                return Err(CompileProblem {
                    refusal,
                    message: "it takes too much".to_owned(),
                });
            }
        }
        if component.len() > 8 && component.ends_with(b"refuse me") {
            return Err(CompileProblem {
                refusal: Refusal::CharmComponentInvalid,
                message: "it imports the moon".to_owned(),
            });
        }
        let hooks = vec!["install".to_owned(), "config-changed".to_owned()];
        let text = String::from_utf8_lossy(component);
        let imported = text.rsplit_once("imports ").map(|(_, name)| name);
        let imports = imported.map(|name| format!("periapt:charm/{name}@0.1.0"));
        Ok(CompiledCharm {
            cwasm: [b"compiled ", component].concat(),
            hooks,
            imports: imports.into_iter().collect(),
            server_imports: Vec::new(),
            engine_hash: self.engine_hash(),
        })
    }
}

pub struct OneRow;

#[async_trait]
impl Reports for OneRow {
    async fn controller(&self) -> Vec<WorkerRow> {
        vec![row("httpserver", "controller", "running", 1)]
    }

    async fn model(&self, _model: &ModelUuid) -> Vec<WorkerRow> {
        vec![row("undertaker", "model", "running", 1)]
    }
}

pub fn row(worker: &str, agent: &str, state: &str, running: u64) -> WorkerRow {
    WorkerRow {
        worker: worker.to_owned(),
        agent: agent.to_owned(),
        state: state.to_owned(),
        reason: String::new(),
        running,
        start_count: running,
        ..WorkerRow::default()
    }
}

pub const CONFIG: &str =
    "options:\n  port:\n    type: int\n    default: 8080\n    description: where it listens\n";

pub fn charm_archive(name: &str) -> Vec<u8> {
    let metadata = format!("name: {name}\nsummary: a test\ndescription: a test\n");
    archive(&[
        ("metadata.yaml", metadata.as_bytes()),
        ("config.yaml", CONFIG.as_bytes()),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
    ])
}

pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
