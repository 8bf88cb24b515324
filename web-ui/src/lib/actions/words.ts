/** A line of words as a shell splits it, by the controller's rules. Pure. */
import { quote } from "../commands";

export type Words = { words: string[] } | { error: string };

/** Split at blanks. Quotes keep words together, and a backslash takes what follows as it is. */
export function split(line: string): Words {
  const words: string[] = [];
  let word: string | null = null;
  let open = "";
  const characters = [...line];
  for (let place = 0; place < characters.length; place += 1) {
    const character = characters[place] ?? "";
    if (open !== "" && character === open) {
      open = "";
    } else if (open === "" && (character === "'" || character === '"')) {
      open = character;
      word ??= "";
    } else if (open !== "'" && character === "\\") {
      place += 1;
      const next = characters[place];
      if (next === undefined) return { error: "A backslash at the end" };
      // Within double quotes a backslash is only special before these.
      const kept: string = open === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next;
      word = (word ?? "") + kept;
    } else if (open === "" && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (open !== "") return { error: "A quote is not closed" };
  if (word !== null) words.push(word);
  return { words };
}

/** A line that is split into these words again. */
export function joined(words: readonly string[]): string {
  return words.map(quote).join(" ");
}
