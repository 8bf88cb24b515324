//! `login`, `logout`, `whoami`.

use periapt_client::rest::{Authorization, RestClient, RestError};
use periapt_wire::rest::{LoginRequest, OwnModelAccess};
use serde::Serialize;

use super::remember;
use crate::arguments::{ControllerChoice, ListFormat, Login, Logout, Whoami};
use crate::commands::Context;
use crate::failure::{Exit, Failure, Outcome};
use crate::files::{Account, Contents, Controller};
use crate::output::document::Named;
use crate::password;
use crate::session::{Session, no_controller, unknown_controller};

pub async fn login(context: &Context, arguments: Login) -> Outcome {
    let contents = context.files.read()?;
    let choice = match arguments.name {
        Some(name) => ControllerChoice {
            controller: Some(name),
        },
        None => arguments.controller,
    };
    let (name, controller) = chosen(&contents, &choice)?;
    let account = contents.accounts.controllers.get(&name);
    let client = RestClient::new(&controller.api_endpoints, &controller.ca_cert)?;
    let user = match (&arguments.token, &arguments.user, account) {
        (Some(token), _, account) => {
            return with_token(context, &name, client, token, account).await;
        }
        (None, Some(user), Some(account)) if *user != account.user => {
            return Err(already(&name, &account.user));
        }
        (None, Some(user), _) => user.clone(),
        (None, None, Some(account)) => account.user.clone(),
        (None, None, None) => password::name("user: ")?,
    };
    let prompt = format!("please enter password for \"{user}\" on {name}: ");
    let password = password::present(arguments.input, &prompt)?;
    let login = LoginRequest::new(user, password);
    let reply = client.login_as(&login).await?;
    let client = client.with(Authorization::Bearer(reply.token.clone()));
    // A password that was written down before stays so; a new one is not written down.
    let kept = account
        .and_then(|account| account.password.clone())
        .map(|_| login.password);
    welcome(context, &name, &client, reply.token, kept).await
}

async fn with_token(
    context: &Context,
    name: &str,
    client: RestClient,
    token: &str,
    account: Option<&Account>,
) -> Outcome {
    let token = match token {
        "-" => password::line()?,
        token => token.to_owned(),
    };
    let client = client.with(Authorization::Bearer(token.clone()));
    let who = client.whoami().await?;
    match account {
        Some(account) if account.user != who.user => Err(already(name, &account.user)),
        account => {
            let kept = account.and_then(|account| account.password.clone());
            welcome(context, name, &client, token, kept).await
        }
    }
}

async fn welcome(
    context: &Context,
    name: &str,
    client: &RestClient,
    token: String,
    password: Option<String>,
) -> Outcome {
    let user = remember(context, name, client, token, password).await?;
    context.files.change(|contents| {
        contents.controllers.current_controller = Some(name.to_owned());
    })?;
    context.output.say(&format!(
        "Welcome, {user}. You are now logged into \"{name}\"."
    ));
    Ok(())
}

fn already(controller: &str, user: &str) -> Failure {
    Failure::new(
        Exit::Conflict,
        format!("cannot log into controller \"{controller}\""),
    )
    .why(format!("already logged in as \"{user}\""))
    .advice("periapt logout, then log in as a different user")
}

fn chosen(contents: &Contents, choice: &ControllerChoice) -> Outcome<(String, Controller)> {
    let name = choice
        .controller
        .clone()
        .or(contents.controllers.current_controller.clone())
        .ok_or_else(no_controller)?;
    let controller = contents.controllers.controllers.get(&name);
    let controller = controller
        .cloned()
        .ok_or_else(|| unknown_controller(&name))?;
    Ok((name, controller))
}

/// Ends the token at the controller and forgets the account here.
pub async fn logout(context: &Context, arguments: Logout) -> Outcome {
    let contents = context.files.read()?;
    let (name, controller) = chosen(&contents, &arguments.controller)?;
    let Some(account) = contents.accounts.controllers.get(&name) else {
        context.output.say("You are not logged in.");
        return Ok(());
    };
    if account.password.is_some() && !arguments.force {
        return Err(Failure::new(
            Exit::Conflict,
            "logging out would delete the only copy of this password",
        )
        .why("it was created with the controller and is stored only in accounts.yaml")
        .advice(
            "write it down and use --force, or set another with periapt change-user-password",
        ));
    }
    if let Some(token) = &account.token {
        let client = RestClient::new(&controller.api_endpoints, &controller.ca_cert)?;
        let client = client.with(Authorization::Bearer(token.clone()));
        match client.logout().await {
            // It has ended already.
            Err(RestError::Problem(problem)) if problem.status == 401 => {}
            Err(RestError::Unreachable { .. }) if arguments.force => {}
            ended => {
                ended?;
            }
        }
    }
    context.files.change(|contents| {
        contents.accounts.controllers.remove(&name);
    })?;
    context.output.say("Logged out.");
    Ok(())
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    controller: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    user: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    display_name: String,
    access: String,
    #[serde(skip_serializing_if = "Named::is_empty")]
    models: Named<String>,
}

pub async fn whoami(context: &Context, arguments: Whoami) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let who = session.client.whoami().await?;
    let model = context
        .files
        .read()?
        .current_model(&session.name)
        .map(str::to_owned);
    let named = |model: &OwnModelAccess| (model.name.to_string(), model.access.to_string());
    let document = Document {
        controller: session.name,
        model,
        user: who.user,
        display_name: who.display_name,
        access: who.access.to_string(),
        models: who.models.iter().map(named).collect(),
    };
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&document),
        ListFormat::Yaml => output.yaml(&document),
        ListFormat::Tabular => output.data(&format!(
            "Controller:  {}\nModel:       {}\nUser:        {}\nAccess:      {}",
            document.controller,
            document.model.as_deref().unwrap_or("<no-current-model>"),
            document.user,
            document.access,
        )),
    }
}
