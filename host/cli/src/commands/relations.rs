//! `integrate`, `remove-relation`, `suspend-relation`, `resume-relation`.

use clap::{Args, Subcommand};
use periapt_model::relation::EndpointName;
use periapt_wire::rest::{ChangeRelation, ListQuery, RelationEndpoint, RelationInfo, Removal};

use super::Context;
use crate::arguments::ModelChoice;
use crate::failure::{Exit, Failure, Outcome};
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Relate two applications.
    #[command(visible_alias = "relate")]
    Integrate(Integrate),
    /// Remove a relation.
    RemoveRelation(RemoveRelation),
    /// Suspend relations: their units leave them until you resume them.
    SuspendRelation(SuspendRelation),
    /// Resume suspended relations.
    ResumeRelation(ResumeRelation),
}

const FITTING: &str = "\
One endpoint provides what the other requires. You can leave out an endpoint if only one fits:
  periapt integrate front site
  periapt integrate front:website site:website";

#[derive(Debug, Args)]
#[command(after_help = FITTING)]
pub struct Integrate {
    /// One endpoint.
    #[arg(value_name = "APPLICATION[:ENDPOINT]")]
    pub first: String,
    /// The other endpoint.
    #[arg(value_name = "APPLICATION[:ENDPOINT]")]
    pub second: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveRelation {
    /// Both endpoints, or the relation's number.
    #[arg(required = true, num_args = 1..=2, value_name = "APPLICATION[:ENDPOINT]|ID")]
    pub words: Vec<String>,
    /// Remove it within a limited time, whether or not its hooks have run.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force")]
    pub no_wait: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct SuspendRelation {
    /// Numbers of the relations, as shown by `show-unit`.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<u64>,
    /// The reason, shown in status.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub message: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ResumeRelation {
    /// Numbers of the relations, as shown by `show-unit`.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<u64>,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Integrate(arguments) => integrate(context, arguments).await,
        Verb::RemoveRelation(arguments) => remove(context, arguments).await,
        Verb::SuspendRelation(arguments) => suspend(context, arguments).await,
        Verb::ResumeRelation(arguments) => resume(context, arguments).await,
    }
}

async fn integrate(context: &Context, arguments: Integrate) -> Outcome {
    let ends: [EndpointName; 2] = [arguments.first.parse()?, arguments.second.parse()?];
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let [first, second] = ends.map(|end| end.to_string());
    let relation = here
        .client()
        .integrate(&here.model, [&first, &second])
        .await?;
    context.output.say(&format!(
        "Created relation {}: {}",
        relation.id, relation.key
    ));
    Ok(())
}

async fn remove(context: &Context, arguments: RemoveRelation) -> Outcome {
    let wanted = Wanted::read(&arguments.words)?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let relation = match &wanted {
        Wanted::Id(id) => here.client().relation(&here.model, *id).await?,
        Wanted::Ends(ends) => {
            let query = ListQuery::default();
            let all = here.client().relations(&here.model, &query).await?;
            choose(all, ends)?
        }
    };
    let removal = here
        .client()
        .remove_relation(
            &here.model,
            relation.id,
            arguments.force,
            arguments.no_wait.then_some(0),
        )
        .await?;
    let (id, key) = (relation.id, &relation.key);
    context
        .output
        .say(&format!("will remove relation {id} ({key})"));
    say_what_goes_along(context, &removal);
    Ok(())
}

async fn suspend(context: &Context, arguments: SuspendRelation) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let change = ChangeRelation {
        suspended: true,
        reason: arguments.message,
    };
    change_all(context, &here, &arguments.ids, &change).await
}

async fn resume(context: &Context, arguments: ResumeRelation) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let change = ChangeRelation {
        suspended: false,
        reason: String::new(),
    };
    change_all(context, &here, &arguments.ids, &change).await
}

async fn change_all(
    context: &Context,
    here: &ModelSession,
    ids: &[u64],
    change: &ChangeRelation,
) -> Outcome {
    for id in ids {
        let relation = here
            .client()
            .change_relation(&here.model, *id, change)
            .await?;
        context
            .output
            .say(&format!("{} is {}", relation.key, relation.status.status));
    }
    Ok(())
}

/// Units and machines that a removal takes with it.
pub fn say_what_goes_along(context: &Context, removal: &Removal) {
    for unit in &removal.units {
        context.output.say(&format!("- will remove unit {unit}"));
    }
    for machine in &removal.machines {
        context
            .output
            .say(&format!("- will remove machine {machine}"));
    }
}

/// The relation named by the arguments of `remove-relation`.
#[derive(Debug)]
enum Wanted {
    Id(u64),
    Ends([EndpointName; 2]),
}

impl Wanted {
    fn read(words: &[String]) -> Outcome<Self> {
        match words {
            [first, second] => Ok(Wanted::Ends([first.parse()?, second.parse()?])),
            [id] => id.parse().map(Wanted::Id).map_err(|_| one_end(id)),
            _ => Err(one_end("")),
        }
    }
}

fn one_end(word: &str) -> Failure {
    Failure::usage("one endpoint does not identify a relation")
        .why(format!("\"{word}\" is not the number of a relation"))
        .advice("name both endpoints, or the number that `periapt show-unit` shows")
}

/// The relation between two ends. Several may lie between two applications.
fn choose(all: Vec<RelationInfo>, ends: &[EndpointName; 2]) -> Outcome<RelationInfo> {
    let fits = |end: &EndpointName, of: &RelationEndpoint| {
        end.application == of.application
            && end.endpoint.as_ref().is_none_or(|name| *name == of.name)
    };
    let [first, second] = ends;
    let between = |relation: &RelationInfo| match relation.endpoints.as_slice() {
        [one, other] => {
            (fits(first, one) && fits(second, other)) || (fits(first, other) && fits(second, one))
        }
        _ => false,
    };
    let mut found: Vec<RelationInfo> = all.into_iter().filter(between).collect();
    match (found.pop(), found.as_slice()) {
        (Some(relation), []) => Ok(relation),
        (None, _) => Err(Failure::new(
            Exit::NotFound,
            format!("there is no relation between {first} and {second}"),
        )
        .why("no relation in the model has these endpoints")
        .advice("periapt status --relations")),
        (Some(relation), others) => {
            let mut keys = vec![relation.key.as_str()];
            keys.extend(others.iter().map(|relation| relation.key.as_str()));
            keys.sort_unstable();
            Err(Failure::usage(format!(
                "there are several relations between {first} and {second}"
            ))
            .why(keys.join(", "))
            .advice(format!("periapt remove-relation {}", keys[0])))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn relation(id: u64, ends: [(&str, &str, &str); 2]) -> RelationInfo {
        let key = ends.map(|(application, name, _)| format!("{application}:{name}"));
        let ends = ends.map(|(application, name, role)| {
            json!({ "application": application, "name": name, "role": role })
        });
        serde_json::from_value(json!({
            "id": id, "key": key.join(" "), "interface": "http", "scope": "global", "endpoints": ends,
            "life": "alive", "status": { "status": "joined" }, "created-at": 0,
        }))
        .unwrap()
    }

    fn chosen(words: &str) -> Outcome<u64> {
        let ends = [
            ("front", "website", "requirer"),
            ("site", "website", "provider"),
        ];
        let backup = [
            ("front", "backup", "requirer"),
            ("site", "website", "provider"),
        ];
        let other = [("site", "db", "requirer"), ("base", "db", "provider")];
        let all = vec![relation(1, ends), relation(2, backup), relation(3, other)];
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        match Wanted::read(&words)? {
            Wanted::Id(id) => Ok(id),
            Wanted::Ends(ends) => choose(all, &ends).map(|relation| relation.id),
        }
    }

    #[test]
    fn a_relation_is_named_by_its_ends_in_any_order_or_its_number() {
        assert_eq!(chosen("front:website site:website"), Ok(1));
        assert_eq!(chosen("site front:backup"), Ok(2));
        assert_eq!(chosen("base site"), Ok(3));
        assert_eq!(chosen("7"), Ok(7));
    }

    #[test]
    fn what_names_none_or_several_is_refused_with_what_there_is() {
        let failure = chosen("front site").unwrap_err();
        assert_eq!(failure.exit, Exit::Usage);
        assert_eq!(
            failure.to_string(),
            "ERROR there are several relations between front and site\n  \
             why: front:backup site:website, front:website site:website\n  \
             try: periapt remove-relation front:backup site:website"
        );
        assert_eq!(chosen("front base").unwrap_err().exit, Exit::NotFound);
        assert_eq!(chosen("front").unwrap_err().exit, Exit::Usage);
        assert_eq!(chosen("front: site").unwrap_err().exit, Exit::Usage);
    }
}
