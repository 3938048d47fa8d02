import { provideTools } from '#deploy/local/install/install.ts';
import { amtool, prometheusServer, promtool } from '#deploy/local/install/tools.ts';

/** The programs of Prometheus, installed if they are missing and that is possible. */
export const prometheusPrograms = (): Promise<{ prometheus: string; promtool: string; amtool: string }> =>
  provideTools({ prometheus: prometheusServer, promtool, amtool }, (line) => process.stderr.write(`${line}\n`));
