import { useQuery } from "@tanstack/react-query";
import { charms } from "../../api";
import type { CharmInfo } from "../../api/types";
import { Prose } from "../../components/Prose";
import { Failure, Loading } from "../../components/States";
import { command } from "../../lib/commands";
import { type ReadmeBlock, readmeBlocks } from "../../lib/readme";

/** What the charm says about itself at length: as text, of which the page fetches and runs nothing. */
export function Readme({ model, charm }: { model: string; charm: CharmInfo }) {
  const readme = useQuery({
    // A digest never names another README.
    queryKey: ["readme", charm.sha256],
    queryFn: () => charms.readme(model, charm.url),
    staleTime: Infinity,
  });
  if (readme.isPending) return <Loading what="the README" rows={3} />;
  if (readme.error) {
    const cli = command("charm", "inspect", "./FILE.charm");
    return <Failure error={readme.error} cli={cli} onRetry={() => void readme.refetch()} />;
  }
  const { file, text, truncated } = readme.data;
  if (!file) {
    return (
      <p className="muted">
        The charm has none. A file <code>README.md</code> beside its <code>metadata.yaml</code> is packed with it.
      </p>
    );
  }
  return (
    <div className="readme">
      {readmeBlocks(text).map((block, place) => (
        <Block key={place} block={block} />
      ))}
      {truncated && <p className="muted">The rest of {file} is in the charm's archive.</p>}
    </div>
  );
}

function Block({ block }: { block: ReadmeBlock }) {
  if (block.kind === "code") return <pre>{block.text}</pre>;
  if (block.kind === "text") return <p>{inline(block.text)}</p>;
  const Heading = `h${block.level}` as "h3" | "h4" | "h5" | "h6";
  return <Heading>{inline(block.text)}</Heading>;
}

/** Backquotes that come in pairs hold code. */
const inline = (text: string) => (text.split("`").length % 2 === 1 ? <Prose text={text} /> : text);
