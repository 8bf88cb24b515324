use super::*;
use crate::testing::Controller;

async fn get(all: &Resources, connection: &ApiConnection, digest: &str) -> Arc<Resource> {
    all.get(connection, digest, "theme.css").await.unwrap()
}

#[tokio::test]
async fn content_is_there_once_while_somebody_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let all = Resources::open(directory.path()).unwrap();
    let controller = Controller::new();
    let (connection, _cut) = controller.connect();
    let digest = |bytes: &[u8]| {
        let digest = Digest::of(bytes).to_string();
        controller.add_blob(&digest, bytes.to_vec());
        digest
    };
    let (red, blue) = (digest(b"red"), digest(b"blue"));
    let (first, second): (UnitName, UnitName) =
        ("site/0".parse().unwrap(), "site/1".parse().unwrap());
    for unit in [&first, &second] {
        let resource = get(&all, &connection, &red).await;
        let path = resource.directory().join("theme.css");
        assert_eq!(fs::read(&path).unwrap(), b"red");
        assert!(fs::metadata(&path).unwrap().permissions().readonly());
        all.give(unit, "theme", resource);
    }
    let kept = || {
        fs::read_dir(directory.path().join(DIRECTORY))
            .unwrap()
            .count()
    };
    assert_eq!(kept(), 1);
    // Another revision for one unit; the other one still has the first.
    all.give(&first, "theme", get(&all, &connection, &blue).await);
    assert_eq!(kept(), 2);
    // A hook that reads it keeps it as well.
    let hook = OfHook::default();
    hook.hold("theme", get(&all, &connection, &red).await);
    all.give(&second, "theme", get(&all, &connection, &blue).await);
    assert_eq!(kept(), 2);
    assert!(hook.directory("theme").unwrap().join("theme.css").exists());
    drop(hook);
    all.forget(&first);
    assert_eq!(kept(), 1);
    all.forget(&second);
    assert_eq!(kept(), 0);
}

#[tokio::test]
async fn what_has_another_digest_is_not_shown_and_what_a_process_left_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join(DIRECTORY).join("0")).unwrap();
    let all = Resources::open(directory.path()).unwrap();
    let controller = Controller::new();
    let (connection, _cut) = controller.connect();
    let digest = Digest::of(b"red").to_string();
    controller.add_blob(&digest, b"blue".to_vec());
    let refused = all
        .get(&connection, &digest, "theme.css")
        .await
        .unwrap_err();
    assert!(refused.to_string().contains(&digest), "{refused}");
    assert_eq!(
        fs::read_dir(directory.path().join(DIRECTORY))
            .unwrap()
            .count(),
        0
    );
    controller.add_blob(&digest, b"red".to_vec());
    get(&all, &connection, &digest).await;
    let refused = all.get(&connection, "none", "theme.css").await.unwrap_err();
    assert!(refused.is_gone(), "{refused}");
}
