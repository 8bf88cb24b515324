/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev` finds a controller. */
const controller = process.env["PERIAPT_CONTROLLER"] ?? "https://127.0.0.1:17070";

const proxied = ["/v1", "/docs", "/health", "/ready", "/metrics"];

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    // No polyfill and no inlined files: the page's policy allows neither inline scripts nor
    // anything that does not come from the controller.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  css: {
    preprocessorOptions: { scss: { quietDeps: true, silenceDeprecations: ["import", "global-builtin", "if-function", "color-functions"] } },
  },
  server: {
    proxy: Object.fromEntries(
      proxied.map((path) => [path, { target: controller, changeOrigin: true, secure: false }]),
    ),
  },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"] },
});
