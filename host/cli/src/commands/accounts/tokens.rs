//! `tokens`, `add-token`, `revoke-token`.

use periapt_wire::rest::{self, TokenInfo};
use serde::Serialize;

use crate::arguments::{AddToken, ListFormat, RevokeToken, Tokens};
use crate::commands::Context;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::table::Table;
use crate::output::time::Times;
use crate::session::Session;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry<'a> {
    name: &'a str,
    id: &'a str,
    kind: &'a str,
    current: bool,
    created: String,
    expires: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    last_used: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    address: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    program: &'a str,
}

pub async fn list(context: &Context, arguments: Tokens) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let user = arguments.user.unwrap_or_else(|| session.user.clone());
    let tokens = session.client.tokens(&user).await?;
    let output = context.output.to(&arguments.target)?;
    let utc = Times::new(true);
    let entries = tokens.iter().map(|token| Entry {
        name: &token.name,
        id: &token.id,
        kind: &token.kind,
        current: token.current,
        created: utc.micros(token.created_at),
        expires: utc.micros(token.expires_at),
        last_used: utc.micros(token.last_used.unwrap_or_default()),
        address: &token.address,
        program: &token.program,
    });
    let entries: Vec<Entry<'_>> = entries.collect();
    match arguments.format {
        ListFormat::Json => output.json(&entries),
        ListFormat::Yaml => output.yaml(&entries),
        ListFormat::Tabular if tokens.is_empty() => {
            output.say(&format!("User \"{user}\" has no tokens."));
            Ok(())
        }
        ListFormat::Tabular => {
            let table = table(&tokens, &Times::new(arguments.utc));
            output.data(&table.render(output.paints()))
        }
    }
}

fn table(tokens: &[TokenInfo], times: &Times) -> Table {
    let mut table = Table::new(&[
        "Name",
        "Kind",
        "Created",
        "Expires",
        "Last used",
        "From",
        "Program",
        "Id",
    ]);
    for token in tokens {
        let used = match token.last_used {
            Some(time) => times.micros(time),
            None => "never".to_owned(),
        };
        table.row(vec![
            shown_name(token).into(),
            (&token.kind).into(),
            times.micros(token.created_at).into(),
            times.micros(token.expires_at).into(),
            used.into(),
            (&token.address).into(),
            (&token.program).into(),
            (&token.id).into(),
        ]);
    }
    table
}

/// The one that this command came with is marked, as the controller that is used is.
fn shown_name(token: &TokenInfo) -> String {
    match token.current {
        true => format!("{}*", token.name),
        false => token.name.clone(),
    }
}

/// The secret goes to standard output and nowhere else.
pub async fn add(context: &Context, arguments: AddToken) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let request = rest::AddToken {
        name: arguments.name,
        expires_in: Some(arguments.expires_in.as_secs()),
    };
    let added = session.client.add_token(&session.user, &request).await?;
    context.output.data(&added.token)?;
    context.output.say(&format!(
        "Token \"{}\" is valid until {}. It is not shown again.",
        added.info.name,
        Times::new(false).micros(added.info.expires_at)
    ));
    Ok(())
}

pub async fn revoke(context: &Context, arguments: RevokeToken) -> Outcome {
    let session = Session::open(&context.files, &arguments.controller).await?;
    let user = arguments.user.unwrap_or_else(|| session.user.clone());
    let tokens = session.client.tokens(&user).await?;
    let token = find(&tokens, &arguments.name)?;
    session.client.remove_token(&user, &token.id).await?;
    context
        .output
        .say(&format!("Token \"{}\" revoked", token.name));
    Ok(())
}

/// A token by its id, else by its name where one has it. Sessions of browsers share a name.
fn find<'a>(tokens: &'a [TokenInfo], wanted: &str) -> Outcome<&'a TokenInfo> {
    if let Some(token) = tokens.iter().find(|token| token.id == wanted) {
        return Ok(token);
    }
    let mut named = tokens.iter().filter(|token| token.name == wanted);
    match (named.next(), named.next()) {
        (Some(token), None) => Ok(token),
        (None, _) => Err(
            Failure::new(Exit::NotFound, format!("token \"{wanted}\" not found"))
                .why("no token has this name or id")
                .advice("periapt tokens lists them"),
        ),
        (Some(_), Some(_)) => Err(Failure::new(
            Exit::Conflict,
            format!("several tokens are named \"{wanted}\""),
        )
        .why("the name is ambiguous, so an id is needed")
        .advice("periapt tokens shows the ids")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(id: &str, name: &str) -> TokenInfo {
        TokenInfo {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: "token".to_owned(),
            current: false,
            created_at: 1_795_257_480_000_000,
            expires_at: 1_795_257_540_000_000,
            last_used: None,
            address: "192.0.2.7".to_owned(),
            program: "curl/8.11.0".to_owned(),
        }
    }

    #[test]
    fn a_token_is_found_by_id_or_by_a_name_that_is_its_alone() {
        let tokens = [
            token("1", "cli"),
            token("2", "browser"),
            token("3", "browser"),
        ];
        assert_eq!(find(&tokens, "cli").unwrap().id, "1");
        assert_eq!(find(&tokens, "3").unwrap().id, "3");
        assert_eq!(find(&tokens, "browser").unwrap_err().exit, Exit::Conflict);
        assert_eq!(find(&tokens, "ci").unwrap_err().exit, Exit::NotFound);
    }

    #[test]
    fn tokens_are_listed_with_where_they_are_used_and_without_secrets() {
        let expected = "\
Name  Kind   Created               Expires               Last used  From       Program      Id
cli   token  2026-11-21 10:38:00Z  2026-11-21 10:39:00Z  never      192.0.2.7  curl/8.11.0  1
";
        assert_eq!(
            table(&[token("1", "cli")], &Times::new(true)).render(false),
            expected
        );
    }
}
