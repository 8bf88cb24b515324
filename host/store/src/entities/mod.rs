//! Entities as the API shows them, many at once: what the feed of events is made of.
//!
//! Whoever follows the change log knows which names changed; this module reads those names,
//! whatever their kind and model, in one snapshot and with a few statements for each kind, and
//! answers with the same bodies as `GET` of the entity, but for the settings of a unit's
//! relations, of which there may be many: `settings-version` of a relation tells that there are
//! new ones. It keeps nothing between two calls.

use std::collections::BTreeMap;

use periapt_model::{AgentName, ModelUuid, UserName};
use serde::Serialize;

use crate::db::{Session, columns};
use crate::error::StoreError;
use crate::{Result, Store, alert, charm, views};

mod applications;
mod hooks;
mod machines;
mod operations;
mod relations;
mod secrets;
mod storage;
#[cfg(test)]
mod tests;
mod units;
mod users;

pub use users::Reach;

/// What an event can be about. The order is that of events of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    Alert,
    Application,
    Charm,
    Hook,
    Machine,
    Model,
    Operation,
    Relation,
    Secret,
    Storage,
    Unit,
    User,
}

impl EntityKind {
    pub const ALL: [EntityKind; 12] = [
        EntityKind::Alert,
        EntityKind::Application,
        EntityKind::Charm,
        EntityKind::Hook,
        EntityKind::Machine,
        EntityKind::Model,
        EntityKind::Operation,
        EntityKind::Relation,
        EntityKind::Secret,
        EntityKind::Storage,
        EntityKind::Unit,
        EntityKind::User,
    ];

    /// The word in events.
    pub fn as_str(self) -> &'static str {
        match self {
            EntityKind::Alert => "alert",
            EntityKind::Application => "application",
            EntityKind::Charm => "charm",
            EntityKind::Hook => "hook",
            EntityKind::Machine => "machine",
            EntityKind::Model => "model",
            EntityKind::Operation => "operation",
            EntityKind::Relation => "relation",
            EntityKind::Secret => "secret",
            EntityKind::Storage => "storage",
            EntityKind::Unit => "unit",
            EntityKind::User => "user",
        }
    }
}

impl EntityKind {
    /// Whether it is something that is there, rather than something that happens: the latter is told and
    /// is in no picture of what there is.
    pub fn stays(self) -> bool {
        !matches!(
            self,
            EntityKind::Alert | EntityKind::Hook | EntityKind::Operation
        )
    }
}

/// Why an entity is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Of the last change.
    pub position: i64,
    /// Whether a change was its own; otherwise something changed that shows in it.
    pub own: bool,
}

/// Names of one model, or of the controller where they are users.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WantedOfModel {
    pub names: BTreeMap<EntityKind, BTreeMap<String, Cause>>,
    /// Applications all of whose units are wanted.
    pub units_of: BTreeMap<String, i64>,
    /// Machines all of whose units are wanted.
    pub units_on: BTreeMap<String, i64>,
    /// All units and machines.
    pub agents: Option<i64>,
}

impl WantedOfModel {
    /// Adds a name because of its own change.
    pub fn add(&mut self, kind: EntityKind, name: &str, position: i64) {
        let own = true;
        raise(
            self.names.entry(kind).or_default(),
            name,
            Cause { position, own },
        );
    }

    /// Adds a name because of a change that may show in it.
    pub fn add_shown(&mut self, kind: EntityKind, name: &str, position: i64) {
        let own = false;
        raise(
            self.names.entry(kind).or_default(),
            name,
            Cause { position, own },
        );
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Adds a name, or another cause to it.
fn raise(names: &mut BTreeMap<String, Cause>, name: &str, cause: Cause) {
    let known = names.entry(name.to_owned()).or_insert(cause);
    known.position = known.position.max(cause.position);
    known.own |= cause.own;
}

/// What is wanted, by model; the empty model is the controller.
pub type Wanted = BTreeMap<String, WantedOfModel>;

/// One entity as it is in the snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Empty for what is the controller's.
    pub model: String,
    pub kind: EntityKind,
    pub name: String,
    /// Of the change that made it wanted.
    pub position: i64,
    /// Whether that was its own.
    pub own: bool,
    /// The JSON body; none when there is no such entity any more.
    pub body: Option<Vec<u8>>,
}

/// Everything that is shown, and how far the change log had come.
#[derive(Clone, Debug, Default)]
pub struct Everything {
    pub position: i64,
    pub entities: Vec<Found>,
}

/// Whether an agent of a model is there.
pub type Present<'a> = &'a (dyn Fn(&ModelUuid, &AgentName) -> bool + Send + Sync);

impl Store {
    /// The wanted entities as of one moment, in no particular order.
    pub async fn entities(&self, wanted: Wanted, present: Present<'_>) -> Result<Vec<Found>> {
        let mut reader = Reader::new(self.snapshot().await?);
        for (model, names) in wanted {
            reader.of_model(&model, names, present).await?;
        }
        Ok(reader.found)
    }

    /// Every entity of every model and every user, but no hooks that ran and no operations, as of one moment.
    pub async fn every_entity(&self, present: Present<'_>) -> Result<Everything> {
        let mut db = self.snapshot().await?;
        let position = crate::db::position(&mut db).await?;
        let mut wanted = Wanted::new();
        let models: Vec<String> = db.scalars("SELECT uuid FROM model", vec![]).await?;
        for uuid in models {
            let names = wanted.entry(uuid.clone()).or_default();
            names.add(EntityKind::Model, &uuid, position);
            names.agents = Some(position);
        }
        for (kind, select) in [
            (EntityKind::Application, APPLICATIONS),
            (EntityKind::Charm, CHARMS),
            (EntityKind::Relation, RELATIONS),
            (EntityKind::Secret, SECRETS),
            (EntityKind::Storage, STORAGE),
            (EntityKind::User, USERS),
        ] {
            for row in db.all(select, vec![]).await? {
                let of_model = wanted.entry(row.model).or_default();
                of_model.add(kind, &row.name, position);
            }
        }
        let mut reader = Reader::new(db);
        for (model, names) in wanted {
            reader.of_model(&model, names, present).await?;
        }
        Ok(Everything {
            position,
            entities: reader.found,
        })
    }
}

columns! {
    /// What there is, of every model.
    struct Named {
        model: String = "model_uuid",
        name: String = "name",
    }
    const APPLICATIONS = "FROM application";
    const CHARMS = "FROM (SELECT model_uuid, url AS name FROM charm) AS charm";
    const RELATIONS = "FROM (SELECT model_uuid, CAST(id AS TEXT) AS name FROM relation) AS relation";
    const SECRETS = "FROM (SELECT model_uuid, id AS name FROM secret) AS secret";
    const STORAGE = "FROM (SELECT model_uuid, id AS name FROM storage) AS storage";
    const USERS = "FROM (SELECT '' AS model_uuid, name FROM account) AS account";
}

/// Reads entities within one snapshot.
struct Reader {
    db: Session,
    found: Vec<Found>,
}

impl Reader {
    fn new(db: Session) -> Self {
        Self {
            db,
            found: Vec::new(),
        }
    }

    async fn of_model(
        &mut self,
        model: &str,
        mut wanted: WantedOfModel,
        present: Present<'_>,
    ) -> Result<()> {
        let alerts = wanted.names.remove(&EntityKind::Alert);
        self.alerts(model, alerts.unwrap_or_default()).await?;
        let Ok(uuid) = model.parse::<ModelUuid>() else {
            let names = wanted.names.remove(&EntityKind::User).unwrap_or_default();
            return self.users(names).await;
        };
        units::name(&mut self.db, &uuid, &mut wanted).await?;
        let present = |agent: &AgentName| present(&uuid, agent);
        for (kind, names) in wanted.names {
            let names = Names::new(&uuid, kind, names);
            match kind {
                EntityKind::Application => applications::read(self, names).await?,
                EntityKind::Charm => self.charms(names).await?,
                EntityKind::Hook => hooks::read(self, names).await?,
                EntityKind::Machine => machines::read(self, names, &present).await?,
                EntityKind::Model => self.model(names).await?,
                EntityKind::Operation => operations::read(self, names).await?,
                EntityKind::Relation => relations::read(self, names).await?,
                EntityKind::Secret => secrets::read(self, names).await?,
                EntityKind::Storage => storage::read(self, names).await?,
                EntityKind::Unit => units::read(self, names, &present).await?,
                EntityKind::Alert | EntityKind::User => {}
            }
        }
        Ok(())
    }

    async fn model(&mut self, mut names: Names) -> Result<()> {
        match views::model::summary(&mut self.db, &names.model).await {
            Ok(summary) => names.put(self, summary.uuid.as_str(), &summary)?,
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        names.end(self);
        Ok(())
    }

    async fn charms(&mut self, mut names: Names) -> Result<()> {
        let urls: Vec<String> = names.causes.keys().cloned().collect();
        for url in urls {
            match charm::find(&mut self.db, &names.model, &url).await {
                Ok(info) => names.put(self, &url, &info)?,
                Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        names.end(self);
        Ok(())
    }

    /// Alerts of a model, or of the controller where it is empty.
    async fn alerts(&mut self, model: &str, names: BTreeMap<String, Cause>) -> Result<()> {
        for (name, cause) in names {
            let ids: Vec<i64> = name.parse::<i64>().into_iter().collect();
            let found = alert::by_ids(&mut self.db, &ids).await?.pop();
            self.found.push(Found {
                model: model.to_owned(),
                kind: EntityKind::Alert,
                name,
                position: cause.position,
                own: cause.own,
                body: found.map(|alert| to_bytes(&alert)).transpose()?,
            });
        }
        Ok(())
    }

    async fn users(&mut self, names: BTreeMap<String, Cause>) -> Result<()> {
        for (name, cause) in names {
            let body = match name.parse::<UserName>() {
                Ok(user) => match views::user::find(&mut self.db, &user).await {
                    Ok(user) => Some(user),
                    Err(StoreError::NotFound { .. }) => None,
                    Err(error) => return Err(error),
                },
                Err(_) => None,
            };
            self.found.push(Found {
                model: String::new(),
                kind: EntityKind::User,
                name,
                position: cause.position,
                own: cause.own,
                body: body.map(|user| to_bytes(&user)).transpose()?,
            });
        }
        Ok(())
    }
}

/// The names of one kind that are still looked for.
struct Names {
    model: ModelUuid,
    kind: EntityKind,
    causes: BTreeMap<String, Cause>,
}

impl Names {
    fn new(model: &ModelUuid, kind: EntityKind, causes: BTreeMap<String, Cause>) -> Self {
        Self {
            model: model.clone(),
            kind,
            causes,
        }
    }

    fn wanted(&self) -> Vec<String> {
        self.causes.keys().cloned().collect()
    }

    /// Takes note of an entity that was found.
    fn put(&mut self, reader: &mut Reader, name: &str, entity: &impl Serialize) -> Result<()> {
        if let Some(cause) = self.causes.remove(name) {
            reader.found.push(Found {
                model: self.model.to_string(),
                kind: self.kind,
                name: name.to_owned(),
                position: cause.position,
                own: cause.own,
                body: Some(to_bytes(entity)?),
            });
        }
        Ok(())
    }

    /// What was not found is gone.
    fn end(self, reader: &mut Reader) {
        for (name, cause) in self.causes {
            reader.found.push(Found {
                model: self.model.to_string(),
                kind: self.kind,
                name,
                position: cause.position,
                own: cause.own,
                body: None,
            });
        }
    }
}

fn to_bytes(entity: &impl Serialize) -> Result<Vec<u8>> {
    Ok(crate::db::to_json(entity)?.into_bytes())
}
