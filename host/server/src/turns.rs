//! Turns at work that is dear: a few at once for everybody, and one for each user, so that whoever
//! asks for much waits behind their own requests and holds up nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use periapt_model::UserName;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Clones give turns at the same work.
#[derive(Clone)]
pub struct Turns {
    places: Arc<Semaphore>,
    users: Arc<Mutex<HashMap<UserName, Arc<Semaphore>>>>,
}

/// A turn, until it is dropped.
pub struct Turn {
    turns: Turns,
    user: UserName,
    place: Option<OwnedSemaphorePermit>,
    own: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// So many at once, of different users.
    pub fn new(places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            users: Arc::default(),
        }
    }

    /// Waits for the user's own turn first and for a place then, each in the order of asking.
    pub async fn take(&self, user: &UserName) -> Turn {
        // Also whoever gives up waiting leaves nothing behind: this is dropped then.
        let mut turn = Turn {
            turns: self.clone(),
            user: user.clone(),
            place: None,
            own: None,
        };
        // Neither semaphore is ever closed.
        turn.own = self.of(user).acquire_owned().await.ok();
        turn.place = Arc::clone(&self.places).acquire_owned().await.ok();
        turn
    }

    fn of(&self, user: &UserName) -> Arc<Semaphore> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let own = users.entry(user.clone());
        Arc::clone(own.or_insert_with(|| Arc::new(Semaphore::new(1))))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.place = None;
        self.own = None;
        let users = &self.turns.users;
        let mut users = users.lock().unwrap_or_else(PoisonError::into_inner);
        // Who waits or works holds the semaphore too.
        if users
            .get(&self.user)
            .is_some_and(|own| Arc::strong_count(own) == 1)
        {
            users.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn user(name: &str) -> UserName {
        name.parse().unwrap()
    }

    #[tokio::test]
    async fn nobody_waits_behind_two_turns_of_another_user() {
        let turns = Turns::new(2);
        let (greedy, other) = (user("greedy"), user("other"));
        let first = turns.take(&greedy).await;
        let mut second = Box::pin(turns.take(&greedy));
        assert!(second.as_mut().now_or_never().is_none(), "one at a time");
        let innocent = turns.take(&other).now_or_never();
        assert!(innocent.is_some(), "the other place is free");
        drop(first);
        let second = second.as_mut().now_or_never();
        assert!(second.is_some(), "the next of the same user");
        assert!(
            turns.take(&user("third")).now_or_never().is_none(),
            "two at once"
        );
        drop((second, innocent));
        assert!(turns.take(&user("third")).now_or_never().is_some());
    }

    #[tokio::test]
    async fn users_are_forgotten_with_their_last_turn() {
        let turns = Turns::new(1);
        let held = turns.take(&user("one")).await;
        assert!(turns.take(&user("one")).now_or_never().is_none());
        assert!(turns.take(&user("two")).now_or_never().is_none());
        assert_eq!(turns.users.lock().unwrap().len(), 1, "who gave up is gone");
        drop(held);
        assert!(turns.users.lock().unwrap().is_empty());
        let _again = turns.take(&user("two")).await;
    }
}
