import { Component, type ReactNode } from "react";
import { Failure } from "./States";

interface State {
  error: Error | null;
}

/** A fault of a page takes down that page, not the others. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    if (!this.state.error) return this.props.children;
    return (
      <main className="page">
        <Failure
          error={this.state.error}
          cli="periapt status"
          onRetry={() => this.setState({ error: null })}
        />
      </main>
    );
  }
}
