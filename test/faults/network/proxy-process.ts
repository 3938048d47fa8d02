/**
 * The proxies of a run, in a process of their own: what goes through them must not wait for what the run itself has to do. Ends with the
 * run that has started it. Its one argument is the seed.
 */
import { watchLoop } from '../../support/loop-delay.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { ProxyAnswer, ProxyRequest } from './network.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const random = seededRandom(Number(process.argv[2]));
const proxies = new Map<string, TcpProxy>();
const loopDelay = watchLoop();

async function answer(request: ProxyRequest): Promise<Omit<ProxyAnswer, 'id'>> {
  if (request.kind === 'loop-delay') return { loopDelay: loopDelay() };
  if (request.kind === 'open') {
    const proxy = await startTcpProxy({ port: request.target }, random);
    proxies.set(request.link, proxy);
    return { port: proxy.port };
  }
  const proxy = proxies.get(request.link);
  if (proxy === undefined) throw new Error(`there is no link ${request.link}`);
  await proxy.set(request.fault);
  return {};
}

process.on('message', (request: ProxyRequest) => {
  answer(request).then(
    (answered) => process.send?.({ id: request.id, ...answered }),
    (error: Error) => process.send?.({ id: request.id, error: error.message }),
  );
});
process.once('disconnect', () => process.exit(0));
// A terminal's Ctrl-C reaches it too: it ends with the run, and not before.
process.on('SIGINT', () => undefined);
