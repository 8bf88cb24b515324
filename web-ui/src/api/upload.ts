/** Sends a file and tells how far it got; `fetch` cannot, so this is `XMLHttpRequest`. */
import { ApiError, csrfHeader, type Method, unreachable, withQuery } from "./client";
import * as paths from "./paths";
import type { AttachedResource, CharmInfo, Problem, UploadedResource } from "./types";

export interface Progress {
  sent: number;
  total: number;
}

type OnProgress = (progress: Progress) => void;

export function uploadCharm(
  model: string,
  file: File,
  onProgress: OnProgress,
  signal?: AbortSignal,
): Promise<CharmInfo> {
  const address = withQuery(`${paths.model(model)}/charms`, { name: file.name });
  return upload("POST", address, file, onProgress, signal);
}

/** Attaches the file to the application, for a resource that its charm declares. */
export function uploadResource(
  of: { model: string; application: string; resource: string },
  file: File,
  onProgress: OnProgress,
  signal?: AbortSignal,
): Promise<AttachedResource> {
  return upload("PUT", paths.resource(of.model, of.application, of.resource), file, onProgress, signal);
}

/** Uploads a file for a deployment or a refresh that is to come. */
export function uploadForLater(model: string, file: File, signal?: AbortSignal): Promise<UploadedResource> {
  return upload("POST", `${paths.model(model)}/resources`, file, () => {}, signal);
}

function upload<T>(
  method: Method,
  address: string,
  file: File,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Idempotency-Key", crypto.randomUUID());
    for (const [name, value] of Object.entries(csrfHeader())) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = (event) => onProgress({ sent: event.loaded, total: file.size });
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException("The upload was cancelled", "AbortError"));
    request.onload = () => {
      const body = parse(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body as T);
      else reject(new ApiError(problem(request.status, body)));
    };
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problem(status: number, body: unknown): Problem {
  const known = body as Partial<Problem> | undefined;
  return {
    type: known?.type ?? "about:blank",
    status,
    code: known?.code ?? "unexpected-answer",
    title: known?.title ?? `The controller answered ${status}`,
    detail: known?.detail ?? "",
    advice: known?.advice ?? "",
  };
}

/** Whether the visitor ended it. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
