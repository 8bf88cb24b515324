/** What can be disabled in a model, in words. */
import type { BlockKind } from "../api/types";

export const KINDS: readonly BlockKind[] = ["destroy-model", "remove-object", "all"];

const WORDS: Record<BlockKind, string> = {
  "destroy-model": "The model cannot be destroyed",
  "remove-object": "Nothing can be removed without force, and the model cannot be destroyed",
  all: "Nothing can be changed",
};

export const disabled = (kind: BlockKind): string => WORDS[kind];
