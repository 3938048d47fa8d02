import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import type { Taken } from '../sending/receiver-process.ts';
import { runDispatcher } from '../sending/run-dispatcher.ts';
import { growthBench } from './growth-bench.ts';

/** Each event goes to one of them; they are one after the other's turn, so that each of many is sent to a few times alone. */
export const endpointsBench = growthBench({
  name: 'endpoints',
  of: 'endpoints',
  unit: 'µs of the dispatcher a delivery',
  small: 10,
  between: [100, 1_000],
  large: 10_000,
  turns: 3,
  numbers: { deliveries: 20_000, bytes: 2_048 },
  setUp: 'one dispatcher, a receiver that answers at once, each event for one endpoint',
  async begin({ deliveries, bytes }) {
    const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
    const receiver = fork(join(import.meta.dirname, '../sending/receiver-process.ts'));
    const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
    const url = `http://127.0.0.1:${port}/`;
    const ask = async (order: string): Promise<Taken> => {
      receiver.send(order);
      return ((await once(receiver, 'message')) as [Taken])[0];
    };
    return {
      async costAt(endpoints, turn) {
        await ask('begin');
        const spent = await runDispatcher({
          name: `endpoints-${turn}`,
          deliveries,
          bytes,
          endpoints,
          offsets,
          url,
          profileFile: '',
        });
        const { events } = await ask('report');
        if (events !== deliveries) throw new Error(`of ${deliveries} events ${events} came`);
        return { each: (spent * 1e6) / deliveries };
      },
      async end() {
        receiver.kill();
        await offsets.close();
      },
    };
  },
});
