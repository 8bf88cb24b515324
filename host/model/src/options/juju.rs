//! Options of a model that Juju has and that mean nothing here. They are taken and shown, since scripts set them.

use super::{Kind, Row, row};

const NO_SYSTEM: &str =
    "Juju's option, without effect here: units run in a sandbox without an operating system.";
const NO_IMAGES: &str = "Juju's option, without effect here: machines are created without images.";
const NO_CONTAINERS: &str =
    "Juju's option, without effect here: each unit has its own sandbox instead of a container.";
const ONE_NETWORK: &str =
    "Juju's option, without effect here: all units of a model share one network.";
const ONE_PROGRAM: &str =
    "Juju's option, without effect here: agents run the program of their controller.";
const NO_SSH: &str = "Juju's option, without effect here: machines have no SSH server.";
const NO_OFFERS: &str = "Juju's option, without effect here: relations do not cross models.";
const A_NOTE: &str = "Juju's option, without effect here: a note for users and scripts.";
const NOTHING_SENT: &str = "Juju's option, without effect here: nothing is sent to anybody.";

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("agent-metadata-url", Kind::Text, "", ONE_PROGRAM),
    row("agent-stream", Kind::Text, "released", ONE_PROGRAM),
    row("apt-ftp-proxy", Kind::Text, "", NO_SYSTEM),
    row("apt-http-proxy", Kind::Text, "", NO_SYSTEM),
    row("apt-https-proxy", Kind::Text, "", NO_SYSTEM),
    row("apt-mirror", Kind::Text, "", NO_SYSTEM),
    row("apt-no-proxy", Kind::Text, "", NO_SYSTEM),
    row("authorized-keys", Kind::Text, "", NO_SSH),
    row("backup-dir", Kind::Text, "", "Juju's option, without effect here: backups are created in the controller's directory."),
    row("cloudinit-userdata", Kind::Text, "", NO_SYSTEM),
    row("container-image-metadata-defaults-disabled", Kind::Boolean, "false", NO_IMAGES),
    row("container-image-metadata-url", Kind::Text, "", NO_IMAGES),
    row("container-image-stream", Kind::Text, "released", NO_IMAGES),
    row("container-inherit-properties", Kind::Text, "", NO_CONTAINERS),
    row("container-networking-method", Kind::Text, "", NO_CONTAINERS),
    row("default-base", Kind::Text, "", NO_SYSTEM),
    row("default-series", Kind::Text, "", NO_SYSTEM),
    row("default-space", Kind::Text, "", ONE_NETWORK),
    row("development", Kind::Boolean, "false", A_NOTE),
    row("disable-network-management", Kind::Boolean, "false", ONE_NETWORK),
    row("disable-telemetry", Kind::Boolean, "false", NOTHING_SENT),
    row("egress-subnets", Kind::Text, "", NO_OFFERS),
    row("enable-os-refresh-update", Kind::Boolean, "true", NO_SYSTEM),
    row("enable-os-upgrade", Kind::Boolean, "true", NO_SYSTEM),
    row("extra-info", Kind::Text, "", A_NOTE),
    row("fan-config", Kind::Text, "", ONE_NETWORK),
    row("firewall-mode", Kind::Text, "instance", "Juju's option, without effect here: reachability controls who can reach a unit."),
    row("ignore-machine-addresses", Kind::Boolean, "false", ONE_NETWORK),
    row("image-metadata-defaults-disabled", Kind::Boolean, "false", NO_IMAGES),
    row("image-metadata-url", Kind::Text, "", NO_IMAGES),
    row("image-stream", Kind::Text, "released", NO_IMAGES),
    row("lxd-snap-channel", Kind::Text, "", NO_CONTAINERS),
    row("mode", Kind::Text, "", "Juju's option, without effect here: applications are removed by force only on request."),
    row("net-bond-reconfigure-delay", Kind::Count, "17", ONE_NETWORK),
    row("num-container-provision-workers", Kind::Count, "4", NO_CONTAINERS),
    row("proxy-ssh", Kind::Boolean, "false", NO_SSH),
    row("resource-tags", Kind::Text, "", A_NOTE),
    row("saas-ingress-allow", Kind::Text, "0.0.0.0/0,::/0", NO_OFFERS),
    row("snap-http-proxy", Kind::Text, "", NO_SYSTEM),
    row("snap-https-proxy", Kind::Text, "", NO_SYSTEM),
    row("snap-store-assertions", Kind::Text, "", NO_SYSTEM),
    row("snap-store-proxy", Kind::Text, "", NO_SYSTEM),
    row("snap-store-proxy-url", Kind::Text, "", NO_SYSTEM),
    row("ssh-allow", Kind::Text, "0.0.0.0/0,::/0", NO_SSH),
    row("ssl-hostname-verification", Kind::Boolean, "true", NOTHING_SENT),
    row("storage-default-block-source", Kind::Text, "", "Juju's option, without effect here: there are no block devices."),
    row("test-mode", Kind::Boolean, "false", A_NOTE),
    row("transmit-vendor-metrics", Kind::Boolean, "true", NOTHING_SENT),
];
