import type { LoadReport } from '../../support/load/load.ts';
import { processorSeconds } from '../support/processor-seconds.ts';

export interface Cost {
  perSecond: number;
  microsEach: number;
}

const accepted = (report: LoadReport): number => report.answers['202'] ?? 0;

/**
 * What the process spends on the webhooks that it accepts meanwhile.
 *
 * @throws Error where anything but an acceptance was answered: it would cost something else
 */
export async function costOf(pid: number, work: () => Promise<LoadReport>): Promise<Cost> {
  const before = processorSeconds(pid);
  const report = await work();
  if (report.sent > accepted(report))
    throw new Error(`of ${report.sent} sent not all were accepted: ${JSON.stringify(report.answers)}`);
  return {
    perSecond: accepted(report) / report.seconds,
    microsEach: ((processorSeconds(pid) - before) * 1e6) / accepted(report),
  };
}
