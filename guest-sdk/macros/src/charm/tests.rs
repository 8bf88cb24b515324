use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::*;

const PROJECT: &str = "project = \"tests/hello\"";

/// The block as it is compiled, and what is said of it.
fn made(item: TokenStream) -> (String, String) {
    let mut charm: ItemImpl = syn::parse2(item).expect("is a block");
    let arguments = PROJECT.parse().expect("is Rust");
    match complete(arguments, &mut charm) {
        Ok(errors) => {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            (charm.to_token_stream().to_string(), texts.join("\n"))
        }
        Err(error) => (String::new(), error.to_string()),
    }
}

#[test]
fn the_lists_are_made_of_methods_and_files() {
    let (code, errors) = made(quote! {
        impl Charm for Hello {
            type Config = Config;
            const ACTIONS: &'static [Action<Self>] =
                &[Action::new("greet", "Greets.", &Self::greet).parallel()];
            fn config_changed(&mut self, context: &Context<Config>) -> Result<()> { Ok(()) }
            fn relation_changed(&mut self, c: &Context<Config>, e: &RelationEvent) -> Result<()> { Ok(()) }
        }
    });
    assert_eq!(errors, "");
    let code = code.replace(' ', "");
    for wanted in [
        "constHOOKS:&'static[::periapt_charm::Hook]=&[::periapt_charm::Hook::ConfigChanged];",
        "constENDPOINTS:&'static[&'staticstr]=&[\"friends\",\"website\"];",
        "=&[::periapt_charm::RelationHook::Changed];",
        "constSTORAGE:&'static[&'staticstr]=&[];",
        "\"charmcraft.yaml\",::core::include_str!",
    ] {
        assert!(code.contains(wanted), "{wanted}\n{code}");
    }
}

#[test]
fn what_never_runs_and_what_is_not_answered_is_an_error() {
    let (_, errors) = made(quote! {
        impl periapt_charm::Charm for Hello {
            const ENDPOINTS: &'static [&'static str] = &["websiet", OTHER, "juju-info"];
            const ACTIONS: &'static [Action<Self>] = &[Action::new("gret", "Greets.", &Self::greet)];
            fn collect_metrics(&mut self, context: &Context<()>) -> Result<()> { Ok(()) }
            fn storage_attached(&mut self, c: &Context<()>, e: &StorageEvent) -> Result<()> { Ok(()) }
        }
    });
    for wanted in [
        "charmcraft.yaml declares no endpoint \"websiet\"; did you mean \"website\"?",
        "collect-metrics never runs",
        "charmcraft.yaml declares no storage, so this hook never runs",
        "charmcraft.yaml declares no action \"gret\"; did you mean \"greet\"?",
        "charmcraft.yaml declares the action \"greet\", which is not in ACTIONS",
        "declares the option \"greeting\", and nothing reads it",
    ] {
        assert!(errors.contains(wanted), "{wanted}\n{errors}");
    }
    assert!(!errors.contains("juju-info"), "{errors}");
}

#[test]
fn it_stands_on_the_charm_and_knows_its_arguments() {
    let (_, error) = made(quote!(
        impl Hello {}
    ));
    assert!(error.contains("impl Charm for"), "{error}");
    let wrong = expand(quote!(projekt = "a"), quote!(impl Charm for Hello {})).to_string();
    assert!(wrong.contains("nothing else"), "{wrong}");
    let elsewhere = expand(
        quote!(),
        quote!(
            struct A;
        ),
    )
    .to_string();
    assert!(elsewhere.contains("stands on"), "{elsewhere}");
    let lost = expand(quote!(project = "nowhere"), quote!(impl Charm for Hello {})).to_string();
    assert!(lost.contains("there is neither charmcraft.yaml"), "{lost}");
}
