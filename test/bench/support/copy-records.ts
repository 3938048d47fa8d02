import { join } from 'node:path';
import { serverAddresses } from '../../support/servers.ts';
import type { CopyJob, CopyReport } from './bare-copy-process.ts';
import { inProcess } from './in-process.ts';

/** Measures what Kafka alone costs a process that reads these records and writes as many: bare-copy-process.ts. */
export const copyRecords = (job: Omit<CopyJob, 'brokers'>): Promise<CopyReport> =>
  inProcess(join(import.meta.dirname, 'bare-copy-process.ts'), { ...job, brokers: serverAddresses().kafkaBrokers });
