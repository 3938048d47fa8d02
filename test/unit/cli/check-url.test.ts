import { promises as dns, Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { createOwnContext } from '../../support/own-context.ts';
import { runHookline } from '../../support/run-hookline.ts';
import { runCommand } from '../../../services/cli/run-command.ts';
import { publicAddresses, refusedAddresses, refusedUrls } from '../http-client/address-cases.ts';

afterEach(() => jest.restoreAllMocks());

/** The exit code, and the line that is printed. */
async function check(url: string, ...args: string[]): Promise<{ code: number; line: string }> {
  const { context, stdout } = createOwnContext();
  const code = await runCommand(['check-url', ...args, '--', url], context);
  expect(stdout().split('\n')).toHaveLength(2);
  return { code, line: stdout().trimEnd() };
}

const blocked = { code: 1, line: expect.stringMatching(/^blocked: .+/) as string };
const allowed = { code: 0, line: 'allowed' };
const urlOf = (address: string): string => `https://${address.includes(':') ? `[${address}]` : address}/hook`;
const refused = Object.values(refusedAddresses).flat();

/** Names that lead inside, or to the services of an instance. */
const names = [
  ...['localhost', 'localtest.me', 'customer1.app.localhost.my.company.127.0.0.1.nip.io', '169.254.169.254.nip.io'],
  ...['127.0.0.1.nip.io', 'localh.st', 'ip6-localhost', 'ip6-loopback', 'metadata.google.internal'],
  ...['make-1.2.3.4-rebind-169.254-169.254-rr.1u.ms', 's-35.185.206.165-127.0.0.1-<n>-rr-e.d.rebind.it'],
];

test('every refused spelling of a URL is blocked, with a reason', async () => {
  for (const url of refusedUrls) expect([url, await check(url)]).toEqual([url, blocked]);
});

test('every refused address is blocked, in the URL itself and behind a name', async () => {
  for (const address of refused.filter((text) => isIP(text) !== 0)) {
    expect([address, await check(urlOf(address))]).toEqual([address, blocked]);
    expect([address, await check('https://example.com/', '--resolve', address)]).toEqual([address, blocked]);
  }
});

test('public addresses are allowed, in the URL itself and behind a name', async () => {
  for (const address of publicAddresses) {
    expect([address, await check(urlOf(address))]).toEqual([address, allowed]);
    expect([address, await check('http://example.com/', '--resolve', address)]).toEqual([address, allowed]);
  }
});

test('names that lead inside are blocked by the address that they lead to', async () => {
  for (const name of names)
    expect([name, await check(`http://${name}/`, '--resolve', '127.0.0.1')]).toEqual([name, blocked]);
});

test('one refused address among allowed ones blocks the name, and the reason tells which', async () => {
  const { code, line } = await check('https://example.com/', '--resolve', '8.8.8.8, 10.0.0.1', '--resolve', '1.1.1.1');
  expect([code, line]).toEqual([1, 'blocked: a private network (10.0.0.1)']);
});

test('what is no URL says so', async () => {
  for (const text of ['8.8.8.8', 'example.com', 'https://', ''])
    expect(await check(text)).toEqual({ code: 1, line: 'blocked: not a URL' });
});

test('no name server is asked about an address, or where --resolve tells', async () => {
  const asked = [
    jest.spyOn(dns.Resolver.prototype, 'resolve4'),
    jest.spyOn(Resolver.prototype, 'resolve4'),
    jest.spyOn(dns, 'lookup'),
  ];
  for (const url of ['http://8.8.8.8/', 'http://[::1]/', 'http://2130706433/', 'http://app.localhost/'])
    await check(url);
  await check('https://nowhere.invalid/', '--resolve', '8.8.8.8');
  for (const spy of asked) expect(spy).not.toHaveBeenCalled();
});

test.each(['nowhere', '10.0.0', '8.8.8.8,', ''])('--resolve %j is a wrong call', async (list) => {
  const { context } = createOwnContext();
  await expect(runCommand(['check-url', 'https://example.com/', '--resolve', list], context)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('--resolve must be IP addresses, separated by commas') as string,
  });
});

test('what a stack is set to changes nothing, and nothing needs to be set', async () => {
  const env = { HOOKLINE_ALLOW_HTTP: 'false', HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const ran = await Promise.all([
    runHookline(['check-url', 'http://127.0.0.1:3000/'], { env }),
    runHookline(['check-url', 'http://8.8.8.8/', '--json'], { env }),
    runHookline(['check-url'], { env }),
  ]);
  expect(ran.map(({ code, stdout }) => [code, stdout])).toEqual([
    [1, 'blocked: loopback\n'],
    [0, '{\n  "allowed": true\n}\n'],
    [2, ''],
  ]);
});
