//! Charms written by hand: a core module in text, with the contract embedded, as a component.
//!
//! Memory below 4096 belongs to the frame: answers of `dispatch` are at [`OK`] and [`ERROR`].
//! A body finds scratch room from 1024 on and puts its own data from 2048 on.

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Push this to return ok.
pub const OK: &str = "i32.const 64";
/// Push this to return the error "boom".
pub const ERROR: &str = "i32.const 80";

pub const CONTRACT: &str = include_str!("../../../../guest-sdk/wit/charm.wit");

/// The parts of a charm that differ.
#[derive(Clone, Copy)]
pub struct Guest<'a> {
    pub imports: &'a str,
    /// Functions, tables, globals, data.
    pub items: &'a str,
    /// Body of `dispatch`; must push the address of its answer.
    pub dispatch: &'a str,
    /// Body of `hooks`; must push the address of the list. That of the frame is at 16.
    pub hooks: &'a str,
    pub pages: u32,
}

impl Default for Guest<'_> {
    fn default() -> Self {
        Self {
            imports: "",
            items: "",
            dispatch: OK,
            hooks: "i32.const 16",
            pages: 2,
        }
    }
}

impl Guest<'_> {
    pub fn component(&self) -> Vec<u8> {
        encode(&self.text(), CONTRACT)
    }

    pub fn text(&self) -> String {
        let Self {
            imports,
            items,
            dispatch,
            hooks,
            pages,
        } = self;
        format!(
            r#"(module
  {imports}
  (memory (export "memory") {pages})
  (global $heap (mut i32) (i32.const 65536))
  (func $realloc (export "cabi_realloc") (param $old i32) (param $had i32) (param $align i32) (param $size i32) (result i32)
    (local $new i32)
    (local.set $new (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
    (global.set $heap (i32.add (local.get $new) (local.get $size)))
    (block $fits
      (loop $grow
        (br_if $fits (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
        (br_if $grow (i32.ge_s (memory.grow (i32.const 1)) (i32.const 0)))
        unreachable))
    (memory.copy (local.get $new) (local.get $old) (local.get $had))
    (local.get $new))
  {items}
  (func (export "hooks") (result i32) {hooks})
  (func (export "dispatch") (param $hook i32) (param $hook_len i32) (param $attributes i32) (param $count i32) (result i32)
    (local $i i32) (local $n i64)
    {dispatch})
  (data (i32.const 16) "\20\00\00\00\02\00\00\00")
  (data (i32.const 32) "\30\00\00\00\05\00\00\00\35\00\00\00\04\00\00\00")
  (data (i32.const 48) "startstop")
  (data (i32.const 80) "\01\00\00\00\60\00\00\00\04\00\00\00")
  (data (i32.const 96) "boom")
)"#
        )
    }
}

/// The component of a module text against a text of the contract.
pub fn encode(text: &str, contract: &str) -> Vec<u8> {
    let mut module = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut resolve = Resolve::default();
    let package = resolve.push_str("charm.wit", contract).unwrap();
    let world = resolve.select_world(&[package], Some("charm")).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let mut encoder = ComponentEncoder::default().module(&module).unwrap();
    if text.contains("wasi_snapshot_preview1") {
        let adapter =
            wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER;
        encoder = encoder.adapter("wasi_snapshot_preview1", adapter).unwrap();
    }
    encoder.encode().unwrap()
}
