import { BlockList } from 'node:net';
import fc from 'fast-check';
import { isNetwork, type Networks, parseNetworks, plainAddress } from '#lib/net';

function networks(...texts: string[]): Networks {
  const parsed = parseNetworks(texts);
  if ('wrong' in parsed) throw new Error(`no networks: ${parsed.wrong.join(' ')}`);
  return parsed.networks;
}

const ipv4 = fc.ipV4();
const hexOf = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

describe('a set of networks', () => {
  test('has the addresses that the operating system’s own list has', () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 0, max: 32 }), ipv4, (base, prefix, address) => {
        const reference = new BlockList();
        reference.addSubnet(base, prefix, 'ipv4');
        expect(networks(`${base}/${prefix}`).has(address)).toBe(reference.check(address));
      }),
    );
  });

  test('has a mapped address where it has the IPv4 address, in each spelling, on either side', () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 0, max: 32 }), ipv4, (base, prefix, address) => {
        const verdict = networks(`${base}/${prefix}`).has(address);
        for (const mapped of [`::ffff:${address}`, `::ffff:${hexOf(address)}`, `0:0:0:0:0:FFFF:${hexOf(address)}`])
          expect(networks(`${base}/${prefix}`).has(mapped)).toBe(verdict);
        expect(networks(`::ffff:${base}/${96 + prefix}`).has(address)).toBe(verdict);
      }),
    );
  });

  test('a single address stands for itself, and neighbours are outside', () => {
    const list = networks('192.0.2.7', '2001:db8::1', '198.51.100.0/24');
    for (const address of ['192.0.2.7', '2001:db8::1', '2001:DB8:0::1', '198.51.100.255'])
      expect([address, list.has(address)]).toEqual([address, true]);
    for (const address of ['192.0.2.8', '192.0.2.6', '2001:db8::2', '198.51.101.0', '::192.0.2.7'])
      expect([address, list.has(address)]).toEqual([address, false]);
  });

  test('IPv4 addresses are in no IPv6 network, not even in `::/0`', () => {
    expect(networks('::/0').has('192.0.2.1')).toBe(false);
    expect(networks('::/0').has('::ffff:192.0.2.1')).toBe(false);
    expect(networks('::/0').has('2001:db8::1')).toBe(true);
  });

  test('the zone of a link-local address says nothing', () => {
    expect(networks('fe80::/10').has('fe80::1%eth0')).toBe(true);
  });

  test.each(['', 'unknown', '192.0.2', '0300.0.2.1', '192.0.2.1:80', '[2001:db8::1]', '192.0.2.1 ', '0x7f000001'])(
    'what is no address is in none: %j',
    (text) => {
      expect(networks('0.0.0.0/0', '::/0').has(text)).toBe(false);
      expect(plainAddress(text)).toBeUndefined();
    },
  );

  test('says which texts are no network', () => {
    const wrong = ['', '10.0.0.0/33', '10.0.0.0/8/8', '::/129', '::ffff:10.0.0.0/95', 'fe80::%eth0/10', 'example.com'];
    expect(parseNetworks(['10.0.0.0/8', ...wrong, '::1'])).toEqual({ wrong });
    expect(wrong.some(isNetwork)).toBe(false);
  });
});
