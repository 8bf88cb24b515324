use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use super::*;

fn packed(root: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(root, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_tree_comes_back_with_names_contents_links_modes_and_times() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("root");
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join("a/large"), vec![5; 3 * PIECE + 7]).unwrap();
    fs::write(root.join("a/b/empty"), "").unwrap();
    fs::write(root.join("odd \n name"), "x").unwrap();
    symlink("../nowhere", root.join("a/link")).unwrap();
    fs::set_permissions(root.join("a/large"), fs::Permissions::from_mode(0o640)).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 500);
    File::options()
        .write(true)
        .open(root.join("a/large"))
        .unwrap()
        .set_modified(then)
        .unwrap();
    File::open(root.join("a"))
        .unwrap()
        .set_modified(then)
        .unwrap();

    let bytes = packed(&root);
    let again = home.path().join("again");
    unpack(&mut bytes.as_slice(), &again).unwrap();
    assert_eq!(
        fs::read(again.join("a/large")).unwrap(),
        vec![5; 3 * PIECE + 7]
    );
    assert_eq!(fs::read(again.join("odd \n name")).unwrap(), b"x");
    assert_eq!(fs::read(again.join("a/b/empty")).unwrap(), b"");
    assert_eq!(
        fs::read_link(again.join("a/link")).unwrap(),
        Path::new("../nowhere")
    );
    for name in ["a", "a/large"] {
        let found = fs::metadata(again.join(name)).unwrap();
        assert_eq!(found.modified().unwrap(), then, "{name}");
    }
    let mode = fs::metadata(again.join("a/large"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    // The order of entries is the file system's, so lengths are compared.
    assert_eq!(packed(&again).len(), bytes.len());
}

#[test]
fn a_tree_deeper_than_any_path_comes_back() {
    let home = tempfile::tempdir().unwrap();
    let (root, again) = (home.path().join("root"), home.path().join("again"));
    fs::create_dir(&root).unwrap();
    let mut cursor = Cursor::open(&root).unwrap();
    let name = CString::new("d".repeat(200)).unwrap();
    for _ in 0..100 {
        mkdirat(cursor.here(), &name, Mode::RWXU).unwrap();
        cursor.down(&name).unwrap();
    }
    let bytes = packed(&root);
    unpack(&mut bytes.as_slice(), &again).unwrap();
    assert_eq!(packed(&again), bytes);
    for tree in [root, again] {
        crate::remove(&tree).unwrap();
    }
}

#[test]
fn what_was_not_packed_here_leads_nowhere() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &[u8]| {
        let mut bytes = b"F".to_vec();
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend(name);
        bytes.extend([0; 16]);
        bytes.extend(0_u32.to_le_bytes());
        bytes
    };
    let cases = [
        file(b"../out"),
        file(b".."),
        file(b"a/b"),
        file(b"a\0b"),
        file(b""),
        file(&[b'x'; 256]),
        b"X".to_vec(),
        b"D".to_vec(),
        Vec::new(),
    ];
    for (number, case) in cases.iter().enumerate() {
        let to = home.path().join(number.to_string());
        assert!(unpack(&mut case.as_slice(), &to).is_err(), "{number}");
    }
    assert!(!home.path().join("out").exists());
}
