import { join } from 'node:path';
import { serverAddresses } from '../../support/servers.ts';
import type { CopyJob, CopyReport } from './bare-copy-process.ts';
import { inProcess } from './in-process.ts';

/** What Kafka alone costs whoever reads these records and writes as many: bare-copy-process.ts, of its own. */
export const copyRecords = (job: Omit<CopyJob, 'brokers'>): Promise<CopyReport> =>
  inProcess(join(import.meta.dirname, 'bare-copy-process.ts'), { ...job, brokers: serverAddresses().kafkaBrokers });
