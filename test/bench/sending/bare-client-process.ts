/**
 * The ceiling: `node bare-client-process.ts <url> <requests> <bytes> <connections>`. The same HTTP library in a loop for each connection, the
 * same payload and headers, which are made once; nothing is signed, nothing looked up, the answer's body is dropped. Prints the processor
 * time that it took, in seconds.
 */
import { Agent } from 'undici';

const [url = '', ...numbers] = process.argv.slice(2);
const [requests, bytes, connections] = numbers.map(Number) as [number, number, number];
const { origin, pathname } = new URL(url);
const agent = new Agent({ connections, pipelining: 1, allowH2: false });
const body = Buffer.alloc(bytes, 'x');
const signature = 'x'.repeat(88);
const headers = {
  'content-type': 'application/json',
  'user-agent': 'Hookline',
  'hookline-signature': signature,
  'webhook-timestamp': '1700000000',
  'webhook-signature': signature,
  'hookline-event-type': 'order.created',
  'hookline-attempt': '1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
};

let sent = 0;
async function sendInTurn(): Promise<void> {
  while (sent < requests) {
    const id = `evt_${(sent += 1)}`;
    const answer = await agent.request({
      origin,
      path: pathname,
      method: 'POST',
      headers: { ...headers, 'webhook-id': id },
      body,
    });
    await answer.body.dump();
  }
}

const before = process.cpuUsage();
await Promise.all(Array.from({ length: connections }, sendInTurn));
const { user, system } = process.cpuUsage(before);
console.log(String((user + system) / 1e6));
await agent.close();
