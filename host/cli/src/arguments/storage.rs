//! What units are given of the storage of their charm, as verbs take it.

use std::collections::BTreeMap;

use periapt_model::storage::{Asked, is_storage_name};

use crate::failure::{Failure, Outcome};

/// What is asked for of one storage of a charm: `data=loop,1,10G`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub name: String,
    pub asked: Asked,
}

/// `NAME=[POOL,][COUNT,][SIZE]`
pub fn given(text: &str) -> Result<Given, String> {
    let wrong =
        || format!("\"{text}\" has no values: write NAME=POOL,COUNT,SIZE as in data=loop,1,10G");
    let (name, asked) = text.split_once('=').ok_or_else(wrong)?;
    Ok(Given {
        name: storage_name(name)?,
        asked: asked
            .parse()
            .map_err(|refused: periapt_model::hook::commit::Refused| refused.to_string())?,
    })
}

/// The same, or a name alone.
pub fn more(text: &str) -> Result<Given, String> {
    match text.contains('=') {
        true => given(text),
        false => Ok(Given {
            name: storage_name(text)?,
            asked: Asked::default(),
        }),
    }
}

fn storage_name(name: &str) -> Result<String, String> {
    match is_storage_name(name) {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "\"{name}\" cannot be the name of a storage: use a name from the charm's metadata"
        )),
    }
}

/// By name.
///
/// # Errors
/// A storage is given twice.
pub fn by_name(given: Vec<Given>) -> Outcome<BTreeMap<String, Asked>> {
    let mut all = BTreeMap::new();
    for Given { name, asked } in given {
        if all.contains_key(&name) {
            return Err(Failure::usage(format!("storage \"{name}\" is given twice"))
                .why("each storage takes one count, pool and size")
                .advice(format!("write it once, as in {name}=loop,2,10G")));
        }
        all.insert(name, asked);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_is_given_by_name_each_once() {
        let one = given("data=loop,2,10G").unwrap();
        assert_eq!(one.name, "data");
        assert_eq!((one.asked.count, one.asked.size), (Some(2), Some(10_240)));
        assert_eq!(more("data").unwrap().asked, Asked::default());
        assert_eq!(more("data=2").unwrap().asked.count, Some(2));
        for bad in [
            "data",
            "=1G",
            "da ta=1G",
            "data=",
            "data=1G,2G",
            "data/0=1G",
        ] {
            assert!(given(bad).is_err(), "{bad}");
        }
        assert!(more("data/0").is_err());
        let twice = vec![given("data=1G").unwrap(), given("data=2").unwrap()];
        assert_eq!(by_name(twice).unwrap_err().to_string().lines().count(), 3);
    }
}
