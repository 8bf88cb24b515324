//! Which controller and model a command addresses, and the login there.

use periapt_client::rest::{Authorization, RestClient};

use crate::arguments::{ControllerChoice, ModelChoice};
use crate::failure::{Exit, Failure, Outcome};
use crate::files::{Account, ClientFiles, Controller, short_name};
use crate::juju::environment;

/// A controller that knows who asks.
#[derive(Clone, Debug)]
pub struct Session {
    /// Name of the controller, here.
    pub name: String,
    pub user: String,
    pub controller: Controller,
    pub client: RestClient,
}

/// A session and the model it is about.
#[derive(Clone, Debug)]
pub struct ModelSession {
    pub session: Session,
    pub model: String,
}

impl Session {
    /// The chosen controller, else the current one.
    pub async fn open(files: &ClientFiles, choice: &ControllerChoice) -> Outcome<Self> {
        Self::open_named(files, choice.controller.as_deref()).await
    }

    pub async fn open_named(files: &ClientFiles, choice: Option<&str>) -> Outcome<Self> {
        let (name, controller, account) = account_named(files, choice)?;
        let client = RestClient::new(&controller.api_endpoints, &controller.ca_cert)?;
        let client = log_in(files, &name, client, &account).await?;
        Ok(Self {
            name,
            user: account.user,
            controller,
            client,
        })
    }

    /// `OWNER/NAME` of a model, as the files name it.
    pub fn full_name(&self, model: &str) -> String {
        format!("{}/{}", self.user, short_name(model))
    }
}

/// The chosen controller, else the current one, and who is logged in there, as the files say.
pub fn account(
    files: &ClientFiles,
    choice: &ControllerChoice,
) -> Outcome<(String, Controller, Account)> {
    account_named(files, choice.controller.as_deref())
}

fn account_named(
    files: &ClientFiles,
    choice: Option<&str>,
) -> Outcome<(String, Controller, Account)> {
    let mut contents = files.read()?;
    let current = contents.controllers.current_controller;
    let name = choice
        .map(str::to_owned)
        .or_else(environment::controller)
        .or(current)
        .ok_or_else(no_controller)?;
    let controller = contents.controllers.controllers.remove(&name);
    let controller = controller.ok_or_else(|| unknown_controller(&name))?;
    let account = contents.accounts.controllers.remove(&name);
    let account = account.ok_or_else(|| logged_out(&name, "no account"))?;
    Ok((name, controller, account))
}

fn logged_out(controller: &str, lack: &str) -> Failure {
    Failure::failed(format!("not logged in to controller \"{controller}\""))
        .why(format!("accounts.yaml has {lack} for it"))
        .advice(format!("periapt login -c {controller}"))
}

impl ModelSession {
    /// The model of `-m [CONTROLLER:]MODEL`, else the current one.
    pub async fn open(files: &ClientFiles, choice: &ModelChoice) -> Outcome<Self> {
        let (controller, model) = match &choice.model {
            Some(text) => split(text),
            None => (None, None),
        };
        let session = Session::open_named(files, controller).await?;
        let model = match model {
            Some(model) => model.to_owned(),
            None => {
                let contents = files.read()?;
                contents
                    .current_model(&session.name)
                    .map(str::to_owned)
                    .ok_or_else(|| no_model(&session.name))?
            }
        };
        Ok(Self { session, model })
    }

    pub fn client(&self) -> &RestClient {
        &self.session.client
    }
}

/// The two parts of `[CONTROLLER:]MODEL`; a model may carry its owner.
pub fn split(text: &str) -> (Option<&str>, Option<&str>) {
    match text.split_once(':') {
        Some((controller, "")) => (Some(controller), None),
        Some((controller, model)) => (
            Some(controller).filter(|name| !name.is_empty()),
            Some(short_name(model)),
        ),
        None => (None, Some(short_name(text))),
    }
}

/// A client with the token of the last login, which is replaced by a new login once the controller
/// refuses it and there is a password to log in with.
async fn log_in(
    files: &ClientFiles,
    name: &str,
    client: RestClient,
    account: &Account,
) -> Outcome<RestClient> {
    match (&account.token, &account.password) {
        (Some(token), Some(password)) => {
            let (files, name) = (files.clone(), name.to_owned());
            let keep = move |token: &str| {
                // The token serves this command in any case; the next one logs in again.
                let _ = remember_token(&files, &name, token.to_owned());
            };
            Ok(client.with_renewal(&account.user, password, token.clone(), Box::new(keep)))
        }
        (Some(token), None) => Ok(client.with(Authorization::Bearer(token.clone()))),
        (None, Some(password)) => {
            let (client, reply) = client.login(&account.user, password).await?;
            remember_token(files, name, reply.token)?;
            Ok(client)
        }
        (None, None) => Err(logged_out(name, "neither a token nor a password")),
    }
}

pub fn remember_token(files: &ClientFiles, controller: &str, token: String) -> Outcome {
    files.change(|contents| {
        if let Some(account) = contents.accounts.controllers.get_mut(controller) {
            account.token = Some(token);
        }
    })
}

pub fn no_controller() -> Failure {
    Failure::new(Exit::NotFound, "no controller is selected")
        .why("controllers.yaml has no current controller")
        .advice("periapt bootstrap, or periapt switch CONTROLLER:")
}

pub fn unknown_controller(name: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        format!("controller \"{name}\" is not registered here"),
    )
    .why("it has no entry in controllers.yaml")
    .advice("periapt controllers lists the registered ones")
}

fn no_model(controller: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        format!("no model of controller \"{controller}\" is selected"),
    )
    .why("neither -m nor PERIAPT_MODEL (or JUJU_MODEL) names one, and there is no current model")
    .advice("periapt add-model NAME, or periapt switch MODEL")
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_model_may_carry_controller_and_owner() {
        assert_eq!(split("demo"), (None, Some("demo")));
        assert_eq!(split("admin/demo"), (None, Some("demo")));
        assert_eq!(split("prod:admin/demo"), (Some("prod"), Some("demo")));
        assert_eq!(split("prod:"), (Some("prod"), None));
        assert_eq!(split(":demo"), (None, Some("demo")));
    }
}
