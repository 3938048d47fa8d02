import { createServer, type Server } from 'node:net';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { assertFree, portsAt, portsByProcess } from '#deploy/local/stack/ports.ts';

const listen = (port: number, host: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });

describe('the ports of the local stack', () => {
  it.each([
    [0, 'separate'],
    [1, 'one'],
    [1000, 'separate'],
  ] as const)('are all different, with the offset %i and processes %s', (offset, mode) => {
    const ports = portsAt(offset);
    const all = [...Object.values(portsByProcess(ports, mode)).flat(), ports.smokeReceiver, ports.demoReceiver];
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(16);
    expect(ports.ingress).toBe(8080 + offset);
    expect(ports.admin.projector).toBe(9084 + offset);
    expect([ports.console, ports.admin.console]).toEqual([8082 + offset, 9085 + offset]);
  });

  it.each(['127.0.0.1', '0.0.0.0'])('one that is taken on %s is named, with its holder', async (host) => {
    const [free = 0, taken = 0] = await freePorts(2);
    const server = await listen(taken, host);
    try {
      const wanted = [
        { process: 'kafka', port: free },
        { process: 'ingress', port: taken },
      ];
      const error = await assertFree(wanted).catch((thrown: unknown) => thrown as Error);
      const [first, second, ...rest] = (error as Error).message.split('\n');
      expect(first).toContain(`port ${taken} (ingress) is taken`);
      if (process.platform === 'linux') expect(first).toContain(`by pid ${process.pid} (`);
      expect(second).toContain('HOOKLINE_PORT_OFFSET');
      expect(rest).toEqual([]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    await expect(assertFree([{ process: 'ingress', port: taken }])).resolves.toBeUndefined();
  });
});
