//! How a command fails: what, why, and what to do about it, in three lines, and an exit status
//! that scripts can tell apart.

use std::fmt;
use std::process::ExitCode;

use periapt_client::rest::RestError;
use periapt_client::tls::TrustError;
use periapt_model::NameError;

use crate::output::text::clean_line;

/// The exit statuses, as the help of the program lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Failed,
    Usage,
    NotFound,
    Conflict,
    TimedOut,
    /// That of a command which `exec` had a unit run.
    Command(u8),
}

impl Exit {
    pub fn status(self) -> u8 {
        match self {
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NotFound => 3,
            Exit::Conflict => 4,
            Exit::TimedOut => 5,
            Exit::Command(status) => status,
        }
    }
}

impl Exit {
    /// As Juju ends: it knows wrong usage and any other failure.
    pub fn as_jujus(self) -> u8 {
        match self {
            Exit::Usage => 2,
            Exit::Command(status) => status,
            Exit::Failed | Exit::NotFound | Exit::Conflict | Exit::TimedOut => 1,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.status())
    }
}

/// Why a command did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    what: String,
    why: String,
    advice: String,
}

pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self {
            exit,
            what: what.into(),
            why: String::new(),
            advice: String::new(),
        }
    }

    pub fn failed(what: impl Into<String>) -> Self {
        Self::new(Exit::Failed, what)
    }

    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// With a word behind what failed.
    pub fn marked(mut self, mark: &str) -> Self {
        self.what = format!("{} {mark}", self.what);
        self
    }

    /// A file or folder that could not be used.
    pub fn file(what: impl Into<String>, path: &std::path::Path, error: &std::io::Error) -> Self {
        let exit = match error.kind() {
            std::io::ErrorKind::NotFound => Exit::NotFound,
            std::io::ErrorKind::AlreadyExists => Exit::Conflict,
            _ => Exit::Failed,
        };
        Self::new(exit, what)
            .why(format!("{}: {error}", path.display()))
            .advice("check the path and its permissions")
    }

    /// Output that nobody reads any more (`| head`) is no failure worth a word, and what a command
    /// has said is not said again.
    pub fn is_silent(&self) -> bool {
        self.what.is_empty()
    }

    /// A command that a unit ran ended with this status, and has said itself what there is to say.
    pub fn of_command(status: u8) -> Self {
        Self::new(Exit::Command(status), "")
    }

    /// The reader of the output went away.
    pub fn unread() -> Self {
        Self::failed("")
    }
}

impl fmt::Display for Failure {
    /// The three lines. A why or an advice that nobody wrote is filled in, so that there are
    /// always three.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text: &str, other: &str| clean_line(if text.is_empty() { other } else { text });
        writeln!(f, "ERROR {}", clean_line(&self.what))?;
        writeln!(f, "  why: {}", or(&self.why, "no details"))?;
        write!(f, "  try: {}", or(&self.advice, "periapt --help"))
    }
}

impl From<RestError> for Failure {
    fn from(error: RestError) -> Self {
        match error {
            RestError::Problem(problem) => {
                let exit = match problem.status {
                    400 | 422 => Exit::Usage,
                    404 => Exit::NotFound,
                    409 | 412 => Exit::Conflict,
                    408 | 504 => Exit::TimedOut,
                    _ => Exit::Failed,
                };
                // A title that names nothing in particular tells less than the detail does.
                let general = !problem.title.contains('"');
                let (what, why) = match problem.detail.as_str() {
                    "" => (
                        problem.title.clone(),
                        format!(
                            "the controller answered {} ({})",
                            problem.status, problem.code
                        ),
                    ),
                    detail if general => (
                        detail.to_owned(),
                        format!("{} ({})", problem.title, problem.code),
                    ),
                    detail => (problem.title.clone(), detail.to_owned()),
                };
                let advice = match (problem.advice.as_str(), exit) {
                    ("", Exit::NotFound) => "periapt status".to_owned(),
                    ("", Exit::Conflict) => "check periapt status, then try again".to_owned(),
                    ("", Exit::Usage) => "see the verb's --help".to_owned(),
                    ("", _) => "periapt debug-log --replay --level ERROR".to_owned(),
                    (advice, _) => advice.to_owned(),
                };
                Failure::new(exit, what).why(why).advice(advice)
            }
            RestError::Unreachable { addresses, reason } => Failure::failed(format!(
                "the controller does not answer at {addresses}"
            ))
            .why(reason)
            .advice(
                "run periapt controller start if it is on this machine, else check the network",
            ),
            RestError::Interrupted(reason) => {
                Failure::failed("lost the connection to the controller")
                    .why(reason)
                    .advice("periapt status shows whether the change took effect; then try again")
            }
            RestError::Unexpected(reason) => Failure::failed("cannot read the controller's answer")
                .why(reason)
                .advice("compare `periapt version` with the version in `periapt controllers`"),
            RestError::Trust(error) => error.into(),
        }
    }
}

impl From<TrustError> for Failure {
    fn from(error: TrustError) -> Self {
        Failure::failed("invalid entry for the controller in controllers.yaml")
            .why(error.to_string())
            .advice("correct api-endpoints or ca-cert there, or bootstrap again")
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        Failure::usage(format!("\"{}\" is not a valid {}", error.value, error.kind))
            .why("names are checked before anything is sent")
            .advice(error.rule)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let what = lines
            .next()
            .unwrap_or("wrong usage")
            .trim_start_matches("error: ")
            .to_owned();
        let rest: Vec<&str> = lines.collect();
        let usage = rest
            .iter()
            .find(|line| line.starts_with("Usage:"))
            .map_or("", |line| *line);
        // clap's own hint, else what kind of mistake it is.
        let hint = rest
            .iter()
            .find(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
            .map(|line| line.trim_start_matches("tip: ").to_owned());
        let why = hint.unwrap_or_else(|| kind_in_words(error.kind()).to_owned());
        let advice = match usage {
            "" => "periapt --help".to_owned(),
            usage => format!("{}; more with --help", usage.trim_start_matches("Usage: ")),
        };
        Failure::usage(what).why(why).advice(advice)
    }
}

/// What kind of mistake a command line has.
fn kind_in_words(kind: clap::error::ErrorKind) -> &'static str {
    use clap::error::ErrorKind;
    match kind {
        ErrorKind::InvalidSubcommand => "periapt has no such command",
        ErrorKind::UnknownArgument => "this command has no such flag or argument",
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            "the value has the wrong format for this argument"
        }
        ErrorKind::ArgumentConflict => "these arguments cannot be combined",
        ErrorKind::TooManyValues | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            "the argument takes a different number of values"
        }
        ErrorKind::NoEquals => "the value follows an equals sign",
        ErrorKind::InvalidUtf8 => "arguments must be UTF-8 text",
        _ => "the command line is incomplete",
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use periapt_model::Refusal;
    use periapt_model::refusal::Subject;
    use periapt_wire::Problem;

    use super::*;

    fn lines(failure: &Failure) -> Vec<String> {
        failure.to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_failure_is_always_three_lines() {
        let failure = Failure::failed("cannot\ndo \u{1b}[31mit")
            .why("a\nb")
            .advice("c");
        assert_eq!(
            lines(&failure),
            ["ERROR cannot do it", "  why: a b", "  try: c"]
        );
        assert_eq!(lines(&Failure::failed("x")).len(), 3);
    }

    #[test]
    fn scripts_tell_failures_apart_by_their_status() {
        let own = [
            Exit::Failed,
            Exit::Usage,
            Exit::NotFound,
            Exit::Conflict,
            Exit::TimedOut,
        ];
        assert_eq!(own.map(Exit::status), [1, 2, 3, 4, 5]);
        assert_eq!(own.map(Exit::as_jujus), [1, 2, 1, 1, 1]);
        assert_eq!(Exit::Command(7).as_jujus(), 7);
        let passed_on = Failure::of_command(7);
        assert_eq!((passed_on.exit.status(), passed_on.is_silent()), (7, true));
    }

    #[test]
    fn a_problem_decides_the_exit_status() {
        for (status, exit) in [
            (400, Exit::Usage),
            (404, Exit::NotFound),
            (409, Exit::Conflict),
            (504, Exit::TimedOut),
            (401, Exit::Failed),
            (500, Exit::Failed),
        ] {
            let mut problem = Problem::new(Refusal::BadRequest);
            problem.status = status;
            let failure = Failure::from(RestError::Problem(problem));
            assert_eq!(failure.exit, exit, "{status}");
            assert_eq!(lines(&failure).len(), 3);
        }
        let problem = Problem::new(Refusal::NotFound(Subject::Application))
            .titled("application \"site\" not found")
            .why("model \"demo\" has no application of this name")
            .advice("periapt status -m demo");
        assert_eq!(
            lines(&Failure::from(RestError::Problem(problem))),
            [
                "ERROR application \"site\" not found",
                "  why: model \"demo\" has no application of this name",
                "  try: periapt status -m demo",
            ]
        );
    }

    #[test]
    fn a_title_in_general_words_gives_way_to_the_detail() {
        let problem = Problem::new(Refusal::NotFound(Subject::Application))
            .why("application \"nope\" not found")
            .advice("a");
        assert_eq!(
            lines(&Failure::from(RestError::Problem(problem))),
            [
                "ERROR application \"nope\" not found",
                "  why: Not found (application-not-found)",
                "  try: a"
            ]
        );
    }

    #[test]
    fn wrong_usage_is_told_by_its_kind() {
        for (line, why) in [
            ("frobnicate", "periapt has no such command"),
            ("statsu", "similar subcommand"),
            ("whoami --zzzzzzzz", "no such flag"),
            ("status --utcc", "similar argument"),
            ("add-unit site --to moon", "moon"),
            ("deploy", "<"),
        ] {
            let words = std::iter::once("periapt").chain(line.split(' '));
            let error = crate::arguments::Arguments::try_parse_from(words).unwrap_err();
            let failure = Failure::from(error).to_string();
            assert!(failure.contains(why), "{line}: {failure}");
            assert!(!failure.contains("incomplete"), "{line}: {failure}");
        }
    }

    #[test]
    fn wrong_usage_is_three_lines_too() {
        for line in [
            "deploy",
            "status --format pdf",
            "nonsense",
            "remove-unit site/0 --no-wait",
        ] {
            let words = std::iter::once("periapt").chain(line.split(' '));
            let error = crate::arguments::Arguments::try_parse_from(words).unwrap_err();
            let failure = Failure::from(error);
            assert_eq!(
                (failure.exit, lines(&failure).len()),
                (Exit::Usage, 3),
                "{failure}"
            );
        }
    }
}
