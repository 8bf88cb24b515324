//! Verbs about users, logins, tokens and access.

use clap::Args;

use super::{ControllerChoice, DetailFormat, ListFormat, Target, duration};

/// Where a password comes from.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct PasswordInput {
    /// Read the password from standard input, one line, even at a terminal.
    #[arg(long, visible_alias = "no-prompt")]
    pub password_stdin: bool,
}

#[derive(Debug, Args)]
pub struct AddUser {
    /// Name of the new user.
    pub name: String,
    /// The user's display name.
    pub display_name: Option<String>,
    /// Set a password now instead of printing a registration string.
    #[arg(long)]
    pub password: bool,
    #[command(flatten)]
    pub input: PasswordInput,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Users {
    /// Show the users who may use this model.
    #[arg(value_name = "MODEL")]
    pub model: Option<String>,
    /// Also show disabled users.
    #[arg(long)]
    pub all: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    /// Show when they last connected as a whole time, in UTC and ISO form.
    #[arg(long)]
    pub exact_time: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowUser {
    /// The user [default: you].
    pub name: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: DetailFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

/// A user and nothing more.
#[derive(Debug, Args)]
pub struct OneUser {
    /// The user.
    pub name: String,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct RemoveUser {
    /// The user.
    pub name: String,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct ChangeUserPassword {
    /// The user [default: you]. Only superusers may change another user's password.
    pub name: Option<String>,
    /// Invalidate the password and print a new registration string.
    #[arg(long, conflicts_with = "password_stdin")]
    pub reset: bool,
    #[command(flatten)]
    pub input: PasswordInput,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Access {
    /// The user.
    pub user: String,
    /// For models: read, write, admin. For the controller: login, superuser.
    pub access: String,
    /// The models; none for access to the controller.
    #[arg(value_name = "MODEL")]
    pub models: Vec<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Login {
    /// The controller, instead of -c.
    #[arg(value_name = "CONTROLLER")]
    pub name: Option<String>,
    /// The user.
    #[arg(short, long, value_name = "USER")]
    pub user: Option<String>,
    /// Log in with this token instead of a password; `-` reads it from standard input.
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["user", "password_stdin"])]
    pub token: Option<String>,
    #[command(flatten)]
    pub input: PasswordInput,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Logout {
    /// Log out even if that deletes the only copy of a password.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct Whoami {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct Register {
    /// The string that `periapt add-user` printed.
    #[arg(value_name = "STRING")]
    pub registration: String,
    /// Local name of the controller [default: its own].
    #[arg(long, value_name = "NAME")]
    pub controller_name: Option<String>,
    /// Replace a registered controller of that name.
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub input: PasswordInput,
}

#[derive(Debug, Args)]
pub struct Tokens {
    /// Whose tokens [default: yours].
    pub user: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub controller: ControllerChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct AddToken {
    /// Name of the token.
    pub name: String,
    /// How long it is valid.
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = duration)]
    pub expires_in: std::time::Duration,
    #[command(flatten)]
    pub controller: ControllerChoice,
}

#[derive(Debug, Args)]
pub struct RevokeToken {
    /// Name or id of the token.
    pub name: String,
    /// Whose token [default: yours].
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    #[command(flatten)]
    pub controller: ControllerChoice,
}
