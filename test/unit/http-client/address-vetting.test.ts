import { BlockList } from 'node:net';
import fc from 'fast-check';
import { parseAllowedNetworks, vetAddress } from '#lib/http-client';
import { publicAddresses, refusedAddresses } from './address-cases.ts';

const none = parseAllowedNetworks([]);
const isAllowed = (address: string, networks: string[] = []): boolean =>
  vetAddress(address, networks.length === 0 ? none : parseAllowedNetworks(networks)).allowed;

const ipv4 = fc.ipV4();
const group = fc.integer({ min: 0, max: 0xffff });
const hexOf = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

describe('the vetting of addresses', () => {
  for (const [what, addresses] of Object.entries(refusedAddresses)) {
    it(`refuses ${what}`, () => {
      expect(addresses.filter((address) => isAllowed(address))).toEqual([]);
    });
  }

  it('allows public addresses, next to the refused blocks too', () => {
    expect(publicAddresses.filter((address) => !isAllowed(address))).toEqual([]);
  });

  it('refuses every IPv6 address outside of 2000::/3 that is not a mapped IPv4 address', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const [first = 0] = groups;
        fc.pre(first < 0x2000 || first > 0x3fff);
        expect(isAllowed(groups.map((value) => value.toString(16)).join(':'))).toBe(false);
      }),
    );
  });

  it('judges a mapped address as the IPv4 address that it is, in each of its spellings', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        const verdict = vetAddress(address, none);
        for (const mapped of [`::ffff:${address}`, `::ffff:${hexOf(address)}`, `0:0:0:0:0:FFFF:${hexOf(address)}`]) {
          expect(vetAddress(mapped, none)).toEqual(verdict);
        }
      }),
    );
  });

  it('refuses whatever carries an IPv4 address, even where the block is allowed but that address is not', () => {
    const blocks = ['64:ff9b::/96', '2002::/16', '2001::/32', '::/96'];
    const inverted = (address: string): string => address.replace(/\d+/g, (octet) => String(255 - Number(octet)));
    fc.assert(
      fc.property(ipv4, (address) => {
        const carriers = [
          `64:ff9b::${hexOf(address)}`,
          `2002:${hexOf(address)}::1`,
          `2001:0:4136:e378:8000:63bf:${hexOf(inverted(address))}`,
        ];
        for (const carrier of carriers) {
          expect(isAllowed(carrier)).toBe(false);
          expect(isAllowed(carrier, blocks)).toBe(isAllowed(address));
        }
      }),
    );
  });

  it('opens what the operator allows, and nothing beside it', () => {
    const networks = ['127.0.0.0/8', 'fd00:1234::/32', '10.1.2.3'];
    for (const address of ['127.0.0.1', '127.255.0.1', '::ffff:127.0.0.1', 'fd00:1234::5', '10.1.2.3'])
      expect(isAllowed(address, networks)).toBe(true);
    for (const address of ['169.254.169.254', '10.1.2.4', '::1', 'fd00:1235::5', '::127.0.0.1'])
      expect(isAllowed(address, networks)).toBe(false);
  });

  it('reads the allowed networks as CIDR does', () => {
    fc.assert(
      fc.property(ipv4, fc.integer({ min: 8, max: 32 }), ipv4, (base, prefix, address) => {
        const reference = new BlockList();
        reference.addSubnet(base, prefix, 'ipv4');
        expect(parseAllowedNetworks([`${base}/${prefix}`]).has(address)).toBe(reference.check(address));
      }),
    );
  });

  it('refuses to start with an allowed network that is none, naming each', () => {
    const wrong = ['127.0.0.0/invalid', '10.0.0.0/33', 'fe80::%eth0/10', 'example.com', '10.0.0.0/8/8'];
    expect(() => parseAllowedNetworks(['127.0.0.0/8', ...wrong])).toThrow(
      new RegExp(wrong.map((text) => `"${text}" is not a network`).join('[^]*')),
    );
  });
});
