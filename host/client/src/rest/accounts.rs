//! The methods about users, their tokens and their access, in the order of the table in
//! `periapt_wire::rest::accounts`.

use periapt_wire::rest::{
    AddToken, AddUser, AddedToken, AddedUser, ChangePassword, ChangeUser, ControllerAccess, Grant,
    GrantModel, ListQuery, LoginReply, LoginRequest, ModelAccess, ModelPermission, Register,
    Session, TokenInfo, UserInfo, WhoAmI, paths,
};
use periapt_wire::rpc::Empty;
use reqwest::Method;

use super::{Authorization, RestClient, RestError};

impl RestClient {
    pub async fn whoami(&self) -> Result<WhoAmI, RestError> {
        self.get(&paths::WHOAMI.at([])).await
    }

    /// A login whose token has a name of its own.
    pub async fn login_as(&self, login: &LoginRequest) -> Result<LoginReply, RestError> {
        self.post(&paths::LOGIN.at([]), login).await
    }

    /// The browser's session that the request was made with.
    pub async fn session(&self) -> Result<Session, RestError> {
        self.get(&paths::SESSION.at([])).await
    }

    /// Ends the token that this client carries.
    pub async fn logout(&self) -> Result<Empty, RestError> {
        self.remove(&paths::SESSION.at([])).await
    }

    /// Trades a one-time token for a password; the returned client carries the new login.
    pub async fn register(
        &self,
        request: &Register,
    ) -> Result<(RestClient, LoginReply), RestError> {
        let reply: LoginReply = self.post(&paths::REGISTER.at([]), request).await?;
        let client = self
            .clone()
            .with(Authorization::Bearer(reply.token.clone()));
        Ok((client, reply))
    }

    pub async fn users(&self) -> Result<Vec<UserInfo>, RestError> {
        self.list(&paths::USERS.at([]), &ListQuery::default()).await
    }

    pub async fn add_user(&self, user: &AddUser) -> Result<AddedUser, RestError> {
        self.post(&paths::USERS.at([]), user).await
    }

    pub async fn user(&self, user: &str) -> Result<UserInfo, RestError> {
        self.get(&paths::USER.at([user])).await
    }

    pub async fn change_user(
        &self,
        user: &str,
        change: &ChangeUser,
    ) -> Result<UserInfo, RestError> {
        self.patch(&paths::USER.at([user]), change).await
    }

    pub async fn remove_user(&self, user: &str) -> Result<Empty, RestError> {
        self.remove(&paths::USER.at([user])).await
    }

    pub async fn change_password(
        &self,
        user: &str,
        change: &ChangePassword,
    ) -> Result<Empty, RestError> {
        self.put(&paths::USER_PASSWORD.at([user]), change).await
    }

    /// Makes the password unusable and invites the user anew.
    pub async fn reset_password(&self, user: &str) -> Result<AddedUser, RestError> {
        let path = paths::USER_REGISTRATION.at([user]);
        self.json(Method::POST, &path, |request| request).await
    }

    pub async fn tokens(&self, user: &str) -> Result<Vec<TokenInfo>, RestError> {
        self.list(&paths::USER_TOKENS.at([user]), &ListQuery::default())
            .await
    }

    pub async fn add_token(&self, user: &str, token: &AddToken) -> Result<AddedToken, RestError> {
        self.post(&paths::USER_TOKENS.at([user]), token).await
    }

    pub async fn remove_token(&self, user: &str, id: &str) -> Result<Empty, RestError> {
        self.remove(&paths::USER_TOKEN.at([user, id])).await
    }

    pub async fn grant(&self, user: &str, access: ControllerAccess) -> Result<UserInfo, RestError> {
        self.put(&paths::USER_ACCESS.at([user]), &Grant { access })
            .await
    }

    pub async fn revoke(
        &self,
        user: &str,
        access: ControllerAccess,
    ) -> Result<UserInfo, RestError> {
        let path = paths::USER_ACCESS.at([user]);
        self.json(Method::DELETE, &path, |request| {
            request.json(&Grant { access })
        })
        .await
    }

    pub async fn model_access(&self, model: &str) -> Result<Vec<ModelAccess>, RestError> {
        self.list(&paths::MODEL_ACCESS.at([model]), &ListQuery::default())
            .await
    }

    pub async fn grant_model(
        &self,
        model: &str,
        user: &str,
        access: ModelPermission,
    ) -> Result<ModelAccess, RestError> {
        let path = paths::MODEL_ACCESS_OF.at([model, user]);
        self.put(&path, &GrantModel { access }).await
    }

    pub async fn revoke_model(
        &self,
        model: &str,
        user: &str,
        access: ModelPermission,
    ) -> Result<ModelAccess, RestError> {
        let path = paths::MODEL_ACCESS_OF.at([model, user]);
        self.json(Method::DELETE, &path, |request| {
            request.json(&GrantModel { access })
        })
        .await
    }

    pub(super) async fn put<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl serde::Serialize + ?Sized),
    ) -> Result<T, RestError> {
        self.json(Method::PUT, path, |request| request.json(body))
            .await
    }

    pub(super) async fn remove<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
    ) -> Result<T, RestError> {
        self.json(Method::DELETE, path, |request| request).await
    }
}
