use super::without_bridges;

const ROUTES: &str =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
lxdbr0\t0001010A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
";

#[test]
fn addresses_of_container_bridges_are_left_out() {
    let addresses = [
        "172.17.0.2:17070",
        "10.1.1.1:17070",
        "[::1]:1",
        "name:17070",
    ];
    let addresses: Vec<String> = addresses.map(str::to_owned).into();
    assert_eq!(
        without_bridges(&addresses, ROUTES),
        ["172.17.0.2:17070", "[::1]:1", "name:17070"]
    );
    assert_eq!(without_bridges(&addresses, ""), addresses);
}
