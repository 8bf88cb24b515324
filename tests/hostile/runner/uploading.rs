//! Attacks of archives: each is a file that says it is a charm. It is refused where it is deployed, and nothing of it
//! is kept.
//!
//! A recipe says what is in the archive. `metadata.yaml` and `charm.wasm` of a charm that means well are added unless
//! the recipe has its own:
//!
//! | line | what it adds |
//! |---|---|
//! | `entry NAME` | a file; the lines that begin with `\| ` are its content |
//! | `half NAME` | the first half of a component |
//! | `stored NAME` | as `entry`, not packed |
//! | `link NAME TARGET` | a symbolic link |
//! | `rename FROM TO` | the one name for the other in the finished archive, of the same length |
//! | `before TEXT` | bytes before the archive |
//!
//! Names and texts may have `\n`, `\\` and `\u{202e}`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::panic::catch_unwind;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use periapt_tests::{Home, assert_three_lines};
use zip::CompressionMethod::{Deflated, Stored};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::Verdicts;
use super::attack::Attack;
use super::neighbour::Neighbour;
use super::units::{ended, judged};
use crate::deep::guest::Guest;

const METADATA: &str = "name: bad\nsummary: bad\ndescription: bad\n";

pub fn run(attacks: &[Attack]) -> Result<Verdicts> {
    let home = crate::home()?;
    let neighbour = Neighbour::of(&home, "neighbour")?;
    let (ends, steps) = neighbour.beside(|| {
        let mut ends = BTreeMap::new();
        for attack in attacks {
            let from = Instant::now();
            let told = refused(&home, attack);
            ends.insert(
                attack.name,
                ended(from, told.map_err(|error| format!("{error:#}"))),
            );
        }
        Ok(ends)
    })?;
    neighbour.is_unharmed()?;
    let applications = home.status()?["applications"].clone();
    let left = applications.as_object().context("no applications")?;
    ensure!(left.len() == 1, "something is deployed: {applications}");
    Ok(judged(ends, &neighbour, &steps))
}

fn refused(home: &Home, attack: &Attack) -> Result<()> {
    let name = attack.application();
    let file = home.path().join(format!("{name}.charm"));
    fs::write(&file, archive(&attack.text)?)?;
    let answer = home.periapt(["deploy", &file.display().to_string(), &name])?;
    ensure!(answer.code != 0, "it is deployed: {answer:?}");
    attack.is_told(&answer.err).map_err(|why| anyhow!(why))?;
    let plain = catch_unwind(|| assert_three_lines(&answer, 2, &[]));
    plain.map_err(|_| anyhow!("not refused in three lines: {answer:?}"))?;
    ensure!(
        !answer.err.contains(|c: char| c.is_control() && c != '\n'),
        "what cannot be seen is shown: {answer:?}"
    );
    Ok(())
}

/// One file of the archive to be.
struct Entry {
    name: String,
    content: Vec<u8>,
    method: zip::CompressionMethod,
}

/// The archive of a recipe.
fn archive(recipe: &str) -> Result<Vec<u8>> {
    let component = Guest::default().component();
    let mut entries: Vec<Entry> = Vec::new();
    let mut add = |name: &str, content: &[u8], method| -> Result<()> {
        let name = unescaped(name)?;
        let content = content.to_vec();
        entries.push(Entry {
            name,
            content,
            method,
        });
        Ok(())
    };
    let mut links = Vec::new();
    let mut renames = Vec::new();
    let mut before = String::new();
    let mut lines = recipe.lines().peekable();
    while let Some(line) = lines.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "entry" | "stored" => {
                let mut content = String::new();
                while let Some(more) = lines.next_if(|line| line.starts_with("| ")) {
                    content.push_str(&more[2..]);
                    content.push('\n');
                }
                let method = if word == "entry" { Deflated } else { Stored };
                add(rest, content.as_bytes(), method)?;
            }
            "half" => add(rest, &component[..component.len() / 2], Stored)?,
            "link" => links.push(rest.split_once(' ').context("link NAME TARGET")?),
            "rename" => {
                let (from, to) = rest.split_once(' ').context("rename FROM TO")?;
                let (from, to) = (unescaped(from)?, unescaped(to)?);
                ensure!(from.len() == to.len(), "{from} and {to} differ in length");
                renames.push((from, to));
            }
            "before" => before = unescaped(rest)?,
            "" => {}
            _ => bail!("\"{line}\" is no line of a recipe"),
        }
    }
    for (name, content) in [
        ("metadata.yaml", METADATA.as_bytes()),
        ("charm.wasm", component.as_slice()),
    ] {
        if !entries.iter().any(|entry| entry.name == name) {
            entries.push(Entry {
                name: name.to_owned(),
                content: content.to_vec(),
                method: Stored,
            });
        }
    }
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in &entries {
        let options = SimpleFileOptions::default().compression_method(entry.method);
        writer.start_file(entry.name.as_str(), options)?;
        writer.write_all(&entry.content)?;
    }
    for (name, target) in links {
        writer.add_symlink(name, target, SimpleFileOptions::default())?;
    }
    let mut bytes = writer.finish()?.into_inner();
    for (from, to) in &renames {
        rename(&mut bytes, from.as_bytes(), to.as_bytes());
    }
    Ok([before.as_bytes(), &bytes].concat())
}

/// As an attacker's tool would, in every header.
fn rename(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let mut at = 0;
    while at + from.len() <= bytes.len() {
        if &bytes[at..at + from.len()] == from {
            bytes[at..at + from.len()].copy_from_slice(to);
        }
        at += 1;
    }
}

fn unescaped(text: &str) -> Result<String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        whole.push_str(before);
        rest = if let Some(after) = after.strip_prefix('n') {
            whole.push('\n');
            after
        } else if let Some(after) = after.strip_prefix('\\') {
            whole.push('\\');
            after
        } else {
            let code = after
                .strip_prefix("u{")
                .and_then(|code| code.split_once('}'));
            let (code, after) = code.with_context(|| format!("\\{after} is no escape"))?;
            let character = char::from_u32(u32::from_str_radix(code, 16)?);
            whole.push(character.context("no character")?);
            after
        };
    }
    whole.push_str(rest);
    Ok(whole)
}
