import { vetServer } from '../../../libs/redis/vet-server.ts';

const server = (version: string, policy: string | Error) => ({
  info: async () => `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n`,
  config: async () => {
    if (policy instanceof Error) throw policy;
    return ['maxmemory-policy', policy];
  },
});
const vet = (version: string, policy: string | Error) => vetServer(server(version, policy));

describe('a Redis server', () => {
  it.each(['7.0.0', '7.0.15', '8.2.1', '10.0.0'])('of version %s that evicts nothing is taken', async (version) => {
    expect(await vet(version, 'noeviction')).toEqual({ ok: true });
  });

  it.each(['6.2.14', '5.0.7', 'unknown', ''])('of version %j is refused, by its version', async (version) => {
    expect(await vet(version, 'noeviction')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('7.0') as unknown,
    });
  });

  it.each(['allkeys-lru', 'volatile-ttl', 'allkeys-random'])(
    'with the policy %s is refused, by its policy',
    async (policy) => {
      expect(await vet('7.2.4', policy)).toMatchObject({
        ok: false,
        problem: expect.stringContaining(policy) as unknown,
      });
    },
  );

  it.each([
    'NOPERM User default has no permissions to run the config|get command',
    "ERR unknown command 'CONFIG', with args beginning with: 'GET'",
  ])('that hides its policy is taken, with a word about it (%s)', async (message) => {
    expect(await vet('7.2.4', new Error(message))).toEqual({
      ok: true,
      unchecked: expect.stringContaining('must be noeviction') as unknown,
    });
  });

  it('is not judged by an answer that did not come', async () => {
    await expect(vet('7.2.4', new Error('Connection is closed.'))).rejects.toThrow('Connection is closed.');
  });
});
