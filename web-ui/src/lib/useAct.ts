import { useMutation } from "@tanstack/react-query";

/** A write: whether it runs, how it failed, and what follows when it is done. */
export function useAct<T, V = void>(act: (value: V) => Promise<T>, done?: (result: T) => void) {
  const mutation = useMutation({ mutationFn: act, onSuccess: (result) => done?.(result) });
  return {
    run: mutation.mutate,
    runAsync: mutation.mutateAsync,
    busy: mutation.isPending,
    error: mutation.error as unknown,
    reset: mutation.reset,
  };
}
