//! `version`.

use clap::{Args, ValueEnum};
use periapt_model::JUJU_VERSION;
use serde::Serialize;

use super::Context;
use crate::arguments::Target;
use crate::failure::Outcome;
use crate::juju;

#[derive(Debug, Args)]
pub struct Version {
    /// Show all details of the program.
    #[arg(long)]
    pub all: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: VersionFormat,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum VersionFormat {
    /// The version alone; with --all a document.
    #[default]
    Smart,
    Json,
    Yaml,
}

/// What `--all` tells. `version` is that of the Juju whose scripts and charms are understood.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    version: String,
    program: &'static str,
    program_version: &'static str,
}

/// `3.6.14-genericlinux-amd64`, as Juju says what it is.
pub fn of_juju() -> String {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64el",
        other => other,
    };
    format!("{JUJU_VERSION}-generic{}-{arch}", std::env::consts::OS)
}

pub fn version(context: &Context, arguments: &Version) -> Outcome {
    let output = context.output.to(&arguments.target)?;
    if arguments.all {
        let document = Document {
            version: of_juju(),
            program: "periapt",
            program_version: env!("CARGO_PKG_VERSION"),
        };
        return match arguments.format {
            VersionFormat::Json => output.json(&document),
            VersionFormat::Smart | VersionFormat::Yaml => output.yaml(&document),
        };
    }
    // A script that calls it by Juju's name asks whether its Juju is new enough.
    let version = match juju::is_called_so(std::env::args_os().next().as_deref()) {
        true => of_juju(),
        false => env!("CARGO_PKG_VERSION").to_owned(),
    };
    match arguments.format {
        VersionFormat::Json => output.json(&version),
        VersionFormat::Yaml => output.yaml(&version),
        VersionFormat::Smart => output.data(&version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jujus_version_has_a_release_and_an_architecture() {
        let version = of_juju();
        let parts: Vec<&str> = version.split('-').collect();
        assert_eq!(parts.len(), 3, "{version}");
        assert_eq!(parts[0].split('.').count(), 3, "{version}");
        assert!(parts[0].starts_with("3."), "{version}");
    }
}
