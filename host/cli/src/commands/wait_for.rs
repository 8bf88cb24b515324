//! `wait-for`: one request, which the controller answers when the query holds. It is made anew when
//! the controller restarts meanwhile, and when somebody waits for longer than one request may.

use std::time::Duration;

use periapt_client::rest::RestError;
use periapt_model::Refusal;
use periapt_model::query::{Query, QueryError};
use periapt_wire::Problem;
use periapt_wire::rest::WaitQuery;
use tokio::time::Instant;

use super::Context;
use crate::arguments::{ModelChoice, WaitFor, WaitForKind};
use crate::failure::{Failure, Outcome};
use crate::live;
use crate::session::{ModelSession, split};

/// The longest that one request may wait.
const LONGEST: Duration = Duration::from_secs(600);
/// How much later than it should an answer may come, before the connection counts as lost.
const LATE: Duration = Duration::from_secs(30);

pub async fn wait_for(context: &Context, arguments: WaitFor) -> Outcome {
    let text = arguments
        .query
        .as_deref()
        .unwrap_or_else(|| arguments.kind().default_query());
    let query = Query::parse(text).map_err(|error| unreadable(text, &error))?;
    let here = ModelSession::open(&context.files, &choice(&arguments)).await?;
    let model = here.model.as_str();
    let until = Instant::now() + arguments.timeout;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match ask(&here, &arguments, left.min(LONGEST)).await {
            Ok(()) => return Ok(()),
            Err(RestError::Problem(problem)) if timed_out(&problem) => {
                if Instant::now() >= until {
                    return Err(in_vain(problem, &arguments, model));
                }
            }
            // A model that is gone has nothing left that could be there.
            Err(error) if query.asks_for_death() && error.status() == Some(404) => return Ok(()),
            Err(error) if live::is_lasting(&error) || Instant::now() >= until => {
                return Err(error.into());
            }
            Err(_) => tokio::time::sleep(live::PAUSE).await,
        }
    }
}

async fn ask(here: &ModelSession, of: &WaitFor, limit: Duration) -> Result<(), RestError> {
    let seconds = limit.as_millis().div_ceil(1000).max(1);
    let wanted = WaitQuery {
        kind: of.kind().as_str().to_owned(),
        name: match of.kind {
            WaitForKind::Model => here.model.clone(),
            _ => of.name.clone(),
        },
        query: of.query.clone().unwrap_or_default(),
        timeout: u64::try_from(seconds).ok(),
    };
    let answer = here.client().wait(&here.model, &wanted);
    match tokio::time::timeout(limit + LATE, answer).await {
        Ok(answer) => answer.map(|_| ()),
        Err(_) => Err(RestError::Interrupted("no answer came".to_owned())),
    }
}

fn timed_out(problem: &Problem) -> bool {
    problem.code == Refusal::WaitTimedOut.code()
}

/// What the controller saw last, with what can be done about it here.
fn in_vain(mut problem: Problem, arguments: &WaitFor, model: &str) -> Failure {
    problem.advice = format!("periapt status -m {model}, or a longer --timeout");
    if arguments.timeout > LONGEST {
        let all = arguments.timeout.as_secs();
        problem.detail = format!("{}, after {all} s in all", problem.detail);
    }
    RestError::Problem(problem).into()
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

fn unreadable(text: &str, error: &QueryError) -> Failure {
    Failure::usage(format!("invalid query: {text}"))
        .why(error.to_string())
        .advice("periapt wait-for --help shows queries and names")
}
