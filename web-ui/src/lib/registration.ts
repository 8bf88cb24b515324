/** What `add-user` hands out: base64 of JSON with the one-time token. */
export interface Registration {
  user: string;
  controller: string;
  token: string;
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
