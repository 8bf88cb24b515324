//! Which lines a query of the log wants: by level, by module, and by the entities that it names as people
//! name them.
//!
//! A name that neither the model nor its log knows is refused: an empty answer would look like a
//! quiet unit.

use std::collections::BTreeSet;

use periapt_model::nearest::suggestion;
use periapt_model::{ApplicationName, MachineId, ModelUuid, Tag, UnitName};
use periapt_wire::rest::LogQuery;

use super::level;
use crate::Result;
use crate::db::{Session, columns, optional_word, params, word};
use crate::error::StoreError;
use crate::full_status::matches;
use crate::timeline::moment;

pub(super) struct Filter {
    pub(super) level: u64,
    /// Within which lines were written, microseconds.
    from: i64,
    to: i64,
    include: Option<Patterns>,
    exclude: Option<Patterns>,
    include_modules: Vec<String>,
    exclude_modules: Vec<String>,
}

#[derive(Default)]
struct Patterns {
    /// Tags, in which `*` stands for any text.
    tags: Vec<String>,
    /// All units of these.
    applications: BTreeSet<ApplicationName>,
}

impl Filter {
    /// Reads a query. A machine stands for the units on it as well: on one host they share an
    /// agent, whose lines carry the units' tags. Names are checked when a query begins; a reader
    /// that goes on is not refused because an entity went.
    pub(super) async fn load(
        db: &mut Session,
        model: &ModelUuid,
        query: &LogQuery,
        begins: bool,
    ) -> Result<Self> {
        let mut names = Names {
            db,
            model,
            begins,
            known: None,
        };
        Ok(Self {
            level: match &query.level {
                Some(text) => level(text)? as u64,
                None => 0,
            },
            from: moment("from", query.from.as_deref())?.unwrap_or(i64::MIN),
            to: moment("to", query.to.as_deref())?.unwrap_or(i64::MAX),
            include: names.patterns(query.include.as_deref()).await?,
            exclude: names.patterns(query.exclude.as_deref()).await?,
            include_modules: parts(query.include_module.as_deref()),
            exclude_modules: parts(query.exclude_module.as_deref()),
        })
    }

    pub(super) fn accepts(&self, time: i64, entity: &str, module: &str) -> bool {
        if !(self.from..=self.to).contains(&time) {
            return false;
        }
        let included = self.include.as_ref().is_none_or(|it| it.match_(entity));
        let excluded = self.exclude.as_ref().is_some_and(|it| it.match_(entity));
        let within = |modules: &[String]| modules.iter().any(|above| is_within(module, above));
        included
            && !excluded
            && (self.include_modules.is_empty() || within(&self.include_modules))
            && !within(&self.exclude_modules)
    }
}

/// Whether a module is another one, or below it.
fn is_within(module: &str, above: &str) -> bool {
    let rest = module.strip_prefix(above);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What stands between commas.
fn parts(text: Option<&str>) -> Vec<String> {
    let parts = text.unwrap_or_default().split(',').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

impl Patterns {
    fn match_(&self, entity: &str) -> bool {
        let of_application = || match entity.parse() {
            Ok(Tag::Unit(unit)) => self.applications.contains(&unit.application()),
            _ => false,
        };
        self.tags.iter().any(|pattern| matches(pattern, entity)) || of_application()
    }
}

/// What the model calls by name, read when first asked for.
struct Names<'a> {
    db: &'a mut Session,
    model: &'a ModelUuid,
    begins: bool,
    known: Option<Known>,
}

#[derive(Default)]
struct Known {
    applications: BTreeSet<String>,
    units: Vec<(UnitName, Option<MachineId>)>,
    machines: BTreeSet<String>,
    /// Entities that wrote lines, also those that are gone.
    writers: BTreeSet<String>,
}

impl Names<'_> {
    /// Nothing for an empty list, which asks for nothing.
    async fn patterns(&mut self, text: Option<&str>) -> Result<Option<Patterns>> {
        let parts = parts(text);
        let mut patterns = Patterns::default();
        for part in &parts {
            self.add(part, &mut patterns).await?;
        }
        Ok((!parts.is_empty()).then_some(patterns))
    }

    async fn add(&mut self, part: &str, patterns: &mut Patterns) -> Result<()> {
        if part.contains('*') {
            patterns.tags.push(part.to_owned());
            if let Some((application, "*")) = part.rsplit_once('/') {
                patterns.tags.push(format!("unit-{application}-*"));
            }
            return Ok(());
        }
        let begins = self.begins;
        let known = self.known().await?;
        let mut found = !begins || known.writers.contains(part);
        patterns.tags.push(part.to_owned());
        let tag: Option<Tag> = part.parse().ok();
        let machine = match &tag {
            Some(Tag::Machine(machine)) => Some(machine.clone()),
            _ => part.parse::<MachineId>().ok(),
        };
        if let Some(machine) = machine {
            let tag = Tag::Machine(machine.clone()).to_string();
            found |= known.machines.contains(machine.as_str()) || known.writers.contains(&tag);
            patterns.tags.push(tag);
            let there = known
                .units
                .iter()
                .filter(|(_, at)| at.as_ref() == Some(&machine));
            patterns
                .tags
                .extend(there.map(|(unit, _)| Tag::Unit(unit.clone()).to_string()));
        }
        let unit = match &tag {
            Some(Tag::Unit(unit)) => Some(unit.clone()),
            _ => part.parse::<UnitName>().ok(),
        };
        if let Some(unit) = unit {
            let tag = Tag::Unit(unit.clone()).to_string();
            found |= known.units.iter().any(|(name, _)| *name == unit);
            found |= known.writers.contains(&tag);
            patterns.tags.push(tag);
        }
        let application = match &tag {
            Some(Tag::Application(application)) => Some(application.clone()),
            _ => part.parse::<ApplicationName>().ok(),
        };
        if let Some(application) = application {
            let wrote = |tag: &String| match tag.parse() {
                Ok(Tag::Unit(unit)) => unit.application() == application,
                _ => false,
            };
            found |= known.applications.contains(application.as_str());
            found |= known.writers.iter().any(wrote);
            patterns.applications.insert(application);
        }
        // The model itself and its agents are there without a line.
        if found || matches!(tag, Some(Tag::Model(_) | Tag::Agent(..))) {
            return Ok(());
        }
        let names = || {
            let units = known.units.iter().map(|(unit, _)| unit.as_str());
            units.chain(known.applications.iter().map(String::as_str))
        };
        Err(StoreError::bad_request(format!(
            "neither the model nor its log has an entity \"{part}\"{}",
            suggestion(part, names())
        )))
    }

    async fn known(&mut self) -> Result<&Known> {
        if self.known.is_none() {
            self.known = Some(self.read().await?);
        }
        Ok(self.known.get_or_insert_default())
    }

    async fn read(&mut self) -> Result<Known> {
        let (db, model) = (&mut *self.db, self.model);
        let mut known = Known::default();
        if !self.begins {
            known.units = units(db, model).await?;
            return Ok(known);
        }
        let sql = "SELECT name FROM application WHERE model_uuid = $1";
        known
            .applications
            .extend(db.scalars::<String>(sql, params![model]).await?);
        known.units = units(db, model).await?;
        let sql = "SELECT id FROM machine WHERE model_uuid = $1";
        known
            .machines
            .extend(db.scalars::<String>(sql, params![model]).await?);
        let sql = "SELECT DISTINCT entity FROM log WHERE model_uuid = $1";
        known
            .writers
            .extend(db.scalars::<String>(sql, params![model]).await?);
        Ok(known)
    }
}

columns! {
    struct UnitRow {
        unit: UnitName = "unit.name" as word,
        machine: Option<MachineId> =
            "COALESCE(unit.machine_id, principal.machine_id)" as optional_word,
    }
    const UNITS = "FROM unit
        LEFT JOIN unit AS principal ON principal.model_uuid = unit.model_uuid
            AND principal.name = unit.principal
        WHERE unit.model_uuid = $1";
}

/// Each unit with the machine that it, or its principal, is on.
async fn units(db: &mut Session, model: &ModelUuid) -> Result<Vec<(UnitName, Option<MachineId>)>> {
    let units = db.all(UNITS, params![model]).await?;
    Ok(units
        .into_iter()
        .map(|row| (row.unit, row.machine))
        .collect())
}
