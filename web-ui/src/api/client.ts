/**
 * One HTTP request to the controller, and what it can answer.
 *
 * It knows the session's token against cross-site requests and gives every write an
 * `Idempotency-Key`, so a write whose answer was lost is sent again without doing it twice.
 * It knows no resource: paths are in the other files of this folder.
 */
import type { Page, Problem } from "./types";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** Items that the controller gives at once. */
const LARGEST_PAGE = 1000;

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Options {
  query?: Query;
  body?: unknown;
  /** The tag of what was read; the write is refused when somebody else wrote meanwhile. */
  ifMatch?: string | null;
  signal?: AbortSignal;
}

export class ApiError extends Error {
  readonly problem: Problem;

  /** Of a problem that no controller told, nothing is known but its words. */
  constructor(problem: Omit<Problem, "type"> & { type?: string }) {
    super(problem.detail || problem.title);
    this.name = "ApiError";
    this.problem = { type: "about:blank", ...problem };
  }

  get status(): number {
    return this.problem.status;
  }

  get code(): string {
    return this.problem.code;
  }
}

/** What is thrown when no answer came at all. */
export function unreachable(): ApiError {
  return new ApiError({
    type: "about:blank",
    status: 0,
    code: "controller-unreachable",
    title: "The controller does not answer",
    detail: "The request did not reach the controller, or its answer was lost",
    advice: "Check that it runs: `periapt controllers`, `periapt controller start`",
  });
}

let csrf = "";
let onSignedOut: () => void = () => {};

export function setCsrf(value: string): void {
  csrf = value;
}

export function csrfHeader(): Record<string, string> {
  return csrf ? { "X-Periapt-CSRF": csrf } : {};
}

/** Called when a request finds that the session is over. */
export function whenSignedOut(callback: () => void): void {
  onSignedOut = callback;
}

export function withQuery(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

export async function problemOf(response: Response): Promise<Problem> {
  try {
    const body = (await response.json()) as Partial<Problem>;
    if (body.code && body.title) return { ...body, status: response.status } as Problem;
  } catch {
    // Not a problem document: the words below have to do.
  }
  return {
    type: "about:blank",
    status: response.status,
    code: "unexpected-answer",
    title: `The controller answered ${response.status}`,
    detail: response.statusText,
    advice: "Try again, or see the controller's log.",
  };
}

async function send(method: Method, path: string, options: Options): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") {
    Object.assign(headers, csrfHeader());
    headers["Idempotency-Key"] = crypto.randomUUID();
  }
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  const request: RequestInit = { method, headers, credentials: "same-origin" };
  if (options.body !== undefined) {
    headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(options.body);
  }
  if (options.signal) request.signal = options.signal;
  const address = withQuery(path, options.query);
  const aborted = (): boolean => options.signal?.aborted ?? false;
  try {
    return await fetch(address, request);
  } catch (error) {
    if (aborted() || method === "GET") throw aborted() ? error : unreachable();
  }
  try {
    return await fetch(address, request);
  } catch (error) {
    throw aborted() ? error : unreachable();
  }
}

/** An answer that is none of an error. */
async function answered(method: Method, path: string, options: Options): Promise<Response> {
  const response = await send(method, path, options);
  if (response.ok) return response;
  const error = new ApiError(await problemOf(response));
  if (response.status === 401 && !path.startsWith("/v1/session")) onSignedOut();
  throw error;
}

/** The answer with its tag. */
export async function callTagged<T>(
  method: Method,
  path: string,
  options: Options = {},
): Promise<{ value: T; tag: string | null }> {
  const response = await answered(method, path, options);
  const text = await response.text();
  return {
    value: (text ? JSON.parse(text) : undefined) as T,
    tag: response.headers.get("ETag"),
  };
}

export async function call<T>(method: Method, path: string, options: Options = {}): Promise<T> {
  return (await callTagged<T>(method, path, options)).value;
}

/** The bytes of an answer, whether these are all of it, and how many it has where that is said. */
export interface Bytes {
  bytes: Uint8Array<ArrayBuffer>;
  whole: boolean;
  total: number | null;
}

/** An answer that is no JSON: the first `most` bytes of it. The rest is not waited for. */
export async function callBytes(method: Method, path: string, options: Options, most: number): Promise<Bytes> {
  const response = await answered(method, path, options);
  const length = response.headers.get("Content-Length");
  const total = length === null ? null : Number(length);
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let read = 0;
  while (reader && read <= most) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw options.signal?.aborted ? error : cutShort();
    });
    if (done) return { bytes: joined(parts, read), whole: true, total: read };
    parts.push(value);
    read += value.length;
  }
  // Whether the other side hears of it or not, it is over here.
  await reader?.cancel().catch(() => {});
  return { bytes: joined(parts, read).subarray(0, most), whole: !reader, total };
}

function joined(parts: Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** What is thrown when an answer began and did not come to its end. */
function cutShort(): ApiError {
  return new ApiError({
    status: 0,
    code: "answer-cut-short",
    title: "The answer ended early",
    detail: "The controller sent a part of it and then stopped",
    advice: "Try again",
  });
}

/** Values that are answered a line each. */
export async function callLines<T>(path: string, query: Query = {}): Promise<T[]> {
  const response = await answered("GET", path, { query });
  const text = await response.text();
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as T);
}

/** Every item of a list, read page by page. */
export async function all<T>(path: string, query: Query = {}): Promise<T[]> {
  const items: T[] = [];
  let after: string | null | undefined;
  do {
    const answer: Page<T> = await page(path, { limit: LARGEST_PAGE, ...query, after });
    items.push(...answer.items);
    after = answer.next;
  } while (after);
  return items;
}

/** One page of a list. */
export function page<T>(path: string, query: Query = {}): Promise<Page<T>> {
  return call<Page<T>>("GET", path, { query });
}
