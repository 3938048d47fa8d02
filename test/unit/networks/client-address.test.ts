import { clientOf, networksOf, trusting } from '#lib/net';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:51008', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0000:1::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['no address', 'unknown'],
  ['', 'unknown'],
])('%s is counted as %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});

test('a proxy is trusted with and without its port', () => {
  const trusts = trusting(networksOf(['10.0.0.0/8', '::1']));
  expect(['10.1.2.3', '10.1.2.3:99', '[::1]:99', '192.0.2.7', ''].map(trusts)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
