//! `#[derive(Options)]`.

use std::collections::BTreeSet;

use periapt_declared::{Kind, Opt, suggestion};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Type};

use crate::project::Project;

/// Types that hold numbers without a fraction.
const INTEGERS: [&str; 12] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
];

pub fn expand(item: TokenStream) -> TokenStream {
    match syn::parse2(item).and_then(|item| checked(&item)) {
        Ok((tracked, errors)) => {
            let errors = errors.iter().map(Error::to_compile_error);
            quote!(#tracked #(#errors)*)
        }
        Err(error) => error.to_compile_error(),
    }
}

/// What the attributes of the struct say.
#[derive(Default)]
struct Said {
    project: Option<String>,
    unread: Vec<LitStr>,
    rename_all: Option<String>,
    default: bool,
}

fn checked(item: &DeriveInput) -> Result<(TokenStream, Vec<Error>), Error> {
    let Data::Struct(data) = &item.data else {
        return Err(Error::new(
            item.ident.span(),
            "the options of a charm are a struct",
        ));
    };
    let fields: Vec<&Field> = match &data.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(_) => {
            return Err(Error::new(
                item.ident.span(),
                "the options of a charm are a struct with named fields",
            ));
        }
    };
    let said = of_struct(item)?;
    let project =
        Project::read(said.project.as_deref()).map_err(|why| Error::new(item.ident.span(), why))?;
    let file = project.options_file();
    let options = &project.declared.options;
    let known = || options.keys().map(String::as_str);
    let mut errors = Vec::new();
    let mut read: BTreeSet<String> = BTreeSet::new();
    for field in fields {
        let Some(ident) = &field.ident else {
            continue;
        };
        let own = of_field(field)?;
        if own.skipped {
            continue;
        }
        if own.flattened {
            errors.push(Error::new(
                ident.span(),
                "the options of a flattened field cannot be told; write them here",
            ));
            continue;
        }
        let written = ident.to_string();
        let written = written.strip_prefix("r#").unwrap_or(&written).to_owned();
        let name = match own.rename {
            Some(name) => name,
            None => renamed(&written, said.rename_all.as_deref())
                .map_err(|why| Error::new(item.ident.span(), why))?,
        };
        match options.get(&name) {
            None => errors.push(Error::new(
                ident.span(),
                format!(
                    "{file} declares no option \"{name}\"{}",
                    meant(&name, known())
                ),
            )),
            Some(option) => {
                errors.extend(fits(
                    &name,
                    option,
                    field,
                    own.default || said.default,
                    file,
                ));
            }
        }
        read.insert(name);
    }
    for name in &said.unread {
        let text = name.value();
        if !options.contains_key(&text) {
            errors.push(Error::new(
                name.span(),
                format!(
                    "{file} declares no option \"{text}\"{}",
                    suggestion(&text, known())
                ),
            ));
        }
        read.insert(text);
    }
    for (name, option) in options.iter().filter(|(name, _)| !read.contains(*name)) {
        errors.push(Error::new(
            item.ident.span(),
            format!(
                "{file} declares the option \"{name}\", and no field reads it: add `{}`, or say #[options(unread(\"{name}\"))]",
                field_for(name, option)
            ),
        ));
    }
    Ok((project.tracked(), errors))
}

/// A slip, or the case that serde would have to be told of.
fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let kebab = name.replace('_', "-");
    match known.clone().any(|one| one == kebab && one != name) {
        true => {
            format!("; for \"{kebab}\" write #[serde(rename_all = \"kebab-case\")] on the struct")
        }
        false => suggestion(name, known),
    }
}

fn field_for(name: &str, option: &Opt) -> String {
    let kind = match option.kind {
        Kind::String | Kind::Secret => "String",
        Kind::Int => "i64",
        Kind::Float => "f64",
        Kind::Boolean => "bool",
    };
    let field = name.replace('-', "_");
    match option.default {
        Some(_) => format!("{field}: {kind}"),
        None => format!("{field}: Option<{kind}>"),
    }
}

fn fits(name: &str, option: &Opt, field: &Field, defaults: bool, file: &str) -> Option<Error> {
    let (inner, optional) = match inside_option(&field.ty) {
        Some(inner) => (inner, true),
        None => (&field.ty, false),
    };
    if option.default.is_none() && !optional && !defaults {
        return Some(Error::new(
            field.ty.span(),
            format!(
                "the option \"{name}\" has no default in {file} and may be without a value: make it an `Option`, or give it a default there"
            ),
        ));
    }
    let written = last_word(inner)?;
    let integer = INTEGERS.contains(&written.as_str());
    let float = written == "f32" || written == "f64";
    let text = written == "String" || written == "PathBuf";
    let flag = written == "bool";
    // Other types, such as an enum of the charm, are serde's to fill.
    let wrong = match option.kind {
        Kind::String | Kind::Secret => integer || float || flag,
        Kind::Int => text || flag,
        Kind::Float => text || flag || integer,
        Kind::Boolean => text || integer || float,
    };
    wrong.then(|| {
        let kind = option.kind.as_str();
        Error::new(
            inner.span(),
            format!(
                "the option \"{name}\" is of type {kind} in {file}, which `{written}` cannot hold"
            ),
        )
    })
}

fn inside_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    if last.ident != "Option" {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

fn last_word(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// What serde calls a field.
fn renamed(field: &str, rule: Option<&str>) -> Result<String, String> {
    Ok(match rule {
        None | Some("snake_case" | "lowercase") => field.to_owned(),
        Some("kebab-case") => field.replace('_', "-"),
        Some("UPPERCASE" | "SCREAMING_SNAKE_CASE") => field.to_uppercase(),
        Some("SCREAMING-KEBAB-CASE") => field.to_uppercase().replace('_', "-"),
        Some("camelCase") => camel(field, false),
        Some("PascalCase") => camel(field, true),
        Some(other) => return Err(format!("there is no rule \"{other}\" for names")),
    })
}

fn camel(field: &str, mut upper: bool) -> String {
    let mut name = String::new();
    for letter in field.chars() {
        match letter {
            '_' => upper = true,
            letter if upper => {
                name.extend(letter.to_uppercase());
                upper = false;
            }
            letter => name.push(letter),
        }
    }
    name
}

fn of_struct(item: &DeriveInput) -> Result<Said, Error> {
    let mut said = Said::default();
    for attribute in &item.attrs {
        if attribute.path().is_ident("options") {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("project") {
                    said.project = Some(meta.value()?.parse::<LitStr>()?.value());
                    return Ok(());
                }
                if meta.path.is_ident("unread") {
                    let names;
                    syn::parenthesized!(names in meta.input);
                    let names = names.parse_terminated(parse_text, syn::Token![,])?;
                    said.unread.extend(names);
                    return Ok(());
                }
                Err(meta.error(
                    "#[options] takes unread(\"NAME\") and project = \"FOLDER\", and nothing else",
                ))
            })?;
        } else if attribute.path().is_ident("serde") {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("rename_all") && meta.input.peek(syn::Token![=]) {
                    said.rename_all = Some(meta.value()?.parse::<LitStr>()?.value());
                    return Ok(());
                }
                said.default |= meta.path.is_ident("default");
                passed_over(&meta)
            })?;
        }
    }
    Ok(said)
}

fn parse_text(input: syn::parse::ParseStream<'_>) -> Result<LitStr, Error> {
    input.parse()
}

/// What serde's attributes say of a field.
#[derive(Default)]
struct OfField {
    rename: Option<String>,
    default: bool,
    skipped: bool,
    flattened: bool,
}

fn of_field(field: &Field) -> Result<OfField, Error> {
    let mut said = OfField::default();
    for attribute in &field.attrs {
        if !attribute.path().is_ident("serde") {
            continue;
        }
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") && meta.input.peek(syn::Token![=]) {
                said.rename = Some(meta.value()?.parse::<LitStr>()?.value());
                return Ok(());
            }
            said.default |= meta.path.is_ident("default");
            said.skipped |= meta.path.is_ident("skip") || meta.path.is_ident("skip_deserializing");
            said.flattened |= meta.path.is_ident("flatten");
            passed_over(&meta)
        })?;
    }
    Ok(said)
}

/// Reads to the next part of an attribute that is serde's alone.
fn passed_over(meta: &syn::meta::ParseNestedMeta<'_>) -> Result<(), Error> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inside;
        syn::parenthesized!(inside in meta.input);
        inside.parse::<TokenStream>()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
