import { Link, useLocation } from "react-router";
import { PageHead } from "../components/PageHead";
import { Empty } from "../components/States";

export function NotFoundPage() {
  const { pathname } = useLocation();
  return (
    <>
      <PageHead title="No such page" />
      <Empty title={`There is nothing at ${pathname}`} cli="periapt status">
        Press <kbd>/</kbd> to search for what you want, or go back to the{" "}
        <Link to="/models">models</Link>.
      </Empty>
    </>
  );
}
