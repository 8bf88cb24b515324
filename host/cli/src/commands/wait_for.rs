//! `wait-for`: looks at the model, then again at every change, until the query holds.

use periapt_client::rest::RestError;
use periapt_model::query::{Query, QueryError};
use periapt_wire::rest::waiting::glance;

use super::Context;
use crate::arguments::{ModelChoice, WaitFor, WaitForKind};
use crate::failure::{Exit, Failure, Outcome};
use crate::live::Live;
use crate::session::{ModelSession, split};

pub async fn wait_for(context: &Context, arguments: WaitFor) -> Outcome {
    let text = arguments
        .query
        .as_deref()
        .unwrap_or_else(|| arguments.kind().default_query());
    let query = Query::parse(text).map_err(|error| unreadable(text, &error))?;
    let choice = choice(&arguments);
    let here = ModelSession::open(&context.files, &choice).await?;
    let mut last = String::from("nothing was seen of it yet");
    let waiting = watch(&here, &arguments, &query, text, &mut last);
    match tokio::time::timeout(arguments.timeout, waiting).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Failure::new(
            Exit::TimedOut,
            format!("{} did not come to: {text}", describe(&arguments)),
        )
        .why(format!(
            "{} s have passed; {last}",
            arguments.timeout.as_secs()
        ))
        .advice(format!(
            "periapt status -m {}, or a longer --timeout",
            here.model
        ))),
    }
}

/// A model to wait for may be named with its controller, like any other.
fn choice(arguments: &WaitFor) -> ModelChoice {
    if arguments.kind != WaitForKind::Model {
        return arguments.model.clone();
    }
    let controller = arguments
        .model
        .model
        .as_deref()
        .and_then(|text| split(text).0);
    match (arguments.name.contains(':'), controller) {
        (false, Some(controller)) => ModelChoice {
            model: Some(format!("{controller}:{}", arguments.name)),
        },
        _ => ModelChoice {
            model: Some(arguments.name.clone()),
        },
    }
}

async fn watch(
    here: &ModelSession,
    arguments: &WaitFor,
    query: &Query,
    text: &str,
    last: &mut String,
) -> Outcome {
    let (client, model) = (here.client(), here.model.as_str());
    let dead = query.asks_for_death();
    let gone = |error: &RestError| dead && error.status() == Some(404);
    let mut live = match Live::open(client, model).await {
        Err(error) if gone(&error) => return Ok(()),
        opened => opened?,
    };
    loop {
        let status = match client.status(model, &[]).await {
            Err(error) if gone(&error) => return Ok(()),
            status => status?,
        };
        match arguments.kind().find(&arguments.name, &status) {
            Some(entity) => {
                if query
                    .holds(&entity)
                    .map_err(|error| unreadable(text, &error))?
                {
                    return Ok(());
                }
                *last = glance(arguments.kind(), &entity);
            }
            None if dead => return Ok(()),
            None => *last = format!("there is no such {} yet", arguments.kind().as_str()),
        }
        match live.changed().await {
            Err(error) if gone(&error) => return Ok(()),
            changed => changed?,
        }
    }
}

fn unreadable(text: &str, error: &QueryError) -> Failure {
    Failure::usage(format!("the query cannot be used: {text}"))
        .why(error.to_string())
        .advice("periapt wait-for --help shows queries and names")
}

fn describe(arguments: &WaitFor) -> String {
    format!("{} \"{}\"", arguments.kind().as_str(), arguments.name)
}
