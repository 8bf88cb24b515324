/**
 * A deployment with the client that openapi-typescript and openapi-fetch make of the API's description.
 *
 * Arguments: the controller's address and a packed charm. The password comes from the environment,
 * `PERIAPT_PASSWORD`; Node trusts the controller's authority through `NODE_EXTRA_CA_CERTS`.
 */
import { strict as assert } from "node:assert";
import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Problem = components["schemas"]["Problem"];

const MODEL = "typescript";

interface Answer<T> {
  data?: T;
  error?: Problem;
  response: Response;
}

/** The answer, which is no refusal; with the status that is described for it. */
function fine<T>({ data, error, response }: Answer<T>, status = 200): T {
  if (error || data === undefined) throw new Error(`${response.status}: ${JSON.stringify(error)}`);
  assert.equal(response.status, status);
  return data;
}

/** A refusal with this code. */
function refused({ error }: { error?: Problem }, code: string): Problem {
  assert.equal(error?.code, code);
  assert.equal(error?.type, `urn:periapt:problem:${code}`);
  return error;
}

async function main(address: string, charm: string): Promise<void> {
  const client = createClient<paths>({ baseUrl: `https://${address}` });

  refused(await client.POST("/v1/login", { body: { user: "admin", password: "not the password" } }), "credentials-invalid");
  const password = process.env.PERIAPT_PASSWORD ?? "";
  const login = fine(
    await client.POST("/v1/login", { body: { user: "admin", password, name: "typescript", "expires-in": 600 } }),
  );
  assert.ok(Date.parse(login["expires-at"]) > Date.now());
  const bearer: Middleware = {
    onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${login.token}`);
      if (request.method !== "GET") request.headers.set("Idempotency-Key", randomUUID());
      return request;
    },
  };
  client.use(bearer);

  const added = await client.POST("/v1/models", { body: { name: MODEL } });
  const model = fine(added, 201);
  assert.equal(added.response.headers.get("Location"), `/v1/models/${model.uuid}`);
  assert.equal(model.status.status, "available");
  const inModel = { path: { model: MODEL } };
  const site = { path: { model: MODEL, name: "site" } };

  const archive = await readFile(charm);
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const uploaded = fine(
    await client.POST("/v1/models/{model}/charms", {
      params: { ...inModel, query: { sha256 } },
      headers: { "Content-Type": "application/zip" },
      // The description says that the body is bytes; a text is how the generated type says it.
      body: "",
      bodySerializer: () => new Blob([new Uint8Array(archive)]),
    }),
    201,
  );

  const deployed = await client.POST("/v1/models/{model}/applications", {
    params: inModel,
    body: { application: "site", charm: uploaded.url, units: 1 },
  });
  assert.equal(fine(deployed, 201).name, "site");
  const settled = async (query?: string): Promise<void> => {
    const asked = { kind: "application", name: "site", timeout: 240, ...(query !== undefined && { query }) };
    fine(await client.GET("/v1/models/{model}/wait", { params: { ...inModel, query: asked } }));
  };
  await settled();
  const units = fine(await client.GET("/v1/models/{model}/units", { params: { ...inModel, query: { limit: 1 } } }));
  assert.deepEqual(
    units.items.map((unit) => ("name" in unit ? unit.name : "")),
    ["site/0"],
  );

  const scaled = fine(
    await client.PUT("/v1/models/{model}/applications/{name}/scale", { params: site, body: { units: 2 } }),
    202,
  );
  assert.deepEqual(scaled.units, ["site/0", "site/1"]);
  await settled();

  const set = { title: "Made by TypeScript" };
  fine(await client.PATCH("/v1/models/{model}/applications/{name}/config", { params: site, body: { set } }));
  const config = fine(await client.GET("/v1/models/{model}/applications/{name}/config", { params: site }));
  assert.equal(config.settings["title"], set.title);

  const removal = fine(await client.DELETE("/v1/models/{model}/applications/{name}", { params: site }), 202);
  assert.deepEqual(removal.units, ["site/0", "site/1"]);
  await settled('life=="dead"');
  refused(await client.GET("/v1/models/{model}/applications/{name}", { params: site }), "application-not-found");
  fine(await client.DELETE("/v1/models/{model}", { params: inModel }), 202);

  assert.equal(fine(await client.GET("/v1/whoami")).user, "admin");
  fine(await client.DELETE("/v1/session"));
  refused(await client.GET("/v1/whoami"), "token-invalid");
}

const [address, charm] = process.argv.slice(2);
assert.ok(address && charm, "usage: deploy.js ADDRESS CHARM");
await main(address, charm);
console.log("deployed with the generated client");
