use super::admin::Login;
use super::pinger::Ping;
use super::{NAMES, has};
use crate::Call;

#[test]
fn a_name_is_known_with_its_versions_and_methods_and_no_others() {
    assert!(has("Charms", 6, "AddCharm") && has("Charms", 7, "AddCharm"));
    assert!(has("ModelManager", 9, "ListModelSummaries"));
    assert!(!has("Charms", 1, "AddCharm"), "no client asks for it");
    assert!(!has("Charms", 6, "Ping"), "another facade's method");
    assert!(!has("periapt.Uniter", 1, "State"));
    assert!(!has("Charms", 6, "") && !has("", 6, "AddCharm"));
}

#[test]
fn what_is_declared_here_is_known() {
    fn known<C: Call>() -> bool {
        let mut versions = C::VERSIONS.iter();
        C::PLACE.starts_with("periapt_wire::juju::")
            && versions.all(|version| has(C::FACADE, *version, C::METHOD))
    }
    assert!(known::<Login>() && known::<Ping>());
}

#[test]
fn the_list_is_one_row_for_each_facade_in_order() {
    let rows = NAMES.lines().map(|row| {
        let (name, rest) = row.split_once(' ').unwrap();
        let (versions, methods) = rest.split_once(": ").unwrap();
        let versions = versions.split(' ').map(|one| one.parse().unwrap());
        assert!(versions.collect::<Vec<u32>>().is_sorted(), "{row}");
        assert!(methods.split(' ').is_sorted(), "{row}");
        name
    });
    let names: Vec<&str> = rows.collect();
    assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
}
