//! `#[charm]`.

use periapt_declared::{Declared, suggestion};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, ImplItem, ItemImpl, LitStr};

use crate::checks;
use crate::project::Project;

/// Methods of the trait, and the variant of `Hook` for which each is.
const HOOKS: [(&str, &str); 15] = [
    ("install", "Install"),
    ("leader_elected", "LeaderElected"),
    ("leader_settings_changed", "LeaderSettingsChanged"),
    ("config_changed", "ConfigChanged"),
    ("start", "Start"),
    ("update_status", "UpdateStatus"),
    ("upgrade_charm", "UpgradeCharm"),
    ("stop", "Stop"),
    ("remove", "Remove"),
    ("collect_metrics", "CollectMetrics"),
    ("meter_status_changed", "MeterStatusChanged"),
    ("secret_changed", "SecretChanged"),
    ("secret_expired", "SecretExpired"),
    ("secret_rotate", "SecretRotate"),
    ("secret_remove", "SecretRemove"),
];

const RELATION_HOOKS: [(&str, &str); 5] = [
    ("relation_created", "Created"),
    ("relation_joined", "Joined"),
    ("relation_changed", "Changed"),
    ("relation_departed", "Departed"),
    ("relation_broken", "Broken"),
];

const STORAGE_HOOKS: [(&str, &str); 2] = [
    ("storage_attached", "Attached"),
    ("storage_detaching", "Detaching"),
];

pub fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut charm: ItemImpl = match syn::parse2(item.clone()) {
        Ok(charm) => charm,
        Err(_) => {
            let error = Error::new(
                Span::call_site(),
                "#[charm] stands on `impl Charm for …`, the block with the hooks",
            )
            .to_compile_error();
            return quote!(#item #error);
        }
    };
    match complete(arguments, &mut charm) {
        Ok(errors) => {
            let errors = errors.iter().map(Error::to_compile_error);
            // Has the compiler run again when the variable is set or no longer set.
            let follows = constant(&charm, "ACTIONS").map(|_| {
                quote!(
                    const _: Option<&str> = ::core::option_env!(#UPDATE);
                )
            });
            quote!(#charm #follows #(#errors)*)
        }
        Err(error) => {
            // Without these lists the compiler would complain of them as well.
            if !has(&charm, "HOOKS") {
                charm.items.push(syn::parse_quote!(
                    const HOOKS: &'static [::periapt_charm::Hook] = &[];
                ));
            }
            let error = error.to_compile_error();
            quote!(#charm #error)
        }
    }
}

/// Adds what the files and the methods say. What the code says otherwise comes back as errors.
fn complete(arguments: TokenStream, charm: &mut ItemImpl) -> Result<Vec<Error>, Error> {
    let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.to_string());
    let named = charm.trait_.as_ref().and_then(|(path, _)| last(path));
    let is_charm = named.as_deref() == Some("Charm");
    if !is_charm {
        return Err(Error::new(
            charm.impl_token.span(),
            "#[charm] stands on `impl Charm for …`, the block with the hooks",
        ));
    }
    let mut folder: Option<LitStr> = None;
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("project") {
            folder = Some(meta.value()?.parse()?);
            return Ok(());
        }
        Err(meta.error("#[charm] takes project = \"FOLDER\" and nothing else"))
    });
    syn::parse::Parser::parse2(parser, arguments)?;
    let project = Project::read(folder.map(|folder| folder.value()).as_deref())
        .map_err(|why| Error::new(Span::call_site(), why))?;
    let mut errors = Vec::new();

    if !has(charm, "HOOKS") {
        let hooks = answered(charm, &HOOKS);
        let hooks = hooks.iter().map(|(_, hook)| ident(hook));
        charm.items.push(syn::parse_quote! {
            const HOOKS: &'static [::periapt_charm::Hook] = &[#(::periapt_charm::Hook::#hooks),*];
        });
    }
    if method(charm, "collect_metrics").is_some() && project.declared.metrics.is_empty() {
        errors.extend(method(charm, "collect_metrics").map(|span| {
            Error::new(span, "collect-metrics never runs: there is no metrics.yaml that declares metrics, such as `metrics: {requests: {type: absolute}}`")
        }));
    }
    let declared = &project.declared;
    let file = project.metadata_file();
    let endpoints: Vec<&str> = declared.endpoints.keys().map(String::as_str).collect();
    let what = Listed {
        names: "ENDPOINTS",
        hooks: "RELATION_HOOKS",
        kind: "RelationHook",
        known: &endpoints,
        // Every charm has this one without declaring it.
        implicit: &["juju-info"],
        missing: format!(
            "{file} declares no endpoint, so no hook of a relation ever runs; write, for example, `requires: {{database: {{interface: http}}}}`"
        ),
        unknown: format!("{file} declares no endpoint"),
    };
    errors.extend(list(charm, &RELATION_HOOKS, &what));
    let storage: Vec<&str> = declared.storage.keys().map(String::as_str).collect();
    let what = Listed {
        names: "STORAGE",
        hooks: "STORAGE_HOOKS",
        kind: "StorageHook",
        known: &storage,
        implicit: &[],
        missing: format!(
            "{file} declares no storage, so this hook never runs; write, for example, `storage: {{data: {{type: filesystem}}}}`"
        ),
        unknown: format!("{file} declares no storage"),
    };
    errors.extend(list(charm, &STORAGE_HOOKS, &what));
    errors.extend(actions(charm, declared, project.actions_file()));
    if !has_type(charm, "Config") {
        match declared.options.keys().next() {
            None => charm.items.push(syn::parse_quote!(type Config = ();)),
            Some(option) => errors.push(Error::new(
                charm.self_ty.span(),
                format!(
                    "{} declares the option \"{option}\", and nothing reads it: add `type Config = …;` with a struct that derives `Deserialize` and `periapt_charm::Options`",
                    project.options_file()
                ),
            )),
        }
    }
    let manifest = project.manifest();
    charm.items.push(syn::parse_quote! {
        const MANIFEST: ::core::option::Option<::periapt_charm::Manifest> = ::core::option::Option::Some(#manifest);
    });
    Ok(errors)
}

/// A list of names with the hooks that they have.
struct Listed<'a> {
    names: &'a str,
    hooks: &'a str,
    kind: &'a str,
    known: &'a [&'a str],
    implicit: &'a [&'a str],
    missing: String,
    unknown: String,
}

fn list(charm: &mut ItemImpl, methods: &[(&str, &str)], what: &Listed<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    let answered = answered(charm, methods);
    if let Some(written) = constant(charm, what.names) {
        for name in checks::texts(written) {
            let (text, span) = (name.value(), name.span());
            if !what.known.contains(&text.as_str()) && !what.implicit.contains(&text.as_str()) {
                let meant = suggestion(&text, what.known.iter().copied());
                errors.push(Error::new(
                    span,
                    format!("{} \"{text}\"{meant}", what.unknown),
                ));
            }
        }
    } else {
        let names: &[&str] = match answered.is_empty() {
            true => &[],
            false => what.known,
        };
        if let Some((span, _)) = answered.first().filter(|_| what.known.is_empty()) {
            errors.push(Error::new(*span, &what.missing));
        }
        let list = ident(what.names);
        charm.items.push(syn::parse_quote! {
            const #list: &'static [&'static str] = &[#(#names),*];
        });
    }
    if !has(charm, what.hooks) {
        let (list, kind) = (ident(what.hooks), ident(what.kind));
        let hooks = answered.iter().map(|(_, hook)| ident(hook));
        charm.items.push(syn::parse_quote! {
            const #list: &'static [::periapt_charm::#kind] = &[#(::periapt_charm::#kind::#hooks),*];
        });
    }
    errors
}

/// The variable with which a charm's tests write `actions.yaml` anew: the file follows the code then.
const UPDATE: &str = "UPDATE_ACTIONS_YAML";

/// The names in `ACTIONS`, where they are written there, against the file.
fn actions(charm: &ItemImpl, declared: &Declared, file: &str) -> Vec<Error> {
    let Some(written) = constant(charm, "ACTIONS") else {
        let first = declared.actions.iter().next().into_iter();
        let unanswered = first.map(|action| {
            Error::new(
                charm.self_ty.span(),
                format!("{file} declares the action \"{action}\", and the charm has no ACTIONS"),
            )
        });
        return unanswered.collect();
    };
    if std::env::var_os(UPDATE).is_some() {
        return Vec::new();
    }
    // A list that stands elsewhere is for `periapt charm lint`, which looks at the component.
    let Some(names) = checks::actions(written) else {
        return Vec::new();
    };
    let known = || declared.actions.iter().map(String::as_str);
    let mut errors = Vec::new();
    for name in &names {
        let text = name.value();
        if !declared.actions.contains(&text) {
            let meant = suggestion(&text, known());
            errors.push(Error::new(
                name.span(),
                format!(
                    "{file} declares no action \"{text}\"{meant}; {UPDATE}=1 cargo test writes actions.yaml, if a test calls check_actions_yaml"
                ),
            ));
        }
    }
    let absent = known().filter(|action| names.iter().all(|name| name.value() != *action));
    errors.extend(absent.map(|action| {
        Error::new(
            written.span(),
            format!("{file} declares the action \"{action}\", which is not in ACTIONS"),
        )
    }));
    errors
}

/// Those of `methods` that are there, with their places.
fn answered<'a>(charm: &ItemImpl, methods: &[(&str, &'a str)]) -> Vec<(Span, &'a str)> {
    let found = methods.iter().filter_map(|(name, hook)| {
        let span = method(charm, name)?;
        Some((span, *hook))
    });
    found.collect()
}

fn method(charm: &ItemImpl, name: &str) -> Option<Span> {
    charm.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == name => Some(method.sig.ident.span()),
        _ => None,
    })
}

fn constant<'a>(charm: &'a ItemImpl, name: &str) -> Option<&'a syn::Expr> {
    charm.items.iter().find_map(|item| match item {
        ImplItem::Const(constant) if constant.ident == name => Some(&constant.expr),
        _ => None,
    })
}

fn has(charm: &ItemImpl, name: &str) -> bool {
    constant(charm, name).is_some()
}

fn has_type(charm: &ItemImpl, name: &str) -> bool {
    let named = |item: &ImplItem| matches!(item, ImplItem::Type(own) if own.ident == name);
    charm.items.iter().any(named)
}

fn ident(name: &str) -> syn::Ident {
    syn::Ident::new(name, Span::call_site())
}

#[cfg(test)]
mod tests;
