//! A sandbox whose hooks are closures, and charms for it.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use periapt_model::charm::{Archive, CharmInfo, CharmUrl};
use periapt_model::hook::Effects;
use periapt_model::workload::desired::Component;
use periapt_sandbox::{
    HookContext, HookFailure, HookOutcome, SharedDirectory, StorageDirectory, UnitFiles, Usage,
};
use periapt_wire::ApiConnection;

use crate::sandbox::{CharmFiles, HookCall, RunnableCharm, Sandbox, SandboxError};

/// What a hook found.
#[derive(Clone)]
pub struct Seen {
    pub unit: String,
    pub hook: String,
    pub attributes: BTreeMap<String, String>,
    pub charm: String,
    pub config: String,
    pub environment: Vec<(String, String)>,
    files: Arc<Files>,
    pub shared: Vec<SharedDirectory>,
    pub storage: Vec<StorageDirectory>,
}

struct Files {
    unit: Arc<dyn UnitFiles>,
    stage: OnceLock<PathBuf>,
}

impl Seen {
    /// Where the hook may change its files; asking for it is a change.
    pub fn state(&self) -> Result<PathBuf, HookFailure> {
        let Files { unit, stage } = &*self.files;
        if stage.get().is_none() {
            // Scripts ask on one thread.
            let _ = stage.set(unit.stage()?);
            unit.changed();
        }
        Ok(stage.get().cloned().unwrap_or_default())
    }

    /// Where a resource is that the hook asked for.
    pub fn resource(&self, name: &str) -> Option<PathBuf> {
        self.files.unit.resource(name)
    }
}

type Script =
    Arc<dyn Fn(&Seen, &mut dyn HookContext) -> Result<Effects, HookFailure> + Send + Sync>;

/// Runs the script for every hook and remembers what each found.
#[derive(Clone)]
pub struct ScriptedSandbox {
    script: Arc<Mutex<Script>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    uncompiled: Arc<AtomicBool>,
    lost: Arc<AtomicBool>,
    unfit: Arc<Mutex<Option<String>>>,
}

impl Default for ScriptedSandbox {
    fn default() -> Self {
        Self::new(|_, _| Ok(Effects::default()))
    }
}

impl ScriptedSandbox {
    pub fn new(
        script: impl Fn(&Seen, &mut dyn HookContext) -> Result<Effects, HookFailure>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            script: Arc::new(Mutex::new(Arc::new(script))),
            seen: Arc::default(),
            uncompiled: Arc::default(),
            lost: Arc::default(),
            unfit: Arc::default(),
        }
    }

    /// Replaces the script for the hooks that follow.
    pub fn script(
        &self,
        script: impl Fn(&Seen, &mut dyn HookContext) -> Result<Effects, HookFailure>
        + Send
        + Sync
        + 'static,
    ) {
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(script);
    }

    /// Whether the controller has compiled the charms, as it has at first.
    pub fn compiled(&self, compiled: bool) {
        self.uncompiled.store(!compiled, Ordering::SeqCst);
    }

    /// Whether the other components of charms are to be had, as they are at first.
    pub fn components(&self, there: bool) {
        self.lost.store(!there, Ordering::SeqCst);
    }

    /// The charm whose code cannot be loaded from now on.
    pub fn unfit(&self, charm: &str) {
        *self.unfit.lock().unwrap_or_else(PoisonError::into_inner) = Some(charm.to_owned());
    }

    /// The hooks that ran, oldest first.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Their names.
    pub fn hooks(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.hook).collect()
    }
}

#[async_trait]
impl Sandbox for ScriptedSandbox {
    async fn load(
        &self,
        _: &ApiConnection,
        charm: CharmFiles<'_>,
    ) -> Result<Arc<dyn RunnableCharm>, SandboxError> {
        if self.uncompiled.load(Ordering::SeqCst) {
            return Err(SandboxError::NotCompiled);
        }
        let charm = charm.info.url.to_string();
        let unfit = self.unfit.lock().unwrap_or_else(PoisonError::into_inner);
        if unfit.as_ref() == Some(&charm) {
            return Err(SandboxError::Charm("it does not fit".to_owned()));
        }
        Ok(Arc::new(Scripted {
            sandbox: self.clone(),
            charm,
        }))
    }

    async fn component(
        &self,
        _: &ApiConnection,
        charm: CharmFiles<'_>,
        name: &str,
    ) -> Result<Component, SandboxError> {
        if self.lost.load(Ordering::SeqCst) {
            return Err(SandboxError::NotCompiled);
        }
        Ok(Component {
            file: charm.directory.join(name),
            digest: String::new(),
            engine_hash: String::new(),
        })
    }
}

struct Scripted {
    sandbox: ScriptedSandbox,
    charm: String,
}

impl RunnableCharm for Scripted {
    fn run(&self, call: HookCall, context: Box<dyn HookContext>) -> HookOutcome {
        let (result, effects) = match self.play(call, context) {
            Ok(effects) => (Ok(()), effects),
            Err(failure) => (Err(failure), Effects::default()),
        };
        let usage = Usage {
            memory_bytes: 1 << 20,
            ..Usage::default()
        };
        HookOutcome {
            result,
            effects,
            usage,
        }
    }
}

impl Scripted {
    fn play(
        &self,
        call: HookCall,
        mut context: Box<dyn HookContext>,
    ) -> Result<Effects, HookFailure> {
        for shared in &call.directories.shared {
            call.directories.unit.share(&shared.path)?;
        }
        let seen = Seen {
            unit: context.unit_name(),
            hook: call.event.hook,
            attributes: call.event.attributes.into_iter().collect(),
            charm: self.charm.clone(),
            config: context
                .config()
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
            environment: call.environment,
            files: Arc::new(Files {
                unit: call.directories.unit,
                stage: OnceLock::new(),
            }),
            shared: call.directories.shared,
            storage: call.directories.storage,
        };
        self.sandbox
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(seen.clone());
        let script = self
            .sandbox
            .script
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        script(&seen, &mut *context)
    }
}

/// A hook's own error.
pub fn failure(text: &str) -> HookFailure {
    HookFailure::Charm(text.to_owned())
}

/// A charm archive that no engine could run; `salt` makes archives differ.
pub fn archive(name: &str, salt: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let metadata = format!(
        "name: {name}\nsummary: a charm\ndescription: {salt}\n\
         requires: {{db: sql}}\npeers: {{cluster: gossip}}\n\
         resources: {{theme: {{type: file, filename: theme.css}}}}\n"
    );
    let files: [(&str, &[u8]); 4] = [
        ("metadata.yaml", metadata.as_bytes()),
        (
            "config.yaml",
            b"options:\n  title:\n    type: string\n    default: none\n",
        ),
        ("metrics.yaml", b"metrics:\n  pings: {type: gauge}\n"),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
    ];
    for (path, content) in files {
        if zip.start_file(path, options).is_err() || zip.write_all(content).is_err() {
            return Vec::new();
        }
    }
    zip.finish().map(Cursor::into_inner).unwrap_or_default()
}

/// What a controller knows of such an archive.
pub fn charm_info(bytes: &[u8], url: &CharmUrl, hooks: &[&str]) -> Option<CharmInfo> {
    let hooks = hooks.iter().map(|hook| (*hook).to_owned()).collect();
    Some(Archive::read(bytes).ok()?.info(url.clone(), hooks))
}
