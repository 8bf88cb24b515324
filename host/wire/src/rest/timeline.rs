//! What changed in a model, in one list: changes that people made, what settings and charms were before,
//! hooks that ran, statuses.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET …/timeline` | [`TimelineQuery`] | `Page<TimelineEntry>`, newest first |

use serde::{Deserialize, Serialize};

/// Where an entry of a timeline comes from.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TimelineKind {
    /// A change that somebody made or tried to make; for those who may read the audit log.
    Audit,
    /// A setting of an application or of the model that is another.
    Config,
    /// An application that has another revision of its charm.
    Revision,
    /// A hook that ran.
    Hook,
    /// A status of an application, a unit or a machine.
    Status,
}

impl TimelineKind {
    pub const ALL: [TimelineKind; 5] = [
        TimelineKind::Audit,
        TimelineKind::Config,
        TimelineKind::Revision,
        TimelineKind::Hook,
        TimelineKind::Status,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            TimelineKind::Audit => "audit",
            TimelineKind::Config => "config",
            TimelineKind::Revision => "revision",
            TimelineKind::Hook => "hook",
            TimelineKind::Status => "status",
        }
    }
}

impl std::str::FromStr for TimelineKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let all = Self::ALL.map(TimelineKind::as_str);
            let meant = periapt_model::nearest::suggestion(text, all);
            format!(
                "\"{text}\" is no kind of entry; there are: {}{meant}",
                all.join(", ")
            )
        })
    }
}

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TimelineEntry {
    pub id: String,
    /// RFC 3339, UTC.
    #[schema(format = DateTime)]
    pub time: String,
    pub kind: TimelineKind,
    /// Who made the change, `admin`; empty for what nobody in particular did.
    pub who: String,
    /// `integrated`, `tried to remove` (which was refused), `changed`, `ran`, `became`.
    pub verb: String,
    /// `front with site`, `title of front`, `start of front/0`.
    pub object: String,
    /// `ok`, `refused` or `failed`.
    pub result: String,
    /// Why it failed, what a hook changed, what a status says.
    pub message: String,
    /// What a setting, a charm or a status was before; `(hidden)` for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub becomes: Option<String>,
    /// The applications, units and machines that it is about; none for the whole model.
    pub about: Vec<String>,
    /// The run of the hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
}

/// All filters must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct TimelineQuery {
    /// RFC 3339: nothing that happened before.
    #[param(format = DateTime)]
    #[schema(format = DateTime)]
    pub from: Option<String>,
    /// RFC 3339: nothing that happened after.
    #[param(format = DateTime)]
    #[schema(format = DateTime)]
    pub to: Option<String>,
    /// `audit`, `config`, `revision`, `hook`, `status`, separated by commas; all when left out.
    pub kinds: Option<String>,
    /// Only what is about this application or one of its units.
    pub application: Option<String>,
    /// Entries of a page, 100 when left out, at most 1,000.
    pub limit: Option<u64>,
    pub after: Option<String>,
}
