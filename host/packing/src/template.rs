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
    Minimal,
    /// Hooks, and a second component that answers requests with what they write.
    Web,
    /// One end of a relation, with credentials in a secret.
    DatabaseClient,
    /// Units that live beside those of another application.
    Subordinate,
    /// Units that agree, with a leader.
    Peers,
}

/// File in the project, and its template. The templates carry another ending so that cargo and
/// editors do not take them for files of this project.
pub(crate) type Files = &'static [(&'static str, &'static str)];

const IGNORED: (&str, &str) = (
    ".gitignore",
    include_str!("../templates/common/gitignore.template"),
);

const MANIFEST: (&str, &str) = (
    "Cargo.toml",
    include_str!("../templates/common/Cargo.toml.template"),
);

/// The files of a template with one crate, which differ in what they say.
macro_rules! one_crate {
    ($folder:literal) => {
        &[
            IGNORED,
            MANIFEST,
            (
                "README.md",
                include_str!(concat!("../templates/", $folder, "/README.md.template")),
            ),
            (
                "charmcraft.yaml",
                include_str!(concat!(
                    "../templates/",
                    $folder,
                    "/charmcraft.yaml.template"
                )),
            ),
            (
                "src/lib.rs",
                include_str!(concat!("../templates/", $folder, "/lib.rs.template")),
            ),
            (
                "src/tests.rs",
                include_str!(concat!("../templates/", $folder, "/tests.rs.template")),
            ),
        ]
    };
}

const MINIMAL: Files = one_crate!("minimal");
const DATABASE_CLIENT: Files = one_crate!("database-client");
const SUBORDINATE: Files = one_crate!("subordinate");
const PEERS: Files = one_crate!("peers");

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
    /// All of them, the one for a first charm first.
    pub const ALL: [Self; 5] = [
        Self::Minimal,
        Self::Web,
        Self::DatabaseClient,
        Self::Subordinate,
        Self::Peers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Web => "web",
            Self::DatabaseClient => "database-client",
            Self::Subordinate => "subordinate",
            Self::Peers => "peers",
        }
    }

    pub(crate) fn files(self) -> Files {
        match self {
            Self::Minimal => MINIMAL,
            Self::Web => WEB,
            Self::DatabaseClient => DATABASE_CLIENT,
            Self::Subordinate => SUBORDINATE,
            Self::Peers => PEERS,
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
