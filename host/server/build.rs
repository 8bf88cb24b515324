//! Looks for the built web interface, so that cargo notices when it is built anew.

fn main() {
    let dist = std::path::Path::new("../../web-ui/dist");
    // An absent path would have cargo build this crate again every time. Where the folder cannot
    // be made, that is all that happens.
    let _ = std::fs::create_dir_all(dist);
    println!("cargo::rerun-if-changed=../../web-ui/dist");
}
