//! Tables as Juju's users know them: columns two spaces apart, as wide as their widest cell, no
//! lines, nothing at the end of a line.

use owo_colors::{AnsiColors, OwoColorize};

use super::text::clean_line;

/// What a cell tells besides its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    Good,
    Busy,
    Bad,
    Quiet,
}

impl Tone {
    /// Semantic colours: green works, yellow is on its way, red needs someone.
    pub fn of_status(status: &str) -> Tone {
        match status {
            "active" | "attached" | "idle" | "started" | "running" | "available" | "executing"
            | "joined" => Tone::Good,
            "waiting" | "maintenance" | "allocating" | "pending" | "busy" | "rebooting"
            | "joining" | "destroying" | "detaching" | "resting" => Tone::Busy,
            "error" | "blocked" | "failed" | "lost" | "down" | "provisioning error" | "broken"
            | "suspended" => Tone::Bad,
            "detached" | "unknown" | "terminated" | "stopped" | "unset" | "uninstalled"
            | "not built" | "library" => Tone::Quiet,
            _ => Tone::Plain,
        }
    }

    pub fn paint(self, text: &str) -> String {
        let color = match self {
            Tone::Plain => return text.to_owned(),
            Tone::Good => AnsiColors::Green,
            Tone::Busy => AnsiColors::Yellow,
            Tone::Bad => AnsiColors::Red,
            Tone::Quiet => AnsiColors::BrightBlack,
        };
        text.color(color).to_string()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A cell whose word is a status.
    pub fn status(text: &str) -> Self {
        Cell {
            tone: Tone::of_status(text),
            text: clean_line(text),
        }
    }

    pub fn toned(text: impl AsRef<str>, tone: Tone) -> Self {
        Cell {
            text: clean_line(text.as_ref()),
            tone,
        }
    }

    /// A cell whose leading spaces say something.
    pub fn indented(depth: usize, text: &str) -> Self {
        Cell {
            text: format!("{}{}", "  ".repeat(depth), clean_line(text)),
            tone: Tone::Plain,
        }
    }

    fn plain(&self) -> String {
        self.text.clone()
    }

    fn painted(&self) -> String {
        self.tone.paint(&self.text)
    }

    /// As the header of a column, which Juju's tables have in bold.
    fn bold(&self) -> String {
        self.text.bold().to_string()
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell::toned(text, Tone::Plain)
    }
}

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Table {
    headers: Vec<&'static str>,
    right: Vec<bool>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn new(headers: &[&'static str]) -> Self {
        Self {
            headers: headers.to_vec(),
            right: vec![false; headers.len()],
            rows: Vec::new(),
        }
    }

    /// Aligns a column of numbers to the right.
    #[must_use]
    pub fn right(mut self, header: &str) -> Self {
        for (column, right) in self.headers.iter().zip(&mut self.right) {
            *right |= *column == header;
        }
        self
    }

    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The lines, each ended; nothing where there is no row.
    pub fn render(&self, paint: bool) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let headers: Vec<Cell> = self.headers.iter().map(Cell::from).collect();
        let widths: Vec<usize> = (0..self.headers.len())
            .map(|column| {
                let cells = std::iter::once(&headers)
                    .chain(&self.rows)
                    .filter_map(|row| row.get(column));
                cells
                    .map(|cell| width(&cell.text))
                    .max()
                    .unwrap_or_default()
            })
            .collect();
        let mut out = String::new();
        let head: fn(&Cell) -> String = if paint { Cell::bold } else { Cell::plain };
        let body: fn(&Cell) -> String = if paint { Cell::painted } else { Cell::plain };
        self.line(&mut out, &headers, &widths, head);
        for row in &self.rows {
            self.line(&mut out, row, &widths, body);
        }
        out
    }

    fn line(&self, out: &mut String, row: &[Cell], widths: &[usize], shown: fn(&Cell) -> String) {
        let last = row
            .iter()
            .rposition(|cell| !cell.text.is_empty())
            .unwrap_or_default();
        for (column, cell) in row.iter().enumerate().take(last + 1) {
            let padding = " ".repeat(
                widths
                    .get(column)
                    .copied()
                    .unwrap_or_default()
                    .saturating_sub(width(&cell.text)),
            );
            let text = shown(cell);
            let right = self.right.get(column).copied().unwrap_or_default();
            if right {
                out.push_str(&padding);
            }
            out.push_str(&text);
            if column < last {
                if !right {
                    out.push_str(&padding);
                }
                out.push_str("  ");
            }
        }
        out.push('\n');
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["App", "Status", "Scale", "Message"]).right("Scale");
        table.row(vec![
            "site".into(),
            Cell::status("active"),
            "10".into(),
            "".into(),
        ]);
        table.row(vec![
            "a-long-name".into(),
            Cell::status("error"),
            "1/12".into(),
            "hook failed".into(),
        ]);
        table
    }

    #[test]
    fn columns_are_two_spaces_apart_and_lines_end_with_their_last_word() {
        let expected = "\
App          Status  Scale  Message
site         active     10
a-long-name  error    1/12  hook failed
";
        assert_eq!(table().render(false), expected);
    }

    #[test]
    fn colours_do_not_move_columns() {
        let painted = table().render(true);
        assert!(
            painted.contains("\u{1b}[32mactive\u{1b}[39m"),
            "{painted:?}"
        );
        assert!(painted.contains("\u{1b}[31merror\u{1b}[39m"));
        assert!(painted.starts_with("\u{1b}[1mApp\u{1b}[0m          \u{1b}[1mStatus\u{1b}[0m  "));
        assert_eq!(super::super::text::clean(&painted), table().render(false));
    }

    #[test]
    fn a_table_without_rows_is_nothing() {
        assert_eq!(Table::new(&["App"]).render(false), "");
    }

    #[test]
    fn a_charm_cannot_break_a_line() {
        let mut table = Table::new(&["Unit", "Message"]);
        table.row(vec!["site/0".into(), "one\ntwo\u{1b}[2J".into()]);
        assert_eq!(table.render(false), "Unit    Message\nsite/0  one two\n");
        assert!(table.render(true).ends_with("\nsite/0  one two\n"));
    }
}
