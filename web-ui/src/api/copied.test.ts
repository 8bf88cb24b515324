/**
 * What pages offer to copy as curl is in the API's description too. No page sends it, so the expressions are
 * read from the source and worked out with samples in the place of what a page knows.
 */
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { logAddress } from "../live/lines";
import { withQuery } from "./client";
import { undescribed } from "./described";
import * as paths from "./paths";

const SOURCE = new URL("../", import.meta.url);

/** Parts of pages that show a request. */
const SHOWN = new Set(["CopyTools", "CommandHint"]);

interface Shown {
  where: string;
  /** One or two: a method that depends on what is asked. */
  methods: string[];
  path: string;
}

/** A text, and whatever else a page may take it for. */
const sample: object = new Proxy(Object("1") as object, {
  get: (text, key) => {
    const found: unknown = Reflect.get(text, key);
    if (found === undefined) return typeof key === "symbol" ? undefined : sample;
    return typeof found === "function" ? found.bind("1") : found;
  },
});

/** Names that mean something; the names of units and storages have two parts, and a filter nothing that nobody set. */
const KNOWN: Record<string, unknown> = {
  paths: {
    ...paths,
    unit: (model: string) => paths.unit(model, "site/0"),
    fileList: (model: string) => paths.fileList(model, "site/0"),
    fileRead: (model: string) => paths.fileRead(model, "site/0"),
    unitStorage: (model: string) => paths.unitStorage(model, "site/0"),
    storage: (model: string) => paths.storage(model, "data/0"),
  },
  withQuery,
  logAddress,
  filter: {},
};

function workedOut(expression: string): unknown {
  const scope = new Proxy(KNOWN, {
    has: () => true,
    get: (known, name) => (typeof name === "string" ? (known[name] ?? sample) : undefined),
  });
  return new Function("scope", `with (scope) { return (${expression}); }`)(scope);
}

/** What the name stands for in this file, where it is no more than a constant. */
function constant(file: ts.SourceFile, name: string): ts.Expression | undefined {
  let found: ts.Expression | undefined;
  const look = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText(file) === name) found = node.initializer;
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

function member(file: ts.SourceFile, object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (property.name?.getText(file) !== name) continue;
    if (ts.isPropertyAssignment(property)) {
      const { initializer } = property;
      return ts.isIdentifier(initializer) ? (constant(file, initializer.text) ?? initializer) : initializer;
    }
    if (ts.isShorthandPropertyAssignment(property)) return constant(file, name);
  }
  return undefined;
}

function shownIn(name: string): Shown[] {
  const text = readFileSync(new URL(name, SOURCE), "utf8");
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const shown: Shown[] = [];
  const look = (node: ts.Node): void => {
    const element = ts.isJsxSelfClosingElement(node) && SHOWN.has(node.tagName.getText(file)) ? node : undefined;
    for (const each of element?.attributes.properties ?? []) {
      if (!ts.isJsxAttribute(each) || each.name.getText(file) !== "request") continue;
      const request = each.initializer && ts.isJsxExpression(each.initializer) && each.initializer.expression;
      if (!request || !ts.isObjectLiteralExpression(request)) throw new Error(`${name}: a request cannot be read`);
      const path = member(file, request, "path");
      if (!path) throw new Error(`${name}: a path cannot be read`);
      const method = member(file, request, "method")?.getText(file) ?? '"GET"';
      shown.push({
        where: name,
        methods: [...method.matchAll(/"([A-Z]+)"/g)].map(([, word = ""]) => word),
        path: String(workedOut(path.getText(file))),
      });
    }
    ts.forEachChild(node, look);
  };
  look(file);
  return shown;
}

const all = (readdirSync(SOURCE, { recursive: true }) as string[])
  .filter((name) => name.endsWith(".tsx") && !name.includes(".test."))
  .flatMap(shownIn);

describe("the API's description", () => {
  it("has every request that can be copied", () => {
    const unknown = all.flatMap(({ where, methods, path }) =>
      methods.flatMap((method) => undescribed(method, path)).map((what) => `${where}: ${what}`),
    );
    expect(unknown).toEqual([]);
    expect(all.filter(({ methods }) => methods.length === 0)).toEqual([]);
    // Whoever renames the parts would have a test that looks at nothing.
    expect(all.length).toBeGreaterThan(35);
  });
});
