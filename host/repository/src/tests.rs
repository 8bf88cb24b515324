use std::io::Write;
use std::net::{TcpListener, TcpStream};

use periapt_model::charm::repository::{CHANNEL, Release};

use super::*;

/// A repository with one charm, and the bytes of its archive.
fn repository() -> (tempfile::TempDir, Vec<u8>) {
    let directory = tempfile::tempdir().unwrap();
    let archive = b"an archive".to_vec();
    let release = Release {
        sha256: Digest::of(&archive),
        size: archive.len() as u64,
    };
    std::fs::write(directory.path().join(release.file()), &archive).unwrap();
    let mut index = Index::default();
    index.publish("site", CHANNEL, release, None).unwrap();
    std::fs::write(directory.path().join(INDEX), index.write().unwrap()).unwrap();
    (directory, archive)
}

/// Answers each request for a file with it, else with `other`; the address.
fn serve(directory: &Path, other: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let directory = directory.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = answer(stream.unwrap(), &directory, other);
        }
    });
    address
}

fn answer(mut stream: TcpStream, directory: &Path, other: &str) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? > 0 {
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split_whitespace().nth(1).unwrap_or_default();
    match std::fs::read(directory.join(path.trim_start_matches('/'))) {
        Ok(bytes) => {
            let length = bytes.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            )?;
            stream.write_all(&bytes)
        }
        Err(_) => write!(
            stream,
            "HTTP/1.1 {other}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        ),
    }
}

#[tokio::test]
async fn a_charm_is_taken_from_a_directory_and_from_a_server_alike() {
    let (directory, archive) = repository();
    let path = directory.path().display().to_string();
    for place in [path, serve(directory.path(), "404 Not Found")] {
        let repository = Repository::at(&place).unwrap();
        let taken = repository.take("site", CHANNEL, None).await.unwrap();
        assert_eq!(
            (taken.revision, taken.archive.to_vec()),
            (0, archive.clone())
        );
        let missing = repository.take("sit", CHANNEL, None).await.unwrap_err();
        assert!(missing.to_string().contains("did you mean"), "{missing}");
    }
}

#[tokio::test]
async fn an_older_revision_is_taken_by_its_number() {
    let (directory, archive) = repository();
    let newer = b"a newer archive".to_vec();
    let release = Release {
        sha256: Digest::of(&newer),
        size: newer.len() as u64,
    };
    std::fs::write(directory.path().join(release.file()), &newer).unwrap();
    let path = directory.path().display().to_string();
    let mut index = Repository::at(&path).unwrap().index().await.unwrap();
    index.publish("site", CHANNEL, release, None).unwrap();
    std::fs::write(directory.path().join(INDEX), index.write().unwrap()).unwrap();
    for place in [path, serve(directory.path(), "404 Not Found")] {
        let repository = Repository::at(&place).unwrap();
        for (wanted, revision, bytes) in [
            (None, 1, &newer),
            (Some(1), 1, &newer),
            (Some(0), 0, &archive),
        ] {
            let taken = repository.take("site", CHANNEL, wanted).await.unwrap();
            assert_eq!((taken.revision, &taken.archive.to_vec()), (revision, bytes));
        }
        let unknown = repository.take("site", CHANNEL, Some(2)).await.unwrap_err();
        assert!(unknown.to_string().ends_with("it has 0-1"), "{unknown}");
    }
}

#[tokio::test]
async fn what_is_not_what_the_index_says_is_damaged() {
    let (directory, archive) = repository();
    let place = serve(directory.path(), "404 Not Found");
    let file = directory
        .path()
        .join(format!("{}.charm", Digest::of(&archive)));
    let path = directory.path().display().to_string();
    for bytes in ["an archivf", "an archive and more", ""] {
        std::fs::write(&file, bytes).unwrap();
        for place in [&path, &place] {
            let repository = Repository::at(place).unwrap();
            let fault = repository.take("site", CHANNEL, None).await.unwrap_err();
            assert!(matches!(fault, Fault::Damaged { .. }), "{bytes}: {fault}");
        }
    }
    std::fs::remove_file(&file).unwrap();
    let fault = Repository::at(&place)
        .unwrap()
        .take("site", CHANNEL, None)
        .await;
    assert!(matches!(fault, Err(Fault::Damaged { .. })), "{fault:?}");
}

#[tokio::test]
async fn no_redirect_is_followed_and_what_is_no_repository_is_told() {
    let empty = tempfile::tempdir().unwrap();
    let missing = Repository::at(&serve(empty.path(), "404 Not Found")).unwrap();
    assert!(matches!(missing.index().await, Err(Fault::NoIndex)));
    let path = empty.path().display().to_string();
    let missing = Repository::at(&path).unwrap();
    assert!(matches!(missing.index().await, Err(Fault::NoIndex)));
    let elsewhere = "302 Found\r\nlocation: http://127.0.0.1:1/index.json";
    let moved = Repository::at(&serve(empty.path(), elsewhere)).unwrap();
    let fault = moved.index().await.unwrap_err().to_string();
    assert!(fault.ends_with("the server answers 302"), "{fault}");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let fault = Repository::at(&address).unwrap().index().await.unwrap_err();
    assert!(fault.to_string().ends_with("cannot be reached"), "{fault}");
}

#[tokio::test]
async fn an_index_has_a_bound() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(directory.path().join(INDEX)).unwrap();
    file.set_len(INDEX_BYTES + 1).unwrap();
    let path = directory.path().display().to_string();
    for place in [path, serve(directory.path(), "404 Not Found")] {
        let fault = Repository::at(&place).unwrap().index().await.unwrap_err();
        assert!(matches!(fault, Fault::TooLarge { .. }), "{fault}");
    }
}
