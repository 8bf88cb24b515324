use super::*;

const LISTED: &str = "major minor  #blocks  name

   7        1     102400 loop1
   8        0   10485760 sda
   8        1    1048576 sda1
   8        2    9436160 sda2
 259        0   20971520 nvme0n1
";

const MOUNTED: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
40 27 7:1 / /srv/two\\040words rw master:2 shared:9 - xfs /dev/loop1 rw
41 27 0:44 /root /data rw - btrfs /dev/nvme0n1 rw
42 27 8:2 /var /var rw - ext4 /dev/sda2 rw
";

#[test]
fn devices_are_listed_by_name_with_where_they_are_mounted() {
    let free = |point: &str| match point {
        "/" => Some(1234),
        "/data" => Some(5),
        _ => None,
    };
    let found = devices(LISTED, MOUNTED, Some((8, 2)), free);
    let of = |name: &str, size, at: (&str, &str), free, of_agent| BlockDevice {
        name: name.to_owned(),
        size,
        filesystem_type: at.0.to_owned(),
        mount_point: at.1.to_owned(),
        free,
        in_use: !at.1.is_empty() || name == "sda",
        of_agent,
    };
    let expected = [
        of("loop1", 100, ("xfs", "/srv/two words"), None, false),
        of("nvme0n1", 20_480, ("btrfs", "/data"), Some(0), false),
        of("sda", 10_240, ("", ""), None, false),
        of("sda1", 1024, ("", ""), None, false),
        of("sda2", 9215, ("ext4", "/"), Some(1196), true),
    ];
    assert_eq!(found, expected);
}

#[test]
fn an_agent_on_a_file_system_with_numbers_of_its_own_is_found_by_it() {
    let found = devices(LISTED, MOUNTED, Some((0, 44)), |_| None);
    let own: Vec<&str> = found
        .iter()
        .filter(|device| device.of_agent)
        .map(|device| device.name.as_str())
        .collect();
    assert_eq!(own, ["nvme0n1"]);
}

#[test]
fn a_part_is_told_from_another_disk() {
    assert!(is_part("sda1", "sda") && is_part("nvme0n1p12", "nvme0n1"));
    for (name, disk) in [
        ("sda", "sda"),
        ("sdab", "sda"),
        ("loop10", "loop1"),
        ("sdb1", "sda"),
    ] {
        assert!(!is_part(name, disk), "{name} of {disk}");
    }
}

#[test]
fn what_cannot_be_read_is_left_out() {
    assert!(devices("what\n 1 2 x y\n", MOUNTED, None, |_| None).is_empty());
    let unmounted = devices(LISTED, "what\n - \n1 2 3\n", None, |_| None);
    assert!(unmounted.iter().all(|device| device.mount_point.is_empty()));
}
