//! Which lines are logged: levels by module, written as `<root>=INFO;unit=DEBUG`.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Severity; a level includes those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
}

impl Level {
    /// Reads the words of Juju's configuration, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_uppercase().as_str() {
            "TRACE" => Level::Trace,
            "DEBUG" => Level::Debug,
            "INFO" => Level::Info,
            "WARNING" | "WARN" => Level::Warning,
            "ERROR" | "CRITICAL" => Level::Error,
            _ => return None,
        })
    }
}

/// Levels by module. A module without a level has that of the module above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    root: Level,
    modules: BTreeMap<String, Level>,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            root: Level::Info,
            modules: BTreeMap::new(),
        }
    }
}

impl Levels {
    /// Reads a configuration. What cannot be read is left out, because a slip in one module
    /// must not silence the others.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut levels = Self::default();
        for part in text.split([';', ',', ' ']).filter(|part| !part.is_empty()) {
            let Some((module, level)) = part.split_once('=') else {
                continue;
            };
            match (module.trim(), Level::parse(level.trim())) {
                ("<root>", Some(level)) => levels.root = level,
                (module, Some(level)) if !module.is_empty() => {
                    levels.modules.insert(module.to_owned(), level);
                }
                _ => {}
            }
        }
        levels
    }

    /// Whether a line of `level` from `module` is logged.
    #[must_use]
    pub fn wants(&self, module: &str, level: Level) -> bool {
        level >= self.of(module)
    }

    fn of(&self, module: &str) -> Level {
        let mut name = module;
        loop {
            if let Some(level) = self.modules.get(name) {
                return *level;
            }
            match name.rsplit_once('.') {
                Some((above, _)) => name = above,
                None => return self.root,
            }
        }
    }
}

/// Levels that can be replaced while they are used.
#[derive(Clone, Debug, Default)]
pub struct SharedLevels {
    levels: Arc<RwLock<Levels>>,
}

impl SharedLevels {
    pub fn replace(&self, levels: Levels) {
        *self.levels.write().unwrap_or_else(PoisonError::into_inner) = levels;
    }

    #[must_use]
    pub fn wants(&self, module: &str, level: Level) -> bool {
        self.levels
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .wants(module, level)
    }
}
