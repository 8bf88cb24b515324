//! The projects that an author may begin with.
//!
//! The files of each are data of this crate; what is filled into them is `init`'s.

use std::str::FromStr;

use periapt_model::nearest;

use crate::PackingError;

/// What a project begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Template {
    /// Hooks, and a file that they write.
    #[default]
    Hooks,
    /// Hooks, and a second component that answers requests with what they write.
    Web,
}

/// File in the project, and its template. The templates carry another ending so that cargo and
/// editors do not take them for files of this project.
pub(crate) type Files = &'static [(&'static str, &'static str)];

const IGNORED: (&str, &str) = (
    ".gitignore",
    include_str!("../templates/rust/gitignore.template"),
);

const HOOKS: Files = &[
    IGNORED,
    (
        "Cargo.toml",
        include_str!("../templates/rust/Cargo.toml.template"),
    ),
    (
        "README.md",
        include_str!("../templates/rust/README.md.template"),
    ),
    (
        "charmcraft.yaml",
        include_str!("../templates/rust/charmcraft.yaml.template"),
    ),
    (
        "src/lib.rs",
        include_str!("../templates/rust/lib.rs.template"),
    ),
    (
        "src/tests.rs",
        include_str!("../templates/rust/tests.rs.template"),
    ),
];

const WEB: Files = &[
    IGNORED,
    (
        "Cargo.toml",
        include_str!("../templates/web/Cargo.toml.template"),
    ),
    (
        "README.md",
        include_str!("../templates/web/README.md.template"),
    ),
    (
        "capabilities.yaml",
        include_str!("../templates/web/capabilities.yaml.template"),
    ),
    (
        "charmcraft.yaml",
        include_str!("../templates/web/charmcraft.yaml.template"),
    ),
    (
        "server/Cargo.toml",
        include_str!("../templates/web/server.Cargo.toml.template"),
    ),
    (
        "server/src/lib.rs",
        include_str!("../templates/web/server.lib.rs.template"),
    ),
    (
        "server/src/tests.rs",
        include_str!("../templates/web/server.tests.rs.template"),
    ),
    (
        "src/lib.rs",
        include_str!("../templates/web/lib.rs.template"),
    ),
    (
        "src/tests.rs",
        include_str!("../templates/web/tests.rs.template"),
    ),
];

impl Template {
    const ALL: [Self; 2] = [Self::Hooks, Self::Web];

    pub fn name(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::Web => "web",
        }
    }

    pub(crate) fn files(self) -> Files {
        match self {
            Self::Hooks => HOOKS,
            Self::Web => WEB,
        }
    }

    /// Tests of the whole project.
    pub(crate) fn test(self) -> &'static str {
        match self {
            Self::Hooks => "cargo test",
            Self::Web => "cargo test --workspace",
        }
    }
}

impl FromStr for Template {
    type Err = PackingError;

    fn from_str(name: &str) -> Result<Self, PackingError> {
        let known = || Self::ALL.map(Self::name);
        Self::ALL
            .into_iter()
            .find(|template| template.name() == name)
            .ok_or_else(|| PackingError::UnknownTemplate {
                name: name.to_owned(),
                meant: nearest::suggestion(name, known()),
                known: known().join(", "),
            })
    }
}
