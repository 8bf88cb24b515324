//! The files of the charm that is being compiled.

use std::path::{Path, PathBuf};

use periapt_declared::{Declared, FILES};
use proc_macro2::TokenStream;
use quote::quote;

/// The files, their texts and what they say.
pub struct Project {
    folder: PathBuf,
    texts: Vec<(&'static str, String)>,
    pub declared: Declared,
}

impl Project {
    /// The one in `folder` below that of `Cargo.toml`.
    pub fn read(folder: Option<&str>) -> Result<Self, String> {
        let root = std::env::var_os("CARGO_MANIFEST_DIR")
            .ok_or("cargo does not say where Cargo.toml is")?;
        let folder = PathBuf::from(root).join(folder.unwrap_or("."));
        let mut texts = Vec::new();
        for file in FILES {
            let path = folder.join(file);
            if path.is_file() {
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                texts.push((file, text));
            }
        }
        let declared = Declared::read(&borrowed(&texts))?;
        Ok(Self {
            folder,
            texts,
            declared,
        })
    }

    pub fn options_file(&self) -> &'static str {
        Declared::options_file(&borrowed(&self.texts))
    }

    pub fn actions_file(&self) -> &'static str {
        Declared::actions_file(&borrowed(&self.texts))
    }

    pub fn metadata_file(&self) -> &'static str {
        Declared::metadata_file(&borrowed(&self.texts))
    }

    /// The files as a value of the SDK. That they are included has the compiler run again when one changes.
    pub fn manifest(&self) -> TokenStream {
        let texts = self.included();
        let server = self.folder.join("server/Cargo.toml");
        let components = match server.is_file() {
            true => quote!(&["server.wasm"]),
            false => quote!(&[]),
        };
        quote!(::periapt_charm::Manifest { files: &[#(#texts),*], components: #components })
    }

    /// Has the compiler run again when one of the files changes.
    pub fn tracked(&self) -> TokenStream {
        let texts = self.included();
        quote!(const _: &[(&str, &str)] = &[#(#texts),*];)
    }

    fn included(&self) -> Vec<TokenStream> {
        let included = self.texts.iter().map(|(file, _)| {
            let path = absolute(&self.folder.join(file)).display().to_string();
            quote!((#file, ::core::include_str!(#path)))
        });
        included.collect()
    }
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn borrowed<'a>(texts: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    let texts = texts.iter();
    texts.map(|(file, text)| (*file, text.as_str())).collect()
}
