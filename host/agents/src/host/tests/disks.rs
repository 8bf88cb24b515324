//! The diskmanager in a whole agent process, on virtual time.

use std::fs;

use periapt_engine::testing::settle;

use super::*;

const PARTITIONS: &str = "major minor  #blocks  name

   8        0   10485760 sda
";
const LOOP: &str = "   7        0     102400 loop0\n";

/// Lets time pass until something has happened; how long that took.
async fn pass(host: &Host, clock: &FakeClock, happened: impl Fn(&Controller) -> bool) -> Duration {
    let clock = (clock, clock.shared());
    let began = clock.1.monotonic();
    let waited = tokio::time::timeout(LIMIT, async {
        while !happened(&host.controller) {
            clock.0.advance(Duration::from_secs(1));
            settle().await;
        }
    });
    assert!(waited.await.is_ok(), "{:?}", names(&host.controller));
    clock.1.monotonic() - began
}

fn names(controller: &Controller) -> Vec<String> {
    let devices = controller.block_devices().into_iter();
    devices.map(|device| device.name).collect()
}

/// diskmanager: "When a loop device is attached, then within 30 s the machine's block devices API lists it once;
/// detach removes it."
#[tokio::test(flavor = "multi_thread")]
async fn when_a_loop_device_is_attached_it_is_listed_once_within_thirty_seconds_and_gone_after_its_detach()
 {
    let clock = FakeClock::new();
    let mut host = Host::on(clock.shared(), false);
    let lists = tempfile::tempdir().unwrap();
    let (partitions, mounts) = (lists.path().join("partitions"), lists.path().join("mounts"));
    fs::write(&partitions, PARTITIONS).unwrap();
    fs::write(&mounts, "").unwrap();
    host.context.disks = Arc::new(Disks::of(&partitions, &mounts));
    let running = tokio::spawn(run_engine(host.context.clone(), clock.shared()));
    pass(&host, &clock, |controller| names(controller) == ["sda"]).await;

    fs::write(&partitions, format!("{PARTITIONS}{LOOP}")).unwrap();
    let attached = |controller: &Controller| names(controller) == ["loop0", "sda"];
    let took = pass(&host, &clock, attached).await;
    assert!(took <= Duration::from_secs(31), "{took:?}");

    let mounted = "40 27 7:0 / /nowhere rw - ext4 /dev/loop0 rw\n";
    fs::write(&mounts, mounted).unwrap();
    let in_use = |controller: &Controller| controller.block_devices()[0].in_use;
    pass(&host, &clock, in_use).await;

    // What is as it was is not told again.
    let told = host.controller.count("SetBlockDevices");
    let until = clock.shared().monotonic() + Duration::from_secs(120);
    pass(&host, &clock, |_| clock.shared().monotonic() >= until).await;
    assert_eq!(host.controller.count("SetBlockDevices"), told);

    fs::write(&mounts, "").unwrap();
    fs::write(&partitions, PARTITIONS).unwrap();
    pass(&host, &clock, |controller| names(controller) == ["sda"]).await;
    host.context.stopping.cancel();
    let ended = tokio::time::timeout(LIMIT, running).await.expect("stops");
    assert_eq!(ended.unwrap().unwrap(), ExitReason::Stopped);
}
