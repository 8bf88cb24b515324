use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

fn archive(files: &[(&str, &[u8])]) -> Cursor<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .expect("starts");
        writer.write_all(content).expect("writes");
    }
    writer.finish().expect("finishes")
}

fn read(files: &[(&str, &[u8])]) -> CharmReadme {
    CharmReadme::read(archive(files)).expect("reads")
}

#[test]
fn it_is_the_file_of_that_name_and_that_in_markdown_first() {
    let (plain, markdown): (&[u8], &[u8]) = (b"plain", b"# Counter\n\nCounts.\n");
    let readme = read(&[
        ("charm.wasm", b"\0asm"),
        ("README", plain),
        ("README.md", markdown),
        ("files/README.md", b"of a file"),
    ]);
    assert_eq!(readme.file, "README.md");
    assert_eq!(readme.text, "# Counter\n\nCounts.\n");
    assert!(!readme.truncated);
    let readme = read(&[("README", plain)]);
    assert_eq!(
        (readme.file.as_str(), readme.text.as_str()),
        ("README", "plain")
    );
}

#[test]
fn a_charm_without_one_has_none() {
    let readme = read(&[("files/README.md", b"of a file"), ("readme.txt", b"no")]);
    assert_eq!(readme, CharmReadme::default());
}

#[test]
fn what_would_control_or_deceive_a_reader_is_gone() {
    let readme = read(&[(
        "README.md",
        "a\u{1b}[31mb\r\n\tc\u{202e}d<script>".as_bytes(),
    )]);
    assert_eq!(readme.text, "ab\n    cd<script>");
    let readme = read(&[("README.md", b"\xff\xfe")]);
    assert_eq!(readme.text, "\u{fffd}\u{fffd}");
}

#[test]
fn a_long_one_is_cut_between_two_characters() {
    let bound = README_BYTES.length();
    let whole = "x".repeat(bound);
    let readme = read(&[("README.md", whole.as_bytes())]);
    assert_eq!((readme.text.len(), readme.truncated), (bound, false));

    // The last character begins one byte before the bound.
    let long = format!("{}é and on", "x".repeat(bound - 1));
    let readme = read(&[("README.md", long.as_bytes())]);
    assert_eq!((readme.text.len(), readme.truncated), (bound - 1, true));
    assert!(readme.text.ends_with('x'));
}

#[test]
fn what_is_no_archive_is_an_error() {
    assert!(CharmReadme::read(Cursor::new(b"no archive")).is_err());
}
