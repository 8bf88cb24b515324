//! Users, logins, tokens and access, with Juju's verbs.

pub mod access;
pub mod login;
pub mod register;
pub mod tokens;
pub mod users;

use periapt_client::rest::RestClient;

use crate::commands::Context;
use crate::failure::Outcome;
use crate::files::Account;

/// Writes down who is logged in to a controller, with what they may do there.
async fn remember(
    context: &Context,
    controller: &str,
    client: &RestClient,
    token: String,
    password: Option<String>,
) -> Outcome<String> {
    let who = client.whoami().await?;
    let account = Account {
        user: who.user.clone(),
        password,
        last_known_access: who.access.to_string(),
        token: Some(token),
        ..Account::default()
    };
    context.files.change(|contents| {
        contents
            .accounts
            .controllers
            .insert(controller.to_owned(), account);
    })?;
    Ok(who.user)
}
