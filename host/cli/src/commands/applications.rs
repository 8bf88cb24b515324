//! `remove-application`.

use periapt_model::ApplicationName;

use super::Context;
use crate::arguments::RemoveApplication;
use crate::failure::Outcome;
use crate::session::ModelSession;

pub async fn remove(context: &Context, arguments: RemoveApplication) -> Outcome {
    let names: Vec<ApplicationName> = arguments
        .applications
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for name in &names {
        let application = here.client().application(&here.model, name).await?;
        context
            .output
            .say(&format!("will remove application {name}"));
        for unit in &application.units {
            context.output.say(&format!("- will remove unit {unit}"));
        }
    }
    let removal = &arguments.removal;
    context.output.confirm(
        &format!(
            "This removes from model \"{}\" what stands above.",
            here.model
        ),
        removal.no_prompt,
    )?;
    for name in &names {
        here.client()
            .remove_application(&here.model, name, removal.force, removal.timeout_ms())
            .await?;
    }
    Ok(())
}
