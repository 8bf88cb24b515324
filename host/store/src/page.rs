//! Lists that are read page by page: how long a page is, where it begins, and where the next one does.
//!
//! Whoever lists something asks the database for one row more than a page has, so that it is known whether
//! there is another page without counting.

use periapt_model::Refusal;
use periapt_wire::rest::{ITEMS, MOST_ITEMS, Page};

use crate::Result;
use crate::error::StoreError;

/// The length of a page that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paging {
    limit: u64,
}

impl Paging {
    /// As `?limit=` says.
    pub(crate) fn of(limit: Option<u64>) -> Result<Self> {
        let limit = limit.unwrap_or(ITEMS);
        if (1..=MOST_ITEMS).contains(&limit) {
            return Ok(Self { limit });
        }
        Err(StoreError::Refused {
            refusal: Refusal::LimitInvalid,
            message: format!("limit is {limit}, a page has 1 to {MOST_ITEMS} items"),
        })
    }

    /// Rows to ask the database for.
    pub(crate) fn rows(self) -> u64 {
        self.limit + 1
    }

    /// Cuts what the database gave down to a page; where the next one begins, by the name of the last item.
    pub(crate) fn cut<T>(
        self,
        rows: &mut Vec<T>,
        name: impl FnOnce(&T) -> String,
    ) -> Option<String> {
        let more = rows.len() as u64 > self.limit;
        rows.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        rows.last().filter(|_| more).map(name)
    }

    /// A page of what the database gave.
    pub(crate) fn page<T>(self, mut items: Vec<T>, name: impl FnOnce(&T) -> String) -> Page<T> {
        let next = self.cut(&mut items, name);
        Page { items, next }
    }
}

/// The row before which a page of a list begins that has the newest first.
pub(crate) fn before(after: Option<&str>) -> Result<i64> {
    match after.filter(|after| !after.is_empty()) {
        None => Ok(i64::MAX),
        Some(text) => text
            .parse()
            .map_err(|_| StoreError::bad_request(format!("\"{text}\" is not where a page ended"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_followed_by_another_if_there_is_one_row_more() {
        let paging = Paging::of(Some(2)).unwrap();
        assert_eq!(paging.rows(), 3);
        let name = |number: &i32| number.to_string();
        let page = paging.page(vec![1, 2, 3], name);
        assert_eq!((page.items, page.next.as_deref()), (vec![1, 2], Some("2")));
        let page = paging.page(vec![1, 2], name);
        assert_eq!((page.items, page.next), (vec![1, 2], None));
        let page = paging.page(Vec::new(), name);
        assert_eq!((page.items, page.next), (vec![], None));
    }

    #[test]
    fn a_page_of_no_length_or_of_too_great_a_one_is_refused() {
        assert_eq!(Paging::of(None).unwrap().rows(), ITEMS + 1);
        for limit in [0, MOST_ITEMS + 1, u64::MAX] {
            let error = Paging::of(Some(limit)).unwrap_err();
            assert_eq!(error.refusal(), Refusal::LimitInvalid, "{limit}");
        }
    }

    #[test]
    fn a_place_that_is_none_is_refused() {
        assert_eq!(before(None).unwrap(), i64::MAX);
        assert_eq!(before(Some("")).unwrap(), i64::MAX);
        assert_eq!(before(Some("7")).unwrap(), 7);
        assert!(before(Some("seven")).is_err());
    }
}
