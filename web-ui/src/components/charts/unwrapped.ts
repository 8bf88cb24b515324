/** What opens a line that stands alone: an item of a list, or what is set in. */
const ALONE = '(?:\\s|[-*+•] |\\d{1,9}[.)] )';
const WRAPPED = new RegExp(`([^\\n])\\n(?!${ALONE})`, 'g');

/** The lines of a written text put together to paragraphs, which an empty line ends: it is wrapped where it is shown. */
export function unwrapped(text: string): string {
  return text.trim().replace(WRAPPED, '$1 ');
}
