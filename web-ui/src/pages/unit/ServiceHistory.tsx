import { StatusMark } from "../../components/charts";
import { Time } from "../../components/Time";
import type { Step } from "../../lib/passed";

/** What services went through lately: a service that is up again shows here that it was not. */
export function ServiceHistory({ steps }: { steps: readonly Step[] }) {
  return (
    <section className="section" aria-label="History of the services">
      <h2 className="section__title">History of the services</h2>
      <table className="list" aria-label="History of the services">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">State</th>
            <th scope="col">When</th>
            <th scope="col">Exit</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, place) => (
            <tr key={`${step.service} ${step.at} ${steps.length - place}`}>
              <th scope="row">{step.service}</th>
              <td data-label="State">
                <StatusMark status={step.current} />
              </td>
              <td data-label="When" className="nowrap">
                <Time at={step.at} />
              </td>
              <td data-label="Exit" className="message">
                {step.end ?? "—"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
