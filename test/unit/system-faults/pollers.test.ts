import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startPollers } from '../../faults/system/pollers.ts';

const time = (second: number): string => `2026-01-01T00:00:0${second}.000000Z`;
const events = [1, 2, 3].map((n) => ({ id: `evt_${n}`, updated_at: time(n) }));

let server: Server;
let answer: RequestListener;
let urls: string[];
beforeEach(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`];
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** As the API lists: by the cursor, which is a time here, or from a time on. */
const list: RequestListener = (request, response) => {
  const { searchParams } = new URL(request.url ?? '', urls[0]);
  const [after, from] = [searchParams.get('cursor') ?? '', searchParams.get('updated_at_gte') ?? ''];
  const found = events.filter(({ updated_at }) => updated_at > after && updated_at >= from);
  const cursor = found.at(-1)?.updated_at ?? after;
  response.writeHead(found.length === 0 ? 204 : 200, { 'hookline-cursor': cursor });
  response.end(found.length === 0 ? undefined : JSON.stringify(found));
};

const follow = async () => {
  const pollers = startPollers({ urls, adminKey: 'key', random: Math.random });
  await pollers.follow(time(3));
  return pollers.histories;
};

it('follow the list by time and by cursor to its end, and keep each change once', async () => {
  answer = list;
  const histories = await follow();

  expect(histories.length).toBeGreaterThan(3);
  for (const { items, position, answers } of histories) {
    expect(items.map(({ eventId }) => eventId)).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(position).toBe(time(3));
    expect(answers[0]).toMatchObject({ items: 3, position: time(3) });
  }
});

it('ask again for the same where they have no answer, or one that says to come again', async () => {
  let asked = 0;
  answer = (request, response) => {
    asked += 1;
    if (asked % 3 === 0) return void request.socket.destroy();
    if (asked % 3 === 1) return void response.writeHead(503).end('{}');
    list(request, response);
  };
  const histories = await follow();

  for (const { items } of histories) expect(items).toHaveLength(3);
  expect(histories.reduce((sum, { failed }) => sum + failed, 0)).toBeGreaterThan(2);
});
