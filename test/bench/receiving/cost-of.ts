import type { LoadReport } from '../../support/load/load.ts';
import { processorSeconds } from '../support/processor-seconds.ts';

/** The cost of accepted webhooks. */
export interface Cost {
  perSecond: number;
  microsEach: number;
}

const accepted = ({ answers }: LoadReport): number => answers['202'] ?? 0;

/** Measures what the process spends on the webhooks that it is sent meanwhile. */
export async function measureCost(
  pid: number,
  work: () => Promise<LoadReport>,
): Promise<Cost & { report: LoadReport }> {
  const before = processorSeconds(pid);
  const report = await work();
  return {
    report,
    perSecond: accepted(report) / report.seconds,
    microsEach: ((processorSeconds(pid) - before) * 1e6) / accepted(report),
  };
}

/**
 * The same, if all webhooks must be accepted.
 *
 * @throws Error if any answer was not an acceptance: it would cost something else
 */
export async function costOf(pid: number, work: () => Promise<LoadReport>): Promise<Cost> {
  const { report, ...cost } = await measureCost(pid, work);
  if (report.sent > accepted(report))
    throw new Error(`of ${report.sent} sent not all were accepted: ${JSON.stringify(report.answers)}`);
  return cost;
}
