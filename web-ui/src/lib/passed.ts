/** What the services of a unit went through lately, as one list. Pure. */
import type { ServiceInfo, ServicePassed } from "../api/types";
import { micros } from "../components/charts/time";

export interface Step extends ServicePassed {
  /** `web/site`: container and service. */
  service: string;
}

/** The newest first; of those in the same second, the later one of a service comes first. */
export function stepsOf(services: readonly ServiceInfo[]): Step[] {
  const steps = services.flatMap(({ container, service, history = [] }) =>
    history.map((passed) => ({ ...passed, service: `${container}/${service}` })).reverse(),
  );
  return steps.sort((one, other) => micros(other.at) - micros(one.at));
}
