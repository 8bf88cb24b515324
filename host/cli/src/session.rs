//! Which controller and model a command addresses, and the login there.

use periapt_client::rest::{Authorization, RestClient, RestError};

use crate::arguments::{ControllerChoice, ModelChoice};
use crate::failure::{Exit, Failure, Outcome};
use crate::files::{Account, ClientFiles, Controller, short_name};

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
        let contents = files.read()?;
        let name = match choice
            .map(str::to_owned)
            .or(contents.controllers.current_controller)
        {
            Some(name) => name,
            None => return Err(no_controller()),
        };
        let controller = contents
            .controllers
            .controllers
            .get(&name)
            .cloned()
            .ok_or_else(|| unknown_controller(&name))?;
        let account = contents
            .accounts
            .controllers
            .get(&name)
            .cloned()
            .ok_or_else(|| {
                Failure::failed(format!("nobody is logged in to controller \"{name}\""))
                    .why("accounts.yaml has no account for it")
                    .advice(format!("periapt login -c {name}"))
            })?;
        let client = RestClient::new(&controller.api_endpoints, &controller.ca_cert)?;
        let client = log_in(files, &name, client, &account)
            .await
            .map_err(|failure| advise(failure, &name, &controller))?;
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

/// The token of the last login while it is good, else a new login.
async fn log_in(
    files: &ClientFiles,
    name: &str,
    client: RestClient,
    account: &Account,
) -> Outcome<RestClient> {
    if let Some(token) = &account.token {
        let with_token = client.clone().with(Authorization::Bearer(token.clone()));
        match with_token.controller().await {
            Ok(_) => return Ok(with_token),
            Err(RestError::Problem(problem)) if problem.status == 401 => {}
            Err(error) => return Err(error.into()),
        }
    }
    let Some(password) = &account.password else {
        return Err(Failure::failed(format!("the login to controller \"{name}\" has run out"))
            .why("the controller no longer takes the token in accounts.yaml, and there is no password there")
            .advice(format!("periapt login -c {name}")));
    };
    let (client, reply) = client.login(&account.user, password).await?;
    remember_token(files, name, reply.token)?;
    Ok(client)
}

pub fn remember_token(files: &ClientFiles, controller: &str, token: String) -> Outcome {
    files.change(|contents| {
        if let Some(account) = contents.accounts.controllers.get_mut(controller) {
            account.token = Some(token);
        }
    })
}

/// A controller of this machine that does not answer can be started from here.
fn advise(failure: Failure, name: &str, controller: &Controller) -> Failure {
    let stopped = controller
        .data_dir
        .as_ref()
        .is_some_and(|dir| crate::processes::running_pid(dir).is_none());
    match stopped {
        true => failure.advice(format!("periapt controller start {name}")),
        false => failure,
    }
}

pub fn no_controller() -> Failure {
    Failure::new(Exit::NotFound, "no controller is selected")
        .why("controllers.yaml names no current controller")
        .advice("periapt bootstrap, or periapt switch CONTROLLER:")
}

pub fn unknown_controller(name: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        format!("controller \"{name}\" is not known here"),
    )
    .why("it has no entry in controllers.yaml")
    .advice("periapt controllers lists those that have")
}

fn no_model(controller: &str) -> Failure {
    Failure::new(
        Exit::NotFound,
        format!("no model of controller \"{controller}\" is selected"),
    )
    .why("neither -m nor PERIAPT_MODEL names one, and none is the current one")
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
