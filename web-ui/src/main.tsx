import "./styles/fonts.css";
import "./styles/main.scss";
import "./styles/tokens.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/tables.css";
import "./styles/pages.css";
import "./styles/incidents.css";
import "./styles/operations.css";
import "./styles/sandbox.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { ApiError } from "./api/client";
import { App } from "./App";
import { ErrorBoundary } from "./components/ErrorBoundary";
import { applyTheme } from "./lib/theme";
import { SessionProvider } from "./session";

applyTheme();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // What the controller decided it decides again; what it never got is worth a second try.
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>
        <QueryClientProvider client={queries}>
          {/* A field that shows the address follows the key at once; in a transition it would forget what came meanwhile. */}
          <BrowserRouter useTransitions={false}>
            <SessionProvider>
              <App />
            </SessionProvider>
          </BrowserRouter>
        </QueryClientProvider>
      </ErrorBoundary>
    </StrictMode>,
  );
}
