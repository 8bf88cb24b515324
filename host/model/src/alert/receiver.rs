//! Where messages go: what a configuration of a receiver has to say.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::nearest::suggestion;

/// A configuration that makes no receiver. The text has nothing of a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReceiverError(pub String);

/// How a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverKind {
    Webhook,
    Email,
}

impl ReceiverKind {
    pub const ALL: &'static [ReceiverKind] = &[ReceiverKind::Webhook, ReceiverKind::Email];

    pub const fn as_str(self) -> &'static str {
        match self {
            ReceiverKind::Webhook => "webhook",
            ReceiverKind::Email => "email",
        }
    }

    /// Options of the kind.
    pub const fn options(self) -> &'static [&'static str] {
        match self {
            ReceiverKind::Webhook => &["ca-cert", "key", "url"],
            ReceiverKind::Email => &[
                "ca-cert",
                "encryption",
                "from",
                "host",
                "password",
                "port",
                "to",
                "user",
            ],
        }
    }
}

impl fmt::Display for ReceiverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ReceiverKind {
    type Err = ReceiverError;
    fn from_str(text: &str) -> Result<Self, ReceiverError> {
        let words = ReceiverKind::ALL.iter().map(|kind| kind.as_str());
        let mut all = ReceiverKind::ALL.iter().copied();
        let found = all.find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let shown: String = text.chars().take(80).collect();
            ReceiverError(format!(
                "\"{shown}\" is not a type of receivers; there are webhook and email{}",
                suggestion(text, words)
            ))
        })
    }
}

/// Whether the value of an option is kept sealed and shown to nobody. Of a URL its origin is ([`origin`]).
pub fn is_secret(option: &str) -> bool {
    matches!(option, "key" | "password" | "url")
}

/// What is shown of a URL: many webhooks have a token in the path or the query, by which anybody could write to them.
pub fn origin(url: &str) -> String {
    let (origin, rest) = after_origin(url);
    match rest {
        "" | "/" => origin.to_owned(),
        _ => format!("{origin}/…"),
    }
}

fn after_origin(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |place| place + "://".len());
    let end = url[host..].find(['/', '?', '#']);
    url.split_at(end.map_or(url.len(), |end| host + end))
}

/// Bytes of the key with which a webhook's messages are signed, at least.
const KEY_BYTES: usize = 16;
/// Bytes of a part of an address that may be a token, at least.
const TOKEN_BYTES: usize = 8;
/// Addresses to which one e-mail goes, at most.
const RECIPIENTS: usize = 20;
/// Bytes of an option.
const OPTION_BYTES: usize = 64 << 10;

/// A receiver as it is configured.
#[derive(Clone, PartialEq, Eq)]
pub enum Receiver {
    Webhook(Webhook),
    Email(Mail),
}

/// Takes an HTTP POST. Not shown by `Debug`: it has a key.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    pub url: String,
    pub key: String,
    /// PEM; else the machine's authorities.
    pub ca_cert: Option<String>,
}

/// How the connection to a mail server is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// It begins plain and is encrypted before anything is said; one that cannot be is not used.
    StartTls,
    /// It is encrypted from the beginning.
    Tls,
    Plain,
}

/// Takes an e-mail. Not shown by `Debug`: it has a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    pub host: String,
    pub port: u16,
    pub encryption: Encryption,
    pub from: String,
    pub to: Vec<String>,
    /// With the password.
    pub login: Option<(String, String)>,
    /// PEM; else the machine's authorities.
    pub ca_cert: Option<String>,
}

impl Webhook {
    /// A text without what is secret in the receiver, should it be repeated there: the key, and whatever could be a
    /// token in the address.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let (_, rest) = after_origin(&self.url);
        let mut secrets: Vec<&str> = rest
            .split(['/', '?', '#', '&', '='])
            .filter(|part| part.len() >= TOKEN_BYTES)
            .collect();
        secrets.push(&self.key);
        // What is a part of another one goes after it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let hidden = |text: String, secret: &&str| text.replace(*secret, "…");
        secrets.iter().fold(text.to_owned(), hidden)
    }
}

impl Receiver {
    /// # Errors
    /// An option that there is not, one that is missing, and values that make no sense.
    pub fn of(
        kind: ReceiverKind,
        config: &BTreeMap<String, String>,
    ) -> Result<Self, ReceiverError> {
        for (option, value) in config {
            if !kind.options().contains(&option.as_str()) {
                let shown: String = option.chars().take(80).collect();
                return Err(ReceiverError(format!(
                    "a receiver of type {kind} has no option \"{shown}\"{}",
                    suggestion(option, kind.options().iter().copied())
                )));
            }
            if value.len() > OPTION_BYTES {
                return Err(ReceiverError(format!("the option {option} is too long")));
            }
        }
        let given = |name: &str| {
            let value = config.get(name).map(|value| value.trim());
            value.filter(|value| !value.is_empty())
        };
        let needed = |name: &str| {
            let missing = || ReceiverError(format!("the option {name} is missing"));
            given(name).map(str::to_owned).ok_or_else(missing)
        };
        let ca_cert = given("ca-cert").map(str::to_owned);
        match kind {
            ReceiverKind::Webhook => {
                let url = needed("url")?;
                let rest = url
                    .strip_prefix("https://")
                    .or_else(|| url.strip_prefix("http://"));
                let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
                if host.is_none_or(|host| host.is_empty() || host.contains('@')) {
                    return Err(ReceiverError(
                        "url begins with https:// or http://, names a host and has no user in it"
                            .to_owned(),
                    ));
                }
                let key = needed("key")?;
                if key.len() < KEY_BYTES {
                    return Err(ReceiverError(format!(
                        "key, with which messages are signed, has at least {KEY_BYTES} bytes"
                    )));
                }
                Ok(Receiver::Webhook(Webhook { url, key, ca_cert }))
            }
            ReceiverKind::Email => mail(given, needed, ca_cert).map(Receiver::Email),
        }
    }
}

fn mail<'a>(
    given: impl Fn(&str) -> Option<&'a str>,
    needed: impl Fn(&str) -> Result<String, ReceiverError>,
    ca_cert: Option<String>,
) -> Result<Mail, ReceiverError> {
    let host = needed("host")?;
    let encryption = match given("encryption").unwrap_or("starttls") {
        "starttls" => Encryption::StartTls,
        "tls" => Encryption::Tls,
        "none" => Encryption::Plain,
        other => {
            let shown: String = other.chars().take(80).collect();
            let known = ["starttls", "tls", "none"];
            return Err(ReceiverError(format!(
                "encryption is starttls, tls or none, not \"{shown}\"{}",
                suggestion(other, known)
            )));
        }
    };
    let port = match (given("port"), encryption) {
        (Some(text), _) => {
            let port = text.parse().ok().filter(|port| *port != 0_u16);
            port.ok_or_else(|| ReceiverError("port is a number from 1 to 65535".to_owned()))?
        }
        (None, Encryption::StartTls) => 587,
        (None, Encryption::Tls) => 465,
        (None, Encryption::Plain) => 25,
    };
    let to = needed("to")?;
    let to: Vec<String> = to
        .split(',')
        .map(|address| address.trim().to_owned())
        .filter(|address| !address.is_empty())
        .collect();
    if to.is_empty() || to.len() > RECIPIENTS {
        return Err(ReceiverError(format!(
            "to has 1 to {RECIPIENTS} addresses with commas between them"
        )));
    }
    let login = match (given("user"), given("password")) {
        (None, None) => None,
        (Some(user), Some(password)) => Some((user.to_owned(), password.to_owned())),
        _ => {
            return Err(ReceiverError(
                "user and password are given together or not at all".to_owned(),
            ));
        }
    };
    let here = host == "localhost" || host.starts_with("127.") || host == "::1";
    if login.is_some() && encryption == Encryption::Plain && !here {
        return Err(ReceiverError(
            "a password is sent without encryption to this machine alone: set encryption to starttls or tls"
                .to_owned(),
        ));
    }
    Ok(Mail {
        host,
        port,
        encryption,
        from: needed("from")?,
        to,
        login,
        ca_cert,
    })
}
