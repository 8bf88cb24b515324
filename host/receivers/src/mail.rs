//! An e-mail over SMTP: with STARTTLS, over TLS, or plain.

use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use periapt_model::alert::{Encryption, Mail, subject_line};
use periapt_outbound::{Failure, authorities};

use crate::{Outgoing, PATIENCE, SendError};

const SERVER: &str = "the mail server";

pub(crate) async fn send(mail: &Mail, outgoing: &Outgoing<'_>) -> Result<String, SendError> {
    let email = email(mail, outgoing)?;
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(mail.host.as_str())
        .port(mail.port)
        .timeout(Some(PATIENCE))
        .tls(tls(mail)?);
    if let Some((user, password)) = &mail.login {
        builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
    }
    let transport: AsyncSmtpTransport<Tokio1Executor> = builder.build();
    let answer = transport.send(email).await.map_err(|error| {
        // An answer of the server tells more than the kind of its failure. Neither may have the password.
        let said = match &mail.login {
            Some((_, password)) => error.to_string().replace(password.as_str(), "…"),
            None => error.to_string(),
        };
        let said: String = said.chars().take(300).collect();
        SendError(
            match (
                error.is_timeout(),
                error.is_permanent() || error.is_transient(),
            ) {
                (true, _) => "the mail server does not answer in time".to_owned(),
                (_, true) => format!("the mail server refuses it: {said}"),
                _ => format!("the mail cannot be sent: {said}"),
            },
        )
    })?;
    Ok(answer.code().to_string())
}

fn tls(mail: &Mail) -> Result<Tls, SendError> {
    if mail.encryption == Encryption::Plain {
        return Ok(Tls::None);
    }
    let pem = authorities(SERVER, mail.ca_cert.as_deref())?;
    let certificate = Certificate::from_pem(&pem).map_err(|_| Failure::NoCertificate(SERVER))?;
    let parameters = TlsParameters::builder(mail.host.clone())
        .certificate_store(CertificateStore::None)
        .add_root_certificate(certificate)
        .build_rustls()
        .map_err(|error| SendError(format!("no encrypted connection can be made: {error}")))?;
    Ok(match mail.encryption {
        Encryption::StartTls => Tls::Required(parameters),
        Encryption::Tls | Encryption::Plain => Tls::Wrapper(parameters),
    })
}

fn email(mail: &Mail, outgoing: &Outgoing<'_>) -> Result<lettre::Message, SendError> {
    let mailbox = |address: &str| {
        let shown: String = address.chars().take(80).collect();
        let unfit = |_| SendError(format!("\"{shown}\" is not an e-mail address"));
        address.parse::<Mailbox>().map_err(unfit)
    };
    let mut builder = lettre::Message::builder()
        .from(mailbox(&mail.from)?)
        .subject(subject_line(outgoing.message))
        .message_id(Some(format!("<{}@periapt>", outgoing.id)))
        .header(ContentType::TEXT_PLAIN);
    for address in &mail.to {
        builder = builder.to(mailbox(address)?);
    }
    builder
        .body(outgoing.message.text())
        .map_err(|error| SendError(format!("the mail cannot be written: {error}")))
}
