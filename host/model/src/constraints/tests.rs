use super::*;

fn read(text: &str) -> Result<String, String> {
    text.parse::<Constraints>()
        .map(|read| read.to_string())
        .map_err(|error| error.to_string())
}

#[test]
fn a_line_is_written_out_in_one_way() {
    for (text, written) in [
        ("", ""),
        ("mem=4G cpu-cores=2", "cores=2 mem=4096M"),
        ("mem=512", "mem=512M"),
        ("root-disk=1.5T", "root-disk=1572864M"),
        ("mem=0.1M", "mem=1M"),
        ("mem= zones=a,b", "mem= zones=a,b"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(written), "{text}");
        assert_eq!(read(written).as_deref(), Ok(written), "{text}");
    }
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest() {
    assert_eq!(
        read("memm=1G").unwrap_err(),
        "there is no constraint \"memm\"; did you mean \"mem\"?"
    );
    for bad in [
        "mem",
        "mem=x",
        "mem=1.G",
        "mem=-1",
        "mem=99999999999999999P",
        "cores=1.5",
        "arch=amd46",
        "allocate-public-ip=yes",
        "tags=a,,b",
        "cores=1 cpu-cores=2",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn those_of_the_application_go_before_those_of_the_model() {
    for (application, model, merged) in [
        ("mem=2G", "mem=1G cores=4", "cores=4 mem=2048M"),
        ("mem=", "mem=1G cores=4", "cores=4"),
        (
            "instance-type=big",
            "mem=1G arch=amd64",
            "arch=amd64 instance-type=big",
        ),
        ("cores=2", "instance-type=big", "cores=2"),
        ("", "instance-type=big", "instance-type=big"),
    ] {
        let [application, model] =
            [application, model].map(|text| text.parse::<Constraints>().unwrap());
        assert_eq!(application.over(&model).to_string(), merged);
    }
}

#[test]
fn a_machine_is_told_each_thing_that_it_lacks() {
    let hardware = Hardware {
        arch: "amd64",
        cores: 2,
        memory_mib: 4096,
        root_disk_mib: None,
    };
    let lacking = |text: &str| text.parse::<Constraints>().unwrap().lacking(&hardware);
    assert!(lacking("arch=amd64 cores=2 mem=4G root-disk=9T").is_empty());
    assert_eq!(
        lacking("arch=arm64 cores=3 mem=5G"),
        [
            "arch is amd64, not arm64",
            "cores is 2, less than 3",
            "mem is 4096M, less than 5120M"
        ]
    );
}
