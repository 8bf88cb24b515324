//! `remove-application`.

use periapt_model::ApplicationName;
use periapt_wire::rest::ListQuery;

use super::Context;
use super::storage::going;
use crate::arguments::RemoveApplication;
use crate::failure::Outcome;
use crate::session::ModelSession;

pub async fn remove(context: &Context, arguments: RemoveApplication) -> Outcome {
    let names: Vec<ApplicationName> = arguments
        .applications
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let removal = &arguments.removal;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for name in &names {
        let application = here.client().application(&here.model, name).await?;
        context
            .output
            .say(&format!("will remove application {name}"));
        let query = ListQuery::default();
        let all = here.client().units(&here.model, &query).await?;
        for unit in &application.units {
            context.output.say(&format!("- will remove unit {unit}"));
            let contained = all
                .iter()
                .filter(|other| other.principal.as_ref() == Some(unit));
            for subordinate in contained {
                let name = &subordinate.name;
                context.output.say(&format!("- will remove unit {name}"));
                going::tell(context, &here, name.as_str(), removal.destroy_storage).await?;
            }
        }
        going::tell(context, &here, name.as_str(), removal.destroy_storage).await?;
        let query = ListQuery {
            application: Some(name.to_string()),
            ..ListQuery::default()
        };
        for relation in here.client().relations(&here.model, &query).await? {
            let (id, key) = (relation.id, &relation.key);
            context
                .output
                .say(&format!("- will remove relation {id} ({key})"));
        }
    }
    if removal.dry_run {
        return Ok(());
    }
    context.output.confirm(
        &format!("This removes the above from model \"{}\".", here.model),
        removal.no_prompt,
    )?;
    for name in &names {
        here.client()
            .remove_application(&here.model, name, removal.removing())
            .await?;
    }
    Ok(())
}
