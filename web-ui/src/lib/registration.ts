/** What `add-user` hands out: base64 of JSON with the one-time token. */
export interface Registration {
  user: string;
  controller: string;
  token: string;
}

/**
 * The page that takes it, with all that the page has to know: the certificate of `add-user` is left
 * out, so that the link is short enough for a code that phones read. Behind `#` it is in no log of any
 * server.
 */
export function registrationLink(text: string, origin = location.origin): string {
  const known = readRegistration(text);
  return `${origin}/register#${encodeURIComponent(known ? packed(known) : text)}`;
}

const packed = (registration: Registration): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(registration))))
    .replaceAll("+", "-")
    .replaceAll("/", "_");

/** What a link brought; nothing where it brought none. */
export function linkedRegistration(hash: string): string {
  try {
    return decodeURIComponent(hash.replace(/^#/, ""));
  } catch {
    return "";
  }
}

export function readRegistration(text: string): Registration | null {
  try {
    const packed = text.trim().replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const content = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Registration>;
    if (!content.user || !content.token) return null;
    return { user: content.user, controller: content.controller ?? "", token: content.token };
  } catch {
    return null;
  }
}
