//! A new charm project, written from templates.

use std::fs;
use std::path::{Path, PathBuf};

use periapt_model::charm::CharmUrl;

use crate::error::At;
use crate::{PackingError, Template};

/// How to make a project.
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    pub template: Template,
    /// The folder of the crate `periapt-charm`, or of a checkout that has it as
    /// `guest-sdk/rust`. None takes the crate by its version.
    pub sdk: Option<PathBuf>,
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitReport {
    pub dir: PathBuf,
    /// Paths below `dir`, sorted.
    pub files: Vec<String>,
    /// What to do next, a sentence with its command each.
    pub next_steps: Vec<String>,
}

/// Writes a project for a charm called `name` into `dir`, which must be new or empty.
pub fn init(name: &str, dir: &Path, options: &InitOptions) -> Result<InitReport, PackingError> {
    CharmUrl::new(name, 0)?;
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(PackingError::NotEmpty {
            dir: dir.to_owned(),
        });
    }
    let sdk = options.sdk.as_deref().map(sdk_crate).transpose()?;
    // The crate for web workloads lies beside it.
    let http = sdk.as_deref().map(|sdk| sdk.with_file_name("http"));
    let (dependency, http) = (dependency(sdk.as_deref()), dependency(http.as_deref()));
    let mut files = Vec::new();
    for (file, template) in options.template.files() {
        let text = template
            .replace("{{name}}", name)
            .replace("{{crate}}", &crate_name(name))
            .replace("{{type}}", &type_name(name))
            .replace("{{dependency}}", &dependency)
            .replace("{{http}}", &http);
        let path = dir.join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).at(parent)?;
        }
        fs::write(&path, text).at(&path)?;
        files.push((*file).to_owned());
    }
    files.sort();
    Ok(InitReport {
        dir: dir.to_owned(),
        files,
        next_steps: vec![
            format!("Go there: cd {}", dir.display()),
            format!("Run its tests natively: {}", options.template.test()),
            "Build it and pack it: periapt charm pack".to_owned(),
            format!("Deploy it: periapt deploy ./{name}.charm"),
        ],
    })
}

/// How a manifest names a crate of the SDK.
fn dependency(folder: Option<&Path>) -> String {
    match folder {
        Some(folder) => {
            // A quoted JSON string is a TOML basic string as well.
            let path = serde_json::Value::from(folder.display().to_string());
            format!("{{ path = {path} }}")
        }
        None => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
    }
}

/// The crate's folder, given itself or the checkout around it.
fn sdk_crate(folder: &Path) -> Result<PathBuf, PackingError> {
    let inside = folder.join("guest-sdk/rust");
    let found = if inside.join("Cargo.toml").is_file() {
        inside
    } else {
        folder.to_owned()
    };
    if !found.join("Cargo.toml").is_file() {
        return Err(PackingError::NotAProject {
            dir: found,
            file: "Cargo.toml",
        });
    }
    found.canonicalize().at(&found)
}

/// Words that cannot name a crate, or not one that depends on the SDK.
const RESERVED: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "core",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "periapt-charm",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "serde",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// The charm's name where Rust takes it for a crate, else one made of it.
fn crate_name(name: &str) -> String {
    match RESERVED.contains(&name) {
        true => format!("{name}-for-periapt"),
        false => name.to_owned(),
    }
}

/// What a type's name takes of the charm's: with more, rustfmt would break lines of the templates.
const TYPE_CHARACTERS: usize = 48;

/// `my-site` as `MySiteCharm`: the ending keeps it apart from keywords and from what the SDK
/// exports.
fn type_name(name: &str) -> String {
    let words = name.split('-').flat_map(|part| {
        let mut letters = part.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase())
            .into_iter()
            .chain(letters)
    });
    words.take(TYPE_CHARACTERS).chain("Charm".chars()).collect()
}
