//! The peer of a hook: the same no-op charm written with `ops`, dispatched by CPython with hook
//! tools that answer at once, the way Juju's agent starts it. A real unit is slower, since its
//! hook tools ask the agent.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::figures::Figures;

const CHARM: &str = r#"import ops


class NoopCharm(ops.CharmBase):
    def __init__(self, framework):
        super().__init__(framework)
        framework.observe(self.on.config_changed, self._on_config_changed)

    def _on_config_changed(self, event):
        pass


if __name__ == "__main__":
    ops.main(NoopCharm)
"#;

/// Hook tools that `ops` calls around a hook, with the shortest true answer of each.
const TOOLS: &[(&str, &str)] = &[
    ("config-get", "echo '{}'"),
    ("is-leader", "echo true"),
    ("juju-log", ":"),
    ("state-get", "echo '{}'"),
    ("state-set", "cat >/dev/null"),
    ("state-delete", ":"),
    (
        "status-get",
        "echo '{\"status\":\"active\",\"message\":\"\"}'",
    ),
    ("status-set", ":"),
    ("relation-ids", "echo '[]'"),
    ("opened-ports", "echo '[]'"),
];

pub struct OpsCharm {
    directory: TempDir,
    python: PathBuf,
}

impl OpsCharm {
    pub fn write() -> Result<Self> {
        let python = std::env::var_os("PERIAPT_BENCH_PYTHON")
            .context("PERIAPT_BENCH_PYTHON names a Python that has ops")?;
        let directory = tempfile::tempdir()?;
        let charm = directory.path();
        let tools = charm.join("tools");
        std::fs::create_dir_all(&tools)?;
        std::fs::create_dir_all(charm.join("src"))?;
        std::fs::write(charm.join("src/charm.py"), CHARM)?;
        std::fs::write(
            charm.join("metadata.yaml"),
            "name: noop\nsummary: s\ndescription: d\n",
        )?;
        std::fs::write(charm.join("config.yaml"), "options: {}\n")?;
        for (name, answer) in TOOLS {
            let path = tools.join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{answer}\n"))?;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        }
        Ok(Self {
            directory,
            python: python.into(),
        })
    }

    /// So many dispatches, after one that fills caches.
    pub fn dispatches(&self, times: usize) -> Result<Figures> {
        self.dispatch()?;
        let took = (0..times).map(|_| self.dispatch()).collect::<Result<_>>()?;
        Ok(Figures::new(took))
    }

    /// One dispatch of config-changed, from start of the process to its end.
    fn dispatch(&self) -> Result<Duration> {
        let started = Instant::now();
        let status = Command::new(&self.python)
            .arg("src/charm.py")
            .current_dir(self.directory.path())
            .env_clear()
            .env(
                "PATH",
                format!(
                    "{}:/usr/bin:/bin",
                    self.directory.path().join("tools").display()
                ),
            )
            .env("JUJU_CHARM_DIR", self.directory.path())
            .env("JUJU_DISPATCH_PATH", "hooks/config-changed")
            .env("JUJU_HOOK_NAME", "config-changed")
            .env("JUJU_MODEL_NAME", "bench")
            .env("JUJU_MODEL_UUID", "00000000-0000-4000-8000-000000000000")
            .env("JUJU_UNIT_NAME", "noop/0")
            .env("JUJU_VERSION", "3.6.14")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        ensure!(status.success(), "the ops charm ended with {status}");
        Ok(started.elapsed())
    }
}
