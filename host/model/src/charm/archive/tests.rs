use std::io::Write;

use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const METADATA: &[u8] = b"name: site\nsummary: A site\n";

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer
            .start_file(*name, SimpleFileOptions::default().unix_permissions(0o644))
            .expect("starts");
        writer.write_all(content).expect("writes");
    }
    writer.finish().expect("finishes").into_inner()
}

fn charm_with(extra: &[(&str, &[u8])]) -> Vec<u8> {
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("metadata.yaml", METADATA),
        (COMPONENT, &COMPONENT_PREAMBLE),
    ];
    entries.extend_from_slice(extra);
    zipped(&entries)
}

/// Replaces a name in every header by another of the same length, as an attacker's tool would.
fn renamed(mut bytes: Vec<u8>, from: &str, to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut at = 0;
    while at + from.len() <= bytes.len() {
        if &bytes[at..at + from.len()] == from.as_bytes() {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
        at += 1;
    }
    bytes
}

fn code(bytes: &[u8]) -> &'static str {
    Archive::read(bytes).expect_err("refused").refusal().code()
}

#[test]
fn a_charm_reads_with_its_files() {
    let bytes = charm_with(&[
        ("config.yaml", b"options: {title: {default: Home}}"),
        ("files/a/b.txt", b"hello"),
    ]);
    let archive = Archive::read(&bytes).expect("reads");
    assert_eq!(archive.metadata.name, "site");
    assert_eq!(archive.file("files/a/b.txt"), Some(&b"hello"[..]));
    assert_eq!(archive.component(), COMPONENT_PREAMBLE);
    assert_eq!(archive.size, bytes.len() as u64);
    assert_eq!(archive.sha256.len(), 64);
    let names: Vec<&str> = archive.files().map(|(path, _)| path).collect();
    assert_eq!(
        names,
        [
            "charm.wasm",
            "config.yaml",
            "files/a/b.txt",
            "metadata.yaml"
        ]
    );

    let info = archive.info(
        CharmUrl::new("site", 3).expect("valid"),
        vec!["install".to_owned()],
    );
    let json = serde_json::to_string(&info).expect("serialises");
    assert_eq!(
        serde_json::from_str::<CharmInfo>(&json).expect("reads back"),
        info
    );
    assert_eq!(
        (info.url.to_string().as_str(), info.revision),
        ("local:site-3", 3)
    );
}

#[test]
fn no_name_in_an_archive_holds_what_cannot_be_seen() {
    for hidden in ["\u{202e}", "\u{200b}", "\u{feff}", "\u{9b}"] {
        let name = format!("files/a{hidden}b");
        assert_eq!(
            code(&charm_with(&[(name.as_str(), b"")])),
            "charm-archive-path"
        );
    }
}

#[test]
fn what_is_an_archive_and_something_else_is_neither() {
    let charm = charm_with(&[]);
    for before in [
        &b"x"[..],
        b"<!doctype html>",
        b"--boundary\r\n\r\n",
        b"PK\x03\x04",
    ] {
        let both = [before, &charm].concat();
        assert_eq!(code(&both), "charm-archive-unreadable", "{before:?}");
    }
    Archive::read(&charm).expect("reads");
}

#[test]
fn the_component_must_be_there_and_be_one() {
    assert_eq!(
        code(&zipped(&[("metadata.yaml", METADATA)])),
        "charm-archive-no-component"
    );
    assert_eq!(
        code(&zipped(&[
            ("metadata.yaml", METADATA),
            ("sub/charm.wasm", &COMPONENT_PREAMBLE)
        ])),
        "charm-archive-no-component"
    );
    assert_eq!(
        code(&zipped(&[
            ("metadata.yaml", METADATA),
            (COMPONENT, &CORE_PREAMBLE)
        ])),
        "charm-component-invalid"
    );
    assert_eq!(
        code(&zipped(&[("metadata.yaml", METADATA), (COMPONENT, b"")])),
        "charm-component-invalid"
    );
    assert_eq!(
        code(&zipped(&[(COMPONENT, &COMPONENT_PREAMBLE)])),
        "charm-metadata-missing"
    );
    assert_eq!(
        code(&zipped(&[
            ("metadata.yaml", b"name: \xff"),
            (COMPONENT, &COMPONENT_PREAMBLE)
        ])),
        "charm-metadata-invalid"
    );
    assert_eq!(code(b"no zip at all"), "charm-archive-unreadable");
}

#[test]
fn paths_that_leave_or_confuse_are_refused() {
    let bytes = charm_with(&[("placeholder", b"x")]);
    for name in [
        &b"/etc/passwd"[..],
        b"../../aa/bb",
        b"a/b/../cc/d",
        b"a\\..\\..\\bbb",
        b"C:/aa/bb/cc",
        b"a//b//c/d/e",
        b"./a/b/c/d/e",
        b"a\0bcdefghij",
        b"a\nbcdefghij",
        b"\xff\xfebcdefghij",
    ] {
        let evil = renamed(bytes.clone(), "placeholder", name);
        assert_eq!(
            code(&evil),
            "charm-archive-path",
            "{:?}",
            String::from_utf8_lossy(name)
        );
    }
    let twice = charm_with(&[("placeholder", b"x"), ("placeholdes", b"y")]);
    assert_eq!(
        code(&renamed(twice, "placeholdes", b"placeholder")),
        "charm-archive-path"
    );
    assert_eq!(
        code(&charm_with(&[("a", b"x"), ("a/b", b"y")])),
        "charm-archive-path"
    );
}

#[test]
fn links_and_devices_are_refused() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .add_symlink("link", "/etc/passwd", SimpleFileOptions::default())
        .expect("adds");
    assert_eq!(
        code(&writer.finish().expect("finishes").into_inner()),
        "charm-archive-path"
    );

    // The mode of a regular file (0o100644 in the upper half of the external attributes)
    // becomes that of a named pipe.
    let mode = 0o100_644_u32 << 16;
    let fifo = 0o010_644_u32 << 16;
    let mut bytes = charm_with(&[]);
    let at = bytes
        .windows(4)
        .position(|window| window == mode.to_le_bytes())
        .expect("a mode is there");
    bytes[at..at + 4].copy_from_slice(&fifo.to_le_bytes());
    assert_eq!(code(&bytes), "charm-archive-path");
}

#[test]
fn a_bomb_is_counted_as_it_unpacks() {
    let zeros = vec![0_u8; 4 << 20];
    let small = Limits {
        ratio_from: 1 << 20,
        ..Limits::default()
    };
    let bomb = charm_with(&[("zeros", &zeros)]);
    assert_eq!(
        Archive::read_within(&bomb, small)
            .expect_err("refused")
            .refusal()
            .code(),
        "charm-archive-bomb"
    );
    assert!(Archive::read(&bomb).is_ok(), "under the floor of the ratio");

    let total = Limits {
        bytes: 100,
        ..Limits::default()
    };
    let bytes = charm_with(&[("a", &[1; 60]), ("b", &[2; 60])]);
    assert_eq!(
        Archive::read_within(&bytes, total)
            .expect_err("refused")
            .refusal()
            .code(),
        "charm-archive-bomb"
    );

    let many = Limits {
        entries: 3,
        ..Limits::default()
    };
    let bytes = charm_with(&[("a", b""), ("b", b"")]);
    assert_eq!(
        Archive::read_within(&bytes, many)
            .expect_err("refused")
            .refusal()
            .code(),
        "charm-archive-bomb"
    );
}

#[test]
fn a_header_that_lies_about_its_size_does_not_help() {
    let bomb = charm_with(&[("zeros", &vec![0_u8; 4 << 20])]);
    let claimed = (4_u32 << 20).to_le_bytes();
    let mut lying = bomb;
    let places: Vec<usize> = (0..lying.len() - 4)
        .filter(|at| lying[*at..at + 4] == claimed)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        lying[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
    }
    let limits = Limits {
        ratio_from: 1 << 20,
        ..Limits::default()
    };
    let error = Archive::read_within(&lying, limits).expect_err("refused");
    assert!(
        ["charm-archive-bomb", "charm-archive-unreadable"].contains(&error.refusal().code()),
        "{error}"
    );
}

#[test]
fn a_damaged_file_is_noticed() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file("a", stored).expect("starts");
    writer.write_all(b"content-of-a").expect("writes");
    let bytes = writer.finish().expect("finishes").into_inner();
    let damaged = renamed(bytes, "content-of-a", b"content-of-b");
    assert_eq!(code(&damaged), "charm-archive-unreadable");
}

proptest! {
    #[test]
    fn any_bytes_end_in_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..2048)) {
        let _ = Archive::read(&bytes);
    }

    #[test]
    fn any_damage_to_a_charm_ends_in_an_answer(at in 0_usize..400, byte in any::<u8>()) {
        let mut bytes = charm_with(&[("files/a", b"hello"), ("config.yaml", b"options: {}")]);
        let length = bytes.len();
        bytes[at % length] = byte;
        if let Ok(archive) = Archive::read(&bytes) {
            for (path, _) in archive.files() {
                prop_assert!(!path.starts_with('/') && !path.split('/').any(|part| part.is_empty() || part == ".."));
            }
        }
    }

    #[test]
    fn any_accepted_name_stays_below_its_folder(name in "[a-z./\\\\]{1,12}") {
        let bytes = charm_with(&[(name.as_str(), b"x")]);
        if let Ok(archive) = Archive::read(&bytes) {
            for (path, _) in archive.files() {
                let inside = std::path::Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
                prop_assert!(inside, "{path}");
            }
        }
    }
}
