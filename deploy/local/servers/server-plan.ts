import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../key-value-file.ts';
import { freePorts } from '../stack/free-ports.ts';
import type { Broker } from './kafka.ts';
import type { ServerPorts } from './servers.ts';

/** Start options of a folder's servers: the same every time. */
export interface ServerPlan {
  ports: ServerPorts;
  /** Set if there are several. */
  brokers?: readonly Broker[];
  postgresPassword: string;
}

/**
 * The folder's plan; if it has none, a new one with free ports.
 *
 * @param brokers for a new plan; default: one
 */
export async function serverPlanIn(dir: string, brokers?: readonly Broker[]): Promise<ServerPlan> {
  const file = join(dir, 'plan.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ServerPlan;
  const [kafka = 0, kafkaController = 0, redis = 0, postgres = 0, registry = 0] = await freePorts(5);
  const plan: ServerPlan = {
    ports: { kafka, kafkaController, redis, postgres, registry },
    ...(brokers && { brokers }),
    postgresPassword: randomBytes(16).toString('hex'),
  };
  mkdirSync(dir, { recursive: true });
  writePrivateFile(file, `${JSON.stringify(plan, null, 2)}\n`);
  return plan;
}
