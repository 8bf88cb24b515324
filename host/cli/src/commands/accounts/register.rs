//! `register`: a person who was invited chooses a password and knows the controller from then on.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_client::rest::RestClient;
use periapt_wire::rest::{self, Registration};

use super::remember;
use crate::arguments::Register;
use crate::commands::Context;
use crate::failure::{Exit, Failure, Outcome};
use crate::files::Controller;
use crate::password;

pub async fn register(context: &Context, arguments: Register) -> Outcome {
    let registration = read(&arguments.registration)?;
    let name = arguments
        .controller_name
        .clone()
        .unwrap_or_else(|| registration.controller.clone());
    if context
        .files
        .read()?
        .controllers
        .controllers
        .contains_key(&name)
        && !arguments.replace
    {
        return Err(Failure::new(
            Exit::Conflict,
            format!("a controller named \"{name}\" is already registered here"),
        )
        .why("its entry in controllers.yaml would be replaced")
        .advice("choose another name with --controller-name, or add --replace"));
    }
    let client = RestClient::new(&registration.addresses, &registration.ca_cert)?;
    let request = rest::Register {
        password: password::choose(arguments.input, &registration.user)?,
        user: registration.user,
        token: registration.token,
    };
    let (client, reply) = client.register(&request).await?;
    let about = client.controller().await?;
    let controller = Controller {
        uuid: about.uuid.to_string(),
        api_endpoints: registration.addresses,
        ca_cert: registration.ca_cert,
        cloud: about.cloud,
        agent_version: about.version,
        ..Controller::default()
    };
    context.files.change(|contents| {
        contents.forget_controller(&name);
        contents
            .controllers
            .controllers
            .insert(name.clone(), controller);
        contents.controllers.current_controller = Some(name.clone());
    })?;
    let user = remember(context, &name, &client, reply.token, None).await?;
    context.output.say(&format!(
        "Welcome, {user}. You are now logged into \"{name}\"."
    ));
    match client.models().await?.len() {
        0 => context
            .output
            .say("There are no models available. Ask for access to one: periapt grant"),
        1 => context
            .output
            .say("There is 1 model available. Choose it with: periapt switch MODEL"),
        count => context.output.say(&format!(
            "There are {count} models available. Choose one with: periapt switch MODEL"
        )),
    }
    Ok(())
}

fn read(text: &str) -> Outcome<Registration> {
    let unreadable = |why: String| {
        Failure::usage("invalid registration string")
            .why(why)
            .advice("copy the whole line that `periapt add-user` printed")
    };
    let bytes = BASE64_STANDARD
        .decode(text.trim())
        .map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registration_is_read_as_it_was_written() {
        let content = Registration {
            user: "bob".to_owned(),
            controller: "home".to_owned(),
            addresses: vec!["127.0.0.1:17070".to_owned()],
            ca_cert: "PEM".to_owned(),
            token: "secret".to_owned(),
        };
        let text = BASE64_STANDARD.encode(serde_json::to_vec(&content).unwrap());
        let found = read(&format!(" {text}\n")).unwrap();
        assert_eq!(
            (found.user.as_str(), found.token.as_str()),
            ("bob", "secret")
        );
        assert!(read(&text[..text.len() / 2]).is_err());
        assert!(read("!").is_err());
    }
}
