//! `secret-add`, `-get`, `-set`, `-grant`, `-revoke`, `-info-get`, `-ids`, `-remove`: values that only those
//! read who were granted them.

use periapt_contract::CallError;
pub use periapt_contract::SecretAnswers;
use periapt_contract::secret::{Content, Described, Mode, OwnedSecret, Owner, RotatePolicy};

use super::Permission::{Everybody, LeaderForApplication};
use super::Tool;
use super::When::{AtCommit, Read};
use crate::world::periapt::charm::secret as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new(
        "secret-add",
        "secret",
        "add",
        AtCommit,
        LeaderForApplication,
    ),
    Tool::new("secret-get", "secret", "get", AtCommit, Everybody),
    Tool::new(
        "secret-set",
        "secret",
        "set",
        AtCommit,
        LeaderForApplication,
    ),
    Tool::new(
        "secret-grant",
        "secret",
        "grant",
        AtCommit,
        LeaderForApplication,
    ),
    Tool::new(
        "secret-revoke",
        "secret",
        "revoke",
        AtCommit,
        LeaderForApplication,
    ),
    Tool::new("secret-info-get", "secret", "info-get", Read, Everybody),
    Tool::new("secret-ids", "secret", "ids", Read, Everybody),
    Tool::new(
        "secret-remove",
        "secret",
        "remove",
        AtCommit,
        LeaderForApplication,
    ),
];

const MICROSECONDS: i64 = 1_000_000;

impl wit::Host for HookState {
    fn add(
        &mut self,
        owner: wit::Owner,
        content: Vec<(String, String)>,
        described: wit::Described,
    ) -> Answer<String> {
        let owner = match owner {
            wit::Owner::Application => Owner::Application,
            wit::Owner::Unit => Owner::Unit,
        };
        self.transaction(|txn, context| {
            let content = Content::new(content)?;
            let added = txn.secret_add(context, owner, content, described.try_into()?)?;
            Ok(added.uri())
        })
    }

    fn get(
        &mut self,
        secret: Option<String>,
        label: Option<String>,
        mode: wit::Mode,
    ) -> Answer<Vec<(String, String)>> {
        let mode = match mode {
            wit::Mode::Kept => Mode::Kept,
            wit::Mode::Refresh => Mode::Refresh,
            wit::Mode::Peek => Mode::Peek,
        };
        self.transaction(|txn, context| {
            let content = txn.secret_get(context, secret.as_deref(), label.as_deref(), mode)?;
            Ok(content.into_values().into_iter().collect())
        })
    }

    fn set(
        &mut self,
        secret: String,
        content: Option<Vec<(String, String)>>,
        described: wit::Described,
    ) -> Answer<()> {
        self.transaction(|txn, context| {
            let content = content.map(Content::new).transpose()?;
            txn.secret_set(context, &secret, content, described.try_into()?)
        })
    }

    fn grant(&mut self, secret: String, relation: String, unit: Option<String>) -> Answer<()> {
        self.transaction(|txn, context| {
            txn.secret_grant(context, &secret, &relation, unit.as_deref())
        })
    }

    fn revoke(
        &mut self,
        secret: String,
        relation: Option<String>,
        to: Option<String>,
    ) -> Answer<()> {
        self.transaction(|txn, context| {
            txn.secret_revoke(context, &secret, relation.as_deref(), to.as_deref())
        })
    }

    fn info_get(&mut self, secret: Option<String>, label: Option<String>) -> Answer<wit::Info> {
        self.transaction(|txn, context| {
            let info = txn.secret_info(context, secret.as_deref(), label.as_deref())?;
            Ok(info.into())
        })
    }

    fn ids(&mut self) -> Answer<Vec<String>> {
        self.transaction(|txn, context| {
            let ids = txn.secret_ids(context)?.into_iter();
            Ok(ids.map(|id| id.uri()).collect())
        })
    }

    fn remove(&mut self, secret: String, revision: Option<u32>) -> Answer<()> {
        self.transaction(|txn, context| txn.secret_remove(context, &secret, revision))
    }
}

impl TryFrom<wit::Described> for Described {
    type Error = CallError;

    fn try_from(described: wit::Described) -> Result<Self, CallError> {
        Ok(Self {
            label: described.label,
            description: described.description,
            rotate: described.rotate.map(|policy| match policy {
                wit::RotatePolicy::Never => RotatePolicy::Never,
                wit::RotatePolicy::Hourly => RotatePolicy::Hourly,
                wit::RotatePolicy::Daily => RotatePolicy::Daily,
                wit::RotatePolicy::Weekly => RotatePolicy::Weekly,
                wit::RotatePolicy::Monthly => RotatePolicy::Monthly,
                wit::RotatePolicy::Quarterly => RotatePolicy::Quarterly,
                wit::RotatePolicy::Yearly => RotatePolicy::Yearly,
            }),
            expires: described.expires.map(Described::expires_at).transpose()?,
        })
    }
}

impl From<OwnedSecret> for wit::Info {
    fn from(secret: OwnedSecret) -> Self {
        let grants = secret.grants.into_iter();
        Self {
            id: secret.id.uri(),
            owner: match secret.owner {
                Owner::Application => wit::Owner::Application,
                Owner::Unit => wit::Owner::Unit,
            },
            label: secret.label,
            description: secret.description,
            rotate: match secret.rotate {
                RotatePolicy::Never => wit::RotatePolicy::Never,
                RotatePolicy::Hourly => wit::RotatePolicy::Hourly,
                RotatePolicy::Daily => wit::RotatePolicy::Daily,
                RotatePolicy::Weekly => wit::RotatePolicy::Weekly,
                RotatePolicy::Monthly => wit::RotatePolicy::Monthly,
                RotatePolicy::Quarterly => wit::RotatePolicy::Quarterly,
                RotatePolicy::Yearly => wit::RotatePolicy::Yearly,
            },
            next_rotate: secret.next_rotate.map(|time| time / MICROSECONDS),
            expires: secret.expires.map(|time| time / MICROSECONDS),
            revisions: secret.revisions,
            grants: grants
                .map(|grant| wit::Reader {
                    relation: grant.relation.to_string(),
                    to: grant.to,
                })
                .collect(),
        }
    }
}
