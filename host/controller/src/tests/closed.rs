//! The data directory is its owner's alone, whoever opened it meanwhile.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// One that was made by an earlier version, copied, or opened by mistake.
#[tokio::test]
async fn what_an_earlier_version_left_open_to_others_is_closed_at_the_next_start() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let path = |name: &str| home.path().join(name);
    std::fs::write(path("slow-query.log"), "{}\n").unwrap();
    for name in ["slow-query.log", "controller.db", "pki/ca.key"] {
        std::fs::set_permissions(path(name), PermissionsExt::from_mode(0o664)).unwrap();
    }
    std::fs::set_permissions(path("."), PermissionsExt::from_mode(0o755)).unwrap();
    let mode = |name: &str| {
        let found = std::fs::metadata(path(name)).unwrap();
        found.permissions().mode() & 0o777
    };
    let controller = start(home.path(), made).await;
    for name in ["slow-query.log", "controller.db", "pki/ca.key"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!(mode("."), 0o700);
    let config = ControllerConfig::read(home.path());
    assert!(config.is_ok(), "its own files can be read by itself");
    controller.stop().await;
}
