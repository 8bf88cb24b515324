//! A log file in which an event is a line, whatever it holds.
//!
//! Names and errors of strangers are logged as they came. A line end in one of them would begin a
//! line that nobody wrote, and an escape would speak to the terminal of whoever reads the file;
//! so both are written the way a program writes them, for every event, in the one place that all
//! of them pass.

use std::io::{self, Write};

use periapt_model::text::is_hidden;
use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;

/// Makes writers that escape what does not belong into a line. Each of their writes is one event
/// with its line end, which is how the formatter uses them.
pub struct OneLine<M>(pub M);

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for OneLine<M> {
    type Writer = Escaping<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        Escaping(self.0.make_writer())
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Self::Writer {
        Escaping(self.0.make_writer_for(metadata))
    }
}

/// A writer of events.
pub struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let (line, end) = match event.strip_suffix(b"\n") {
            Some(line) => (line, "\n"),
            None => (event, ""),
        };
        let line = String::from_utf8_lossy(line);
        let mut out = String::with_capacity(event.len());
        for character in line.chars() {
            match is_foreign(character) {
                true => out.extend(character.escape_default()),
                false => out.push(character),
            }
        }
        out.push_str(end);
        self.0.write_all(out.as_bytes()).map(|()| event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether a character ends a line, controls a terminal or is not seen.
fn is_foreign(character: char) -> bool {
    character.is_control() || is_hidden(character)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_forges_a_line_of_the_log() {
        let kept = Kept::default();
        let file = kept.clone();
        let layer = fmt::layer()
            .with_ansi(false)
            .with_writer(OneLine(move || file.clone()));
        let subscriber = tracing_subscriber::registry().with(layer);
        let forged = "name\n2026-11-22T00:00:00Z  INFO audit: login who=user-admin";
        tracing::subscriber::with_default(subscriber, || {
            let error =
                io::Error::other(format!("{forged} \u{1b}]0;owned\u{7} \u{9b}31m \u{2028}x"));
            tracing::info!(%error, name = forged, "charm {forged}\r refused");
            tracing::info!("naïve 漢字");
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.ends_with("naïve 漢字\n"), "{text}");
        assert!(
            text.contains(r"name\n2026") && text.contains(r"\u{1b}]0;owned"),
            "{text}"
        );
        let foreign = text.chars().filter(|c| *c != '\n' && is_foreign(*c));
        assert_eq!(foreign.count(), 0, "{text}");
    }
}
