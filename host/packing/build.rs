//! Makes the source of the guest SDK a part of this crate, so that `periapt charm init` gives a project all that it
//! needs to be built anywhere.
//!
//! The folders keep their places to each other, and beside them lie the two workspaces that their manifests
//! name, with these crates as their only members.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The crates of the SDK and those of the host that it uses, below the checkout.
const CRATES: [&str; 6] = [
    "guest-sdk/declared",
    "guest-sdk/http",
    "guest-sdk/macros",
    "guest-sdk/rust",
    "host/contract",
    "host/plan",
];

/// The contract, which the SDK's crate names as a folder beside it.
const WIT: &str = "guest-sdk/wit";

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let checkout = here.join("../..").canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);

    let mut files = Vec::new();
    for folder in CRATES {
        let folder = checkout.join(folder);
        files.push(folder.join("Cargo.toml"));
        collect(&folder.join("src"), &mut files)?;
        watch(&folder.join("src"));
    }
    collect(&checkout.join(WIT), &mut files)?;
    watch(&checkout.join(WIT));
    files.sort();

    let mut source = String::from("pub const FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        let name = file.strip_prefix(&checkout)?.display().to_string();
        entry(&mut source, &name, file)?;
        println!("cargo::rerun-if-changed={}", file.display());
    }
    for (root, folder, members) in [
        ("Cargo.toml", "", ["host/contract", "host/plan", "", ""]),
        (
            "charms/Cargo.toml",
            "../",
            [
                "guest-sdk/declared",
                "guest-sdk/http",
                "guest-sdk/macros",
                "guest-sdk/rust",
            ],
        ),
    ] {
        let text = fs::read_to_string(checkout.join(root))?;
        let members: Vec<String> = members
            .iter()
            .filter(|member| !member.is_empty())
            .map(|member| format!("\"{folder}{member}\""))
            .collect();
        let text = with_members(&text, &members.join(", "));
        let copy = out.join(root.replace('/', "."));
        fs::write(&copy, text)?;
        entry(&mut source, root, &copy)?;
        println!("cargo::rerun-if-changed={}", checkout.join(root).display());
    }
    source.push_str("];\n");
    let lock = checkout.join("charms/Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    writeln!(
        source,
        "pub const LOCK: &str = include_str!({:?});",
        lock.display().to_string()
    )?;
    fs::write(out.join("sdk.rs"), source)?;
    Ok(())
}

fn entry(source: &mut String, name: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    let path = file.display().to_string();
    writeln!(source, "    ({name:?}, include_str!({path:?})),")?;
    Ok(())
}

/// Files that come or go change their folder.
fn watch(folder: &Path) {
    println!("cargo::rerun-if-changed={}", folder.display());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            collect(&path, files)?;
        } else if matches!(ending, Some("rs" | "wit")) {
            files.push(path);
        }
    }
    Ok(())
}

/// The manifest of a workspace with other members, and without those that it leaves out.
fn with_members(manifest: &str, members: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in manifest.lines() {
        if inside {
            inside = !line.trim_end().ends_with(']');
            continue;
        }
        if line.starts_with("members") {
            kept.push_str(&format!("members = [{members}]\n"));
            inside = !line.trim_end().ends_with(']');
        } else if !line.starts_with("exclude") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}
