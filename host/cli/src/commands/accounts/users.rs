//! `add-user`, `users`, `show-user`, `disable-user`, `enable-user`, `remove-user`,
//! `change-user-password`.

use std::collections::BTreeMap;

use periapt_wire::rest::{self, ChangePassword, ChangeUser, LoginRequest, ModelAccess, UserInfo};
use serde::Serialize;

use super::remember;
use crate::arguments::{
    AddUser, ChangeUserPassword, DetailFormat, ListFormat, ModelChoice, OneUser, RemoveUser,
    ShowUser, Users,
};
use crate::commands::Context;
use crate::failure::Outcome;
use crate::output::document::Named;
use crate::output::table::{Cell, Table};
use crate::output::text::clean;
use crate::output::time::{LastSeen, Times};
use crate::password;
use crate::session::{ModelSession, Session};

pub async fn add(context: &Context, arguments: AddUser) -> Outcome {
    let user: periapt_model::UserName = arguments.name.parse()?;
    let session = Session::open(&context.files, &arguments.controller).await?;
    let secret = match arguments.password || arguments.input.password_stdin {
        true => Some(password::choose(arguments.input, user.as_str())?),
        false => None,
    };
    let request = rest::AddUser {
        name: user.to_string(),
        display_name: arguments.display_name.unwrap_or_default(),
        password: secret,
    };
    let added = session.client.add_user(&request).await?;
    let output = &context.output;
    output.say(&format!("User \"{user}\" added"));
    if let Some(registration) = added.registration {
        output.say(&format!("Please send this command to {user}:"));
        output.data(&format!("periapt register {registration}"))?;
    }
    output.say(&format!(
        "\"{user}\" has not been granted access to any models. You can use \"periapt grant\" to grant access."
    ));
    Ok(())
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry<'a> {
    user_name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    display_name: &'a str,
    access: rest::ControllerAccess,
    #[serde(skip_serializing_if = "str::is_empty")]
    created_by: &'a str,
    date_created: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    last_connection: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    disabled: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_registered: bool,
    #[serde(skip_serializing_if = "Named::is_empty")]
    models: Named<rest::ModelPermission>,
}

fn entry(user: &UserInfo) -> Entry<'_> {
    let times = Times::new(true);
    Entry {
        user_name: &user.name,
        display_name: &user.display_name,
        access: user.access,
        created_by: &user.created_by,
        date_created: times.micros(user.created_at),
        last_connection: times.micros(user.last_login.unwrap_or_default()),
        disabled: user.disabled,
        not_registered: !user.registered,
        models: user
            .models
            .iter()
            .map(|model| (model.name.to_string(), model.access))
            .collect(),
    }
}

pub async fn list(context: &Context, arguments: Users) -> Outcome {
    if let Some(model) = &arguments.model {
        return of_model(context, &arguments, model).await;
    }
    let session = Session::open(&context.files, &arguments.controller).await?;
    let mut users = session.client.users().await?;
    users.retain(|user| arguments.all || !user.disabled);
    let output = context.output.to(&arguments.target)?;
    let entries: Vec<Entry<'_>> = users.iter().map(entry).collect();
    match arguments.format {
        ListFormat::Json => output.json(&entries),
        ListFormat::Yaml => output.yaml(&entries),
        ListFormat::Tabular => {
            let seen = LastSeen::new(arguments.exact_time);
            let table = table(&users, &session.user, &Times::new(arguments.utc), &seen);
            let table = table.render(output.paints());
            output.data(&format!("Controller: {}\n\n{table}", session.name))
        }
    }
}

/// Someone who may use a model, as `users MODEL` shows them.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct ModelUser {
    #[serde(skip_serializing_if = "String::is_empty")]
    display_name: String,
    access: String,
    last_connection: String,
}

async fn of_model(context: &Context, arguments: &Users, model: &str) -> Outcome {
    let choice = ModelChoice {
        model: Some(match &arguments.controller.controller {
            Some(controller) if !model.contains(':') => format!("{controller}:{model}"),
            _ => model.to_owned(),
        }),
    };
    let here = ModelSession::open(&context.files, &choice).await?;
    let all = here.client().model_access(&here.model).await?;
    // Programs read times, so they are whole in documents.
    let whole = arguments.exact_time || arguments.format != ListFormat::Tabular;
    let users = model_users(all, &LastSeen::new(whole));
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&users),
        ListFormat::Yaml => output.yaml(&users),
        ListFormat::Tabular => {
            let mut table = Table::new(&["Name", "Display name", "Access", "Last connection"]);
            for (name, user) in &users {
                let star = if *name == here.session.user { "*" } else { "" };
                table.row(vec![
                    Cell::from(format!("{name}{star}")),
                    (&user.display_name).into(),
                    (&user.access).into(),
                    (&user.last_connection).into(),
                ]);
            }
            output.data(&table.render(output.paints()))
        }
    }
}

/// By name, without those from whom access was taken.
fn model_users(all: Vec<ModelAccess>, seen: &LastSeen) -> BTreeMap<String, ModelUser> {
    let users = all.into_iter().filter_map(|user| {
        let shown = ModelUser {
            display_name: clean(&user.display_name),
            access: user.access?.to_string(),
            last_connection: seen.told(user.last_connection),
        };
        Some((user.user, shown))
    });
    users.collect()
}

fn table(users: &[UserInfo], own: &str, times: &Times, seen: &LastSeen) -> Table {
    let mut table = Table::new(&[
        "Name",
        "Display name",
        "Access",
        "Date created",
        "Last connection",
    ]);
    for user in users {
        let star = if user.name == own { "*" } else { "" };
        let last = match user.last_login {
            _ if user.disabled => "disabled".to_owned(),
            None if !user.registered => "not registered yet".to_owned(),
            time => seen.told(time),
        };
        table.row(vec![
            Cell::from(format!("{}{star}", user.name)),
            (&user.display_name).into(),
            user.access.as_str().into(),
            times.micros(user.created_at).into(),
            last.into(),
        ]);
    }
    table
}

pub async fn show(context: &Context, arguments: ShowUser) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let name = arguments.name.unwrap_or_else(|| session.user.clone());
    let user = session.client.user(&name).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        DetailFormat::Json => output.json(&entry(&user)),
        DetailFormat::Yaml => output.yaml(&entry(&user)),
    }
}

pub async fn disable(context: &Context, arguments: OneUser) -> Outcome {
    set_disabled(context, arguments, true, "disabled").await
}

pub async fn enable(context: &Context, arguments: OneUser) -> Outcome {
    set_disabled(context, arguments, false, "enabled").await
}

async fn set_disabled(
    context: &Context,
    arguments: OneUser,
    disabled: bool,
    done: &str,
) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let change = ChangeUser {
        disabled: Some(disabled),
        ..ChangeUser::default()
    };
    let user = session.client.change_user(&arguments.name, &change).await?;
    context
        .output
        .say(&format!("User \"{}\" {done}", user.name));
    Ok(())
}

pub async fn remove(context: &Context, arguments: RemoveUser) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let user = session.client.user(&arguments.name).await?;
    let question = format!(
        "This permanently removes user \"{}\" from controller \"{}\"; you become the owner of their models.",
        user.name, session.name
    );
    context.output.confirm(&question, arguments.no_prompt)?;
    session.client.remove_user(&user.name).await?;
    context
        .output
        .say(&format!("User \"{}\" removed", user.name));
    Ok(())
}

pub async fn change_password(context: &Context, arguments: ChangeUserPassword) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let name = arguments.name.unwrap_or_else(|| session.user.clone());
    if arguments.reset {
        let added = session.client.reset_password(&name).await?;
        let output = &context.output;
        output.say(&format!("Password for \"{name}\" has been reset."));
        output.say(&format!("Please send this command to {name}:"));
        let registration = added.registration.unwrap_or_default();
        return output.data(&format!("periapt register {registration}"));
    }
    let own = name == session.user;
    let remembered = match own {
        true => remembered(context, &session.name)?,
        false => None,
    };
    let current = match (own, &remembered) {
        (true, None) => Some(password::present(arguments.input, "current password: ")?),
        (_, remembered) => remembered.clone(),
    };
    let password = password::choose(arguments.input, &name)?;
    let change = ChangePassword {
        current,
        password: password.clone(),
    };
    session.client.change_password(&name, &change).await?;
    if own {
        // The change ended the login it was made with.
        let login = LoginRequest::new(name.clone(), password.clone());
        let reply = session.client.login_as(&login).await?;
        let client = session
            .client
            .clone()
            .with(periapt_client::rest::Authorization::Bearer(
                reply.token.clone(),
            ));
        let kept = remembered.map(|_| password);
        remember(context, &session.name, &client, reply.token, kept).await?;
        context.output.say("Your password has been changed.");
    } else {
        context
            .output
            .say(&format!("Password for \"{name}\" has been changed."));
    }
    Ok(())
}

/// The password that bootstrap wrote down.
fn remembered(context: &Context, controller: &str) -> Outcome<Option<String>> {
    let contents = context.files.read()?;
    let account = contents.accounts.controllers.get(controller);
    Ok(account.and_then(|account| account.password.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn users_of_a_model_are_those_who_may_use_it() {
        let all: Vec<ModelAccess> = serde_json::from_value(json!([
            { "user": "bob", "display-name": "Bob\u{1b}[2J", "access": "write", "owner": false,
              "last-connection": "2026-11-21T10:38:00Z" },
            { "user": "eve", "display-name": "", "access": null, "owner": false },
            { "user": "admin", "display-name": "", "access": "admin", "owner": true },
        ]))
        .unwrap();
        let users = model_users(all, &LastSeen::new(true));
        assert_eq!(
            users.keys().map(String::as_str).collect::<Vec<_>>(),
            ["admin", "bob"]
        );
        let shown = serde_json::to_value(&users).unwrap();
        assert_eq!(
            shown["admin"],
            json!({ "access": "admin", "last-connection": "never connected" })
        );
        assert_eq!(shown["bob"]["access"], "write");
        assert_eq!(shown["bob"]["last-connection"], "2026-11-21 10:38:00Z");
        assert!(!shown["bob"]["display-name"].to_string().contains("u001b"));
    }

    fn user(name: &str, more: serde_json::Value) -> UserInfo {
        let mut value = json!({
            "name": name, "display-name": "", "access": "login", "disabled": false, "registered": true,
            "created-by": "admin", "created-at": 1_795_257_480_000_000_i64, "last-login": null, "models": [],
        });
        for (key, more) in more.as_object().unwrap() {
            value[key] = more.clone();
        }
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn users_are_listed_as_juju_lists_them() {
        let users = [
            user(
                "admin",
                json!({ "access": "superuser", "last-login": 1_795_257_540_000_000_i64 }),
            ),
            user(
                "bob",
                json!({ "display-name": "Bob Burr", "registered": false }),
            ),
            user("carol", json!({ "disabled": true })),
        ];
        let expected = "\
Name    Display name  Access     Date created          Last connection
admin*                superuser  2026-11-21 10:38:00Z  2026-11-21 10:39:00Z
bob     Bob Burr      login      2026-11-21 10:38:00Z  not registered yet
carol                 login      2026-11-21 10:38:00Z  disabled
";
        let table = table(&users, "admin", &Times::new(true), &LastSeen::new(true));
        assert_eq!(table.render(false), expected);
    }

    #[test]
    fn the_document_says_only_what_there_is_to_say() {
        let model = json!([{ "uuid": "8419cd78-4993-4c3a-928e-c646226beeee", "name": "demo", "access": "write" }]);
        let user = user("bob", json!({ "models": model }));
        assert_eq!(
            serde_json::to_value(entry(&user)).unwrap(),
            json!({
                "user-name": "bob", "access": "login", "created-by": "admin",
                "date-created": "2026-11-21 10:38:00Z", "models": { "demo": "write" },
            })
        );
    }
}
