//! Where words go. Data goes to standard output (or a file), everything else to standard error;
//! what charms say is cleaned of terminal control before it goes anywhere.

pub mod alerts;
pub mod document;
pub mod entities;
mod escape;
pub mod status;
pub mod storage;
pub mod table;
pub mod tasks;
pub mod text;
pub mod time;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::arguments::{General, Target};
use crate::failure::{Failure, Outcome};

/// The program's voice.
#[derive(Clone, Debug)]
pub struct Output {
    quiet: bool,
    color: Option<bool>,
    file: Option<PathBuf>,
}

impl Output {
    pub fn new(general: &General) -> Self {
        let color = match (general.color, general.no_color) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        Self {
            quiet: general.quiet,
            color,
            file: None,
        }
    }

    /// The same, with data going to `target`. The file is emptied at once, so that an earlier
    /// result is never taken for this one.
    pub fn to(&self, target: &Target) -> Outcome<Self> {
        if let Some(path) = &target.output {
            std::fs::write(path, "")
                .map_err(|error| Failure::file("cannot write the output", path, &error))?;
        }
        Ok(Self {
            file: target.output.clone(),
            ..self.clone()
        })
    }

    /// Whether data is painted: where it goes to a terminal, unless told otherwise.
    pub fn paints(&self) -> bool {
        self.color.unwrap_or_else(|| {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !refused && self.is_live() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        })
    }

    /// Whether a person watches the data as it comes.
    pub fn is_live(&self) -> bool {
        self.file.is_none() && std::io::stdout().is_terminal()
    }

    /// Writes data. It ends with a line end, whatever the text does.
    pub fn data(&self, text: &str) -> Outcome {
        let text = text.strip_suffix('\n').unwrap_or(text);
        match &self.file {
            Some(path) => to_file(path, |file| writeln!(file, "{text}")),
            None => to_stdout(|stdout| writeln!(stdout, "{text}")),
        }
    }

    /// Writes what a program wrote, byte for byte; to a terminal what may be shown of it.
    pub fn raw(&self, bytes: &[u8]) -> Outcome {
        match &self.file {
            _ if bytes.is_empty() => Ok(()),
            _ if self.is_live() => self.data(&text::clean(&String::from_utf8_lossy(bytes))),
            Some(path) => to_file(path, |file| file.write_all(bytes)),
            None => to_stdout(|stdout| stdout.write_all(bytes)),
        }
    }

    /// Writes a single value. A program gets it as it is, a terminal what may be shown of it.
    pub fn value(&self, value: &str) -> Outcome {
        match self.is_live() {
            true => self.data(&text::clean(value)),
            false => self.data(value),
        }
    }

    /// Clears the terminal and shows `text` from its top.
    pub fn redraw(&self, text: &str) -> Outcome {
        self.data(&format!("\u{1b}[H\u{1b}[2J{text}"))
    }

    pub fn json(&self, value: &impl Serialize) -> Outcome {
        let text = serde_json::to_string_pretty(value).map_err(unprintable)?;
        self.data(&escape::json(text))
    }

    /// One line of JSON.
    pub fn json_line(&self, value: &impl Serialize) -> Outcome {
        let text = serde_json::to_string(value).map_err(unprintable)?;
        self.data(&escape::json(text))
    }

    pub fn yaml(&self, value: &impl Serialize) -> Outcome {
        self.data(&escape::yaml(value).map_err(unprintable)?)
    }

    /// Tells a person what happened.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", text::clean(text));
        }
    }

    /// Whether only data and failures are wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// What another program reported before a failure, line by line as it wrote it.
    pub fn report(&self, text: &str) {
        if !text.is_empty() {
            let _ = writeln!(std::io::stderr(), "{}", text::clean(text));
        }
    }

    /// Progress, which only a person at a terminal wants.
    pub fn progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Asks a question that is answered with yes or no; none without a terminal, where nobody can answer.
    pub fn asks(&self, question: &str) -> Option<bool> {
        if !std::io::stdin().is_terminal() {
            return None;
        }
        let mut stderr = std::io::stderr();
        let _ = write!(stderr, "{} [y/N] ", text::clean(question));
        let _ = stderr.flush();
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer).ok()?;
        let answer = answer.trim().to_ascii_lowercase();
        Some(matches!(answer.as_str(), "y" | "yes"))
    }

    /// Asks before something is destroyed or skipped. Without a terminal nobody can answer, so a script has
    /// to say that it means it.
    pub fn confirm(&self, question: &str, no_prompt: bool) -> Outcome {
        if no_prompt {
            return Ok(());
        }
        if !std::io::stdin().is_terminal() {
            return Err(Failure::usage("this command needs confirmation")
                .why("standard input is not a terminal")
                .advice("add --no-prompt"));
        }
        let mut stderr = std::io::stderr();
        let _ = write!(stderr, "{} Continue? [y/N] ", text::clean(question));
        let _ = stderr.flush();
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        match (read, answer.trim().to_ascii_lowercase().as_str()) {
            (Ok(_), "y" | "yes") => Ok(()),
            _ => Err(Failure::failed("nothing was changed")
                .why("not confirmed")
                .advice("answer y to continue")),
        }
    }
}

fn to_file(path: &Path, write: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>) -> Outcome {
    let open = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path);
    open.and_then(|mut file| write(&mut file))
        .map_err(|error| Failure::file("cannot write the output", path, &error))
}

/// Has something written to standard output, all of it or until nobody reads any more.
pub fn to_stdout(
    write: impl FnOnce(&mut std::io::StdoutLock<'_>) -> std::io::Result<()>,
) -> Outcome {
    let mut stdout = std::io::stdout().lock();
    write(&mut stdout)
        .and_then(|()| stdout.flush())
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::unread(),
            _ => Failure::failed("cannot write to standard output").why(error.to_string()),
        })
}

fn unprintable(error: impl std::fmt::Display) -> Failure {
    Failure::failed("the result cannot be written in this format").why(error.to_string())
}
