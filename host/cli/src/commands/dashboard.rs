//! `dashboard`: where the page is, and how to sign in there.

use std::process::{Command, Stdio};

use serde::Serialize;

use super::Context;
use crate::arguments::{Dashboard, DashboardFormat};
use crate::failure::{Failure, Outcome};
use crate::session::account;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    url: String,
    user: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

/// Tells from the client's files alone, so that it serves also where the controller is down.
pub fn dashboard(context: &Context, arguments: &Dashboard) -> Outcome {
    let (name, controller, account) = account(&context.files, &arguments.controller)?;
    let endpoint = controller.api_endpoints.first().ok_or_else(|| {
        Failure::failed(format!("controller \"{name}\" has no address"))
            .why("controllers.yaml has no api-endpoints for it")
            .advice("correct the entry, or bootstrap again")
    })?;
    let document = Document {
        url: format!("https://{endpoint}/"),
        user: account.user,
        password: account.password.filter(|_| !arguments.hide_credential),
    };
    if arguments.browser {
        open(&document.url)?;
    }
    match arguments.format {
        DashboardFormat::Json => context.output.json(&document),
        DashboardFormat::Yaml => context.output.yaml(&document),
        DashboardFormat::Text => {
            context
                .output
                .data(&text(&name, &document, arguments.hide_credential))
        }
    }
}

fn text(controller: &str, document: &Document, hidden: bool) -> String {
    let mut lines = vec![
        format!("Dashboard for controller \"{controller}\":"),
        format!("  {}", document.url),
    ];
    if !hidden {
        lines.push("Sign in with:".to_owned());
        lines.push(format!("  user:     {}", document.user));
        lines.push(match &document.password {
            Some(password) => format!("  password: {password}"),
            None => "  password: not stored here; a superuser sets a new one with \
                     `periapt change-user-password`"
                .to_owned(),
        });
    }
    lines.push(
        "The browser asks about the certificate once, because the controller's own authority signed it."
            .to_owned(),
    );
    lines.join("\n")
}

/// Opens the page with the program that the person chose, or the desktop's.
fn open(url: &str) -> Outcome {
    let program = std::env::var("BROWSER")
        .ok()
        .filter(|program| !program.is_empty())
        .unwrap_or_else(|| "xdg-open".to_owned());
    let started = Command::new(&program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.map(drop).map_err(|error| {
        Failure::failed("cannot start a browser")
            .why(format!("{program}: {error}"))
            .advice(format!("set BROWSER, or open {url} yourself"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_where_and_how() {
        let document = Document {
            url: "https://127.0.0.1:17070/".to_owned(),
            user: "admin".to_owned(),
            password: Some("secret".to_owned()),
        };
        let shown = text("home", &document, false);
        for part in ["https://127.0.0.1:17070/", "admin", "secret"] {
            assert!(shown.contains(part), "{shown}");
        }
        assert!(!text("home", &document, true).contains("secret"));
    }
}
