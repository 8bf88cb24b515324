/**
 * A README in blocks that can be drawn. Headings, lists and code keep their shape, and the lines of a paragraph are
 * put together; of a link to a file beside it only its text is left, since the file is not here;
 * everything else stays the text that it is. It is a stranger's: no link, picture or HTML is made of it, so reading it
 * asks nobody for anything.
 */
export type ReadmeBlock =
  | { kind: "heading"; text: string; level: number }
  | { kind: "code"; text: string }
  | { kind: "text"; text: string };

/** Of the page's own headings, the one that READMEs begin below. */
const SECTION = 2;
const DEEPEST = 6;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ ]+(.*?)[ ]*#*[ ]*$/;
const ITEM = /^ *([-*+]|\d{1,9}[.)])[ ]/;
const INDENTED = /^ {4}/;
/** Lines that mean something by standing alone: of quotes and tables. */
const ALONE = /^ {0,3}[|>]/;

/** What is between backquotes, which stays; or a link without a scheme, which is no picture. */
const LINK = /(`[^`]*`)|(?<!!)\[([^\][]*)\]\((?![a-z][a-z0-9+.-]*:|\/\/)[^()\s]*(?:\s+"[^"]*")?\)/gi;

export function readmeBlocks(text: string): ReadmeBlock[] {
  const lines = text.split("\n");
  const blocks: ReadmeBlock[] = [];
  let paragraph: string[] = [];
  let inList = false;
  const end = (): void => {
    if (paragraph.length > 0) blocks.push({ kind: "text", text: paragraph.join("\n") });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    const underlined = paragraph.length === 1 && !inList && /^ {0,3}(=+|-{2,}) *$/.test(line);
    if (fence) {
      end();
      const closing = lines.findIndex((each, place) => place > at && closes(each, fence));
      const past = closing < 0 ? lines.length : closing;
      blocks.push({ kind: "code", text: lines.slice(at + 1, past).join("\n") });
      at = past;
      inList = false;
    } else if (heading) {
      end();
      blocks.push({ kind: "heading", text: heading[2] ?? "", level: heading[1]?.length ?? 1 });
      inList = false;
    } else if (underlined) {
      blocks.push({ kind: "heading", text: paragraph[0] ?? "", level: line.includes("=") ? 1 : 2 });
      paragraph = [];
    } else if (line.trim() === "") {
      end();
    } else if (INDENTED.test(line) && paragraph.length === 0 && !inList) {
      const code = indented(lines, at);
      blocks.push({ kind: "code", text: code.map((each) => each.slice(4)).join("\n") });
      at += code.length - 1;
    } else if (ITEM.test(line)) {
      inList = true;
      paragraph.push(line.trimEnd());
    } else {
      inList = inList && (paragraph.length > 0 || line.startsWith(" "));
      add(paragraph, line, inList);
    }
  }
  end();
  return levelled(blocks);
}

function closes(line: string, fence: string): boolean {
  const closing = FENCE.exec(line)?.[1];
  return closing !== undefined && closing.startsWith(fence) && line.trim() === closing;
}

/** The lines of code from here on, and the empty ones between them. */
function indented(lines: string[], from: number): string[] {
  let past = from;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (INDENTED.test(line)) past = at + 1;
    else if (line.trim() !== "") break;
  }
  return lines.slice(from, past);
}

/** A line goes on with the one before it, unless either stands alone. */
function add(paragraph: string[], line: string, inList: boolean): void {
  const before = paragraph.at(-1);
  if (before === undefined || ALONE.test(line) || ALONE.test(before)) {
    paragraph.push(inList ? line.trimEnd() : line.trim());
  } else {
    paragraph[paragraph.length - 1] = `${before} ${line.trim()}`;
  }
}

/** Below the page's own headings, and none more than one deeper than that before it. */
function levelled(blocks: ReadmeBlock[]): ReadmeBlock[] {
  const top = Math.min(...blocks.map((block) => (block.kind === "heading" ? block.level : DEEPEST)));
  let before = SECTION;
  return blocks.map((block) => {
    if (block.kind === "code") return block;
    const text = block.text.replace(LINK, (_, code?: string, words?: string) => code ?? words ?? "");
    if (block.kind === "text") return { ...block, text };
    before = Math.min(block.level - top + SECTION + 1, before + 1, DEEPEST);
    return { ...block, text, level: before };
  });
}
