//! Why a call or a hook failed.

use std::fmt;

/// What a hook returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the host refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// An argument is malformed.
    Invalid,
    /// The thing asked for does not exist.
    NotFound,
    /// The charm may not do this here: not granted, not the leader, the wrong hook.
    Denied,
    /// A limit was reached.
    Limit,
    /// The controller cannot be reached or could not answer.
    Unavailable,
}

/// A refusal of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError {
    /// What kind of refusal it is.
    pub code: ErrorCode,
    /// What, why, and what to do, for a person.
    pub message: String,
}

impl HostError {
    /// A refusal with its reason.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HostError {}

/// Why a hook failed. Its text is what the operator reads.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The host refused a call.
    Host(HostError),
    /// The configuration does not fit the charm's `Config`.
    Config(String),
    /// What an action was given does not fit the struct of its parameters.
    Parameters(String),
    /// A state value is not what the charm expects, or cannot be written as JSON.
    State {
        /// The key of the value.
        key: String,
        /// What does not fit.
        reason: String,
    },
    /// What a member of a relation published does not fit the charm's struct.
    Relation {
        /// The relation's id.
        relation: String,
        /// The unit or application that published it.
        member: String,
        /// What does not fit.
        reason: String,
    },
    /// There is no shared directory of that name.
    Shared {
        /// The name asked for.
        name: String,
        /// Why there is none, and what to do.
        reason: String,
    },
    /// The system refused something, in its own words: a file operation, or what charms do not have, as sockets.
    Files(std::io::Error),
    /// Anything else, in the charm's own words.
    Failed(String),
}

impl Error {
    /// A failure in the charm's own words.
    pub fn failed(message: impl Into<String>) -> Self {
        Error::Failed(message.into())
    }

    /// The host's reason, where the host is the one who refused.
    pub fn host_code(&self) -> Option<ErrorCode> {
        match self {
            Error::Host(error) => Some(error.code),
            _ => None,
        }
    }

    /// Whether the host says that there is no such thing.
    pub fn is_not_found(&self) -> bool {
        self.host_code() == Some(ErrorCode::NotFound)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Host(error) => error.fmt(f),
            Error::Config(reason) => write!(f, "the configuration does not fit: {reason}"),
            Error::Parameters(reason) => write!(f, "the parameters do not fit: {reason}"),
            Error::State { key, reason } => write!(f, "state \"{key}\": {reason}"),
            Error::Relation {
                relation,
                member,
                reason,
            } => write!(f, "relation {relation}, data of {member}: {reason}"),
            Error::Shared { name, reason } => {
                write!(f, "shared directory \"{name}\": {reason}")
            }
            Error::Files(error) => error.fmt(f),
            Error::Failed(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Host(error) => Some(error),
            Error::Files(error) => Some(error),
            _ => None,
        }
    }
}

impl From<HostError> for Error {
    fn from(error: HostError) -> Self {
        Error::Host(error)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::Files(error)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Error::Failed(message)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Error::Failed(message.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Charms meet them at `?` where nobody opened a file, as with a socket.
    #[test]
    fn what_the_system_refuses_is_told_in_its_own_words() {
        let refused = io::Error::new(io::ErrorKind::Unsupported, "operation not supported");
        assert_eq!(Error::from(refused).to_string(), "operation not supported");
    }
}
