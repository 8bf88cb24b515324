"""A deployment with the client that openapi-python-client makes of the API's description.

Arguments: the controller's address, a file with its certificate authority, a packed charm. The password comes from
the environment, `PERIAPT_PASSWORD`. The generated package `periapt_client` is on the path.
"""

import hashlib
import os
import ssl
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeVar

import httpx
from periapt_client import AuthenticatedClient, Client
from periapt_client.api.applications import (
    deploy_application,
    get_application,
    get_application_config,
    remove_application,
    scale_application,
    update_application_config,
)
from periapt_client.api.charms import upload_charm
from periapt_client.api.events import wait_for
from periapt_client.api.login import end_session, login, who_am_i
from periapt_client.api.models import add_model, destroy_model
from periapt_client.api.units import list_units
from periapt_client.models import (
    AddModel,
    ApplicationConfig,
    ApplicationInfo,
    CharmInfo,
    ConfigChange,
    ConfigChangeSet,
    Deploy,
    LoginReply,
    LoginRequest,
    ModelSummary,
    PageUnitInfo,
    Problem,
    Removal,
    Scaled,
    SetScale,
    Waited,
    WhoAmI,
)
from periapt_client.types import File

T = TypeVar("T")
MODEL = "python"


def is_a(kind: type[T], answer: object) -> T:
    """The answer, which is of this kind: anything else is a failure, in its own words."""
    if isinstance(answer, kind):
        return answer
    raise SystemExit(f"not a {kind.__name__}: {answer}")


def key() -> str:
    return str(uuid.uuid4())


def main(address: str, authority: str, charm: str) -> None:
    trust = ssl.create_default_context(cafile=authority)
    patience = httpx.Timeout(300)
    anybody = Client(base_url=f"https://{address}", verify_ssl=trust, timeout=patience)

    wrong = LoginRequest(user="admin", password="not the password")
    refused = is_a(Problem, login.sync(client=anybody, body=wrong))
    assert refused.code == "credentials-invalid", refused
    assert refused.type_ == "urn:periapt:problem:credentials-invalid", refused
    assert refused.advice, refused

    right = LoginRequest(user="admin", password=os.environ["PERIAPT_PASSWORD"], name="python", expires_in=600)
    reply = is_a(LoginReply, login.sync(client=anybody, body=right))
    left = reply.expires_at - datetime.now(timezone.utc)
    assert 0 < left.total_seconds() <= 600, reply.expires_at
    client = AuthenticatedClient(
        base_url=f"https://{address}", token=reply.token, verify_ssl=trust, timeout=patience
    )

    added = add_model.sync_detailed(client=client, body=AddModel(name=MODEL), idempotency_key=key())
    model = is_a(ModelSummary, added.parsed)
    assert added.status_code == 201 and added.headers["location"] == f"/v1/models/{model.uuid}", added
    assert model.status.status == "available", model

    archive = Path(charm).read_bytes()
    digest = hashlib.sha256(archive).hexdigest()
    with open(charm, "rb") as payload:
        uploaded = upload_charm.sync(MODEL, client=client, body=File(payload=payload), sha256=digest)
    url = is_a(CharmInfo, uploaded).url

    wanted = Deploy(application="site", charm=url, units=1)
    is_a(ApplicationInfo, deploy_application.sync(MODEL, client=client, body=wanted, idempotency_key=key()))
    wait(client)
    units = is_a(PageUnitInfo, list_units.sync(MODEL, client=client, limit=1)).items
    assert [unit.name for unit in units] == ["site/0"], units
    assert units[0].workload.status == "active", units[0]
    age = datetime.now(timezone.utc) - units[0].workload.since
    assert -5 < age.total_seconds() < 300, units[0].workload.since

    scaled = is_a(Scaled, scale_application.sync(MODEL, "site", client=client, body=SetScale(units=2)))
    assert scaled.units == ["site/0", "site/1"] and scaled.added == ["site/1"], scaled
    wait(client)

    title = ConfigChangeSet()
    title["title"] = "Made by Python"
    changed = update_application_config.sync(MODEL, "site", client=client, body=ConfigChange(set_=title))
    is_a(ApplicationConfig, changed)
    shown = is_a(ApplicationConfig, get_application_config.sync(MODEL, "site", client=client))
    assert shown.settings["title"] == "Made by Python", shown

    removal = is_a(Removal, remove_application.sync(MODEL, "site", client=client, idempotency_key=key()))
    assert removal.units == ["site/0", "site/1"], removal
    gone = wait_for.sync(
        MODEL, client=client, kind="application", name="site", query='life=="dead"', timeout=120
    )
    is_a(Waited, gone)
    missing = is_a(Problem, get_application.sync(MODEL, "site", client=client))
    assert missing.code == "application-not-found", missing
    is_a(ModelSummary, destroy_model.sync(MODEL, client=client, idempotency_key=key()))

    assert is_a(WhoAmI, who_am_i.sync(client=client)).user == "admin"
    end_session.sync(client=client)
    ended = is_a(Problem, who_am_i.sync(client=client))
    assert ended.code == "token-invalid", ended


def wait(client: AuthenticatedClient) -> None:
    """Until all units are active and idle."""
    settled = wait_for.sync(MODEL, client=client, kind="application", name="site", timeout=240)
    is_a(Waited, settled)


if __name__ == "__main__":
    main(*sys.argv[1:])
    print("deployed with the generated client")
