/// <reference types="vitest/config" />
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Where `npm run dev` finds a controller. */
const controller = process.env["PERIAPT_CONTROLLER"] ?? "https://127.0.0.1:17070";

const proxied = ["/v1", "/docs", "/health", "/ready", "/metrics"];

/** Writes `.br` and `.gz` beside each text file, so the controller compresses nothing itself. */
function compressed(): Plugin {
  let directory = "dist";
  return {
    name: "compressed",
    apply: "build",
    configResolved(config) {
      directory = config.build.outDir;
    },
    closeBundle() {
      for (const name of readdirSync(directory, { recursive: true }) as string[]) {
        const path = join(directory, name);
        if (!/\.(html|js|css|svg)$/.test(name) || statSync(path).size < 1024) continue;
        const content = readFileSync(path);
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
        writeFileSync(`${path}.br`, brotliCompressSync(content, quality));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressed()],
  build: {
    target: "es2022",
    // No polyfill and no inlined files: the page's policy allows neither inline scripts nor
    // anything that does not come from the controller.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    chunkSizeWarningLimit: 600,
  },
  css: {
    preprocessorOptions: { scss: { quietDeps: true, silenceDeprecations: ["import", "global-builtin", "if-function", "color-functions"] } },
  },
  server: {
    proxy: Object.fromEntries(
      // The controller takes changes from its own page alone, so the proxy speaks as that page.
      proxied.map((path) => [
        path,
        { target: controller, changeOrigin: true, secure: false, headers: { origin: controller } },
      ]),
    ),
  },
  // Whole pages in jsdom take seconds each while something else is built on the same machine.
  test: { environment: "node", include: ["src/**/*.test.{ts,tsx}"], testTimeout: 60_000 },
});
