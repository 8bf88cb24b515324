import { useQuery } from "@tanstack/react-query";
import { charms } from "../api";
import type { CharmInfo } from "../api/types";
import { useModel } from "../live/context";

/** The model's charms, from the stream; asked for once in case it carries none. */
export function useCharms(model: string): {
  charms: readonly CharmInfo[];
  pending: boolean;
  error: Error | null;
  retry: () => void;
} {
  const live = useModel(model).charms;
  const list = useQuery({
    queryKey: ["charms", model],
    queryFn: () => charms.list(model),
    enabled: live.length === 0,
  });
  return {
    charms: live.length > 0 ? live : (list.data ?? []),
    pending: live.length === 0 && list.isPending,
    error: live.length === 0 ? list.error : null,
    retry: () => void list.refetch(),
  };
}
