//! The description of the API that is kept in the checkout is the one that is served.
use std::path::Path;

use crate::common::House;

#[tokio::test]
async fn the_reference_in_the_checkout_is_what_is_served() {
    let house = House::open().await;
    let request = house.stranger().request("GET", "/v1/openapi.json");
    let served = request.send().await.unwrap().text().await.unwrap();
    house.close().await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    if std::env::var_os("PERIAPT_WRITE_REFERENCE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &served).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let differs = served
        .lines()
        .zip(kept.lines().chain(std::iter::repeat("")))
        .enumerate()
        .find(|(_, (served, kept))| served != kept);
    if let Some((line, (served, kept))) = differs {
        panic!(
            "docs/reference/openapi.json differs from the API at line {}:\n  kept:   {kept}\n  served: {served}\nwrite it anew with: cargo xtask openapi",
            line + 1
        );
    }
    assert_eq!(served, kept, "write it anew with: cargo xtask openapi");
}
