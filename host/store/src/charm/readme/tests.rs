//! READMEs come out of archives of any length, on both databases.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::testing::{charm, fixtures};

/// An archive with a file that cannot be compressed before the README.
fn archive(ballast: usize, readme: Option<&str>) -> Bytes {
    let noise = (0..ballast as u32 / 4).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes());
    let noise: Vec<u8> = noise.collect();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file("ballast", stored).expect("starts");
    writer.write_all(&noise).expect("writes");
    if let Some(text) = readme {
        let options = SimpleFileOptions::default();
        writer.start_file("README.md", options).expect("starts");
        writer.write_all(text.as_bytes()).expect("writes");
    }
    Bytes::from(writer.finish().expect("finishes").into_inner())
}

#[tokio::test]
async fn a_readme_is_read_wherever_it_is_in_its_archive() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.model("default").await);
        // The last one lies across the end of a part.
        for ballast in [0, 2 * CHUNK, CHUNK - 88] {
            let archive = archive(ballast, Some("# Site\n\nServes pages.\n"));
            let added = store
                .add_charm(&model, charm("site"), archive.clone())
                .await;
            let added = added.expect("added");
            let (digest, readme) = store
                .charm_readme(&model, &added.url.to_string())
                .await
                .expect("read");
            assert_eq!(digest, added.sha256);
            assert_eq!(readme.file, "README.md");
            assert_eq!(readme.text, "# Site\n\nServes pages.\n", "after {ballast}");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_charm_without_a_readme_has_none_and_one_that_is_gone_is_not_found() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.model("default").await);
        let added = store
            .add_charm(&model, charm("site"), archive(8, None))
            .await;
        let url = added.expect("added").url.to_string();
        let (_, readme) = store.charm_readme(&model, &url).await.expect("read");
        assert_eq!(readme, CharmReadme::default());
        let missing = store.charm_readme(&model, "local:site-7").await;
        let refusal = missing.expect_err("not there").refusal();
        assert_eq!(refusal.code(), "charm-not-found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_stored_and_is_no_archive_is_the_fault_of_the_store() {
    for fixture in fixtures().await {
        let model = fixture.model("default").await;
        let url = fixture
            .charm(&model, "site", b"archive")
            .await
            .url
            .to_string();
        let error = fixture.store.charm_readme(&model, &url).await;
        let error = error.expect_err("cannot be read");
        assert!(error.to_string().contains("charm archive"), "{error}");
        assert!(error.refusal().status() >= 500);
        fixture.end().await;
    }
}
