//! A new charm project, written from templates.

use std::fs;
use std::path::{Path, PathBuf};

use periapt_model::charm::CharmUrl;

use crate::error::At;
use crate::{PackingError, Template, sdk};

/// How to make a project.
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    pub template: Template,
    /// The folder of the crate `periapt-charm`, or of a checkout that has it as
    /// `guest-sdk/rust`. None gives the project a copy of the SDK that this program was built with.
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
    let given = options.sdk.as_deref().map(sdk_crate).transpose()?;
    let (charm, http) = match &given {
        // The crate for web workloads lies beside it.
        Some(given) => (given.clone(), given.with_file_name("http")),
        None => {
            let copy = Path::new(sdk::FOLDER).join("guest-sdk");
            // Named by the crate in the folder `server`.
            (copy.join("rust"), Path::new("..").join(copy).join("http"))
        }
    };
    let (dependency, http) = (dependency(&charm), dependency(&http));
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
    let lock = dir.join("Cargo.lock");
    fs::write(&lock, sdk::LOCK).at(&lock)?;
    files.push("Cargo.lock".to_owned());
    if given.is_none() {
        sdk::vendor(dir)?;
        files.push(format!("{}/", sdk::FOLDER));
    }
    files.sort();
    Ok(InitReport {
        dir: dir.to_owned(),
        files,
        next_steps: vec![
            format!("Go there: cd {}", dir.display()),
            "Run its tests, without a controller: periapt charm test".to_owned(),
            "Build it and pack it: periapt charm pack".to_owned(),
            format!("Deploy it: periapt deploy ./{name}.charm"),
            "Have it built and refreshed whenever you save: periapt charm watch".to_owned(),
        ],
    })
}

/// How a manifest names a crate of the SDK.
fn dependency(folder: &Path) -> String {
    // A quoted JSON string is a TOML basic string as well.
    let path = serde_json::Value::from(folder.display().to_string());
    format!("{{ path = {path} }}")
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
