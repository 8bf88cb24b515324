/** The picture in the browser's tab, with the number of units in error. */

export const PLAIN_FAVICON = "/favicon.svg";

/** More than this has no room. */
const MOST = 99;

/** The mark with a number in its corner; an address that holds the whole picture. */
export function faviconWith(count: number): string {
  if (count <= 0) return PLAIN_FAVICON;
  const text = count > MOST ? `${MOST}+` : String(count);
  const size = text.length > 2 ? 11 : 14;
  const svg = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    '<circle cx="16" cy="16" r="15" fill="#772953"/>',
    '<ellipse cx="16" cy="16" rx="11" ry="6" fill="none" stroke="#fff" stroke-width="2" transform="rotate(-30 16 16)"/>',
    '<circle cx="21" cy="21" r="11" fill="#b8142f" stroke="#fff" stroke-width="1.5"/>',
    `<text x="21" y="${21 + size * 0.36}" fill="#fff" font-family="sans-serif" font-size="${size}" font-weight="700" text-anchor="middle">${text}</text>`,
    "</svg>",
  ].join("");
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Puts it into the tab. */
export function showFavicon(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const href = faviconWith(count);
  if (link && link.getAttribute("href") !== href) link.setAttribute("href", href);
}
