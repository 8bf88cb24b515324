use proc_macro2::TokenStream;
use quote::quote;

/// What is said of a struct, beside the options of `tests/hello/charmcraft.yaml`.
fn said(item: TokenStream) -> String {
    let item = syn::parse2(item).expect("is a struct");
    match super::checked(&item) {
        Ok((_, errors)) => {
            let texts = errors.iter().map(ToString::to_string);
            texts.collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_struct_with_every_option_is_right() {
    let whole = said(quote! {
        #[derive(Deserialize, Options)]
        #[serde(rename_all = "kebab-case")]
        #[options(project = "tests/hello", unread("salt"))]
        struct Config {
            greeting: String,
            #[serde(default)]
            max_age: Option<u32>,
            #[serde(rename = "loud", deserialize_with = "f")]
            is_loud: bool,
            ratio: f64,
            #[serde(skip)]
            kept: Vec<u8>,
        }
    });
    assert_eq!(whole, "");
}

#[test]
fn each_difference_is_named_with_what_to_write() {
    let told = said(quote! {
        #[options(project = "tests/hello", unread("slat"))]
        struct Config {
            greetign: String,
            max_age: Option<u32>,
            ratio: u32,
            loud: String,
        }
    });
    for wanted in [
        "charmcraft.yaml declares no option \"greetign\"; did you mean \"greeting\"?",
        "charmcraft.yaml declares no option \"max_age\"; for \"max-age\" write #[serde(rename_all = \"kebab-case\")] on the struct",
        "the option \"ratio\" is of type float in charmcraft.yaml, which `u32` cannot hold",
        "the option \"loud\" is of type boolean in charmcraft.yaml, which `String` cannot hold",
        "charmcraft.yaml declares no option \"slat\"; did you mean \"salt\"?",
        "charmcraft.yaml declares the option \"greeting\", and no field reads it: add `greeting: String`, or say #[options(unread(\"greeting\"))]",
        "and no field reads it: add `max_age: Option<i64>`",
    ] {
        assert!(told.contains(wanted), "{wanted}\n{told}");
    }
}

#[test]
fn an_option_without_a_default_may_have_no_value() {
    let told = said(quote! {
        #[serde(rename_all = "kebab-case")]
        #[options(project = "tests/hello", unread("greeting", "salt", "loud", "ratio"))]
        struct Config { max_age: u32 }
    });
    assert!(told.contains("make it an `Option`"), "{told}");
    let enumeration = said(quote!(
        enum Config {
            A,
        }
    ));
    assert_eq!(enumeration, "the options of a charm are a struct");
}
