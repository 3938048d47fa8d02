/** Addresses that an endpoint must not have, by what they would lead to. */
export const refusedAddresses: Record<string, readonly string[]> = {
  'this host': ['0.0.0.0', '0.1.2.3', '0.255.255.255', '::'],
  loopback: ['127.0.0.1', '127.0.1.1', '127.0.0.254', '127.254.254.254', '127.255.255.255', '::1'],
  'private networks': [
    ...['10.0.0.1', '10.254.0.0', '172.16.0.1', '172.31.255.255', '192.168.10.65'],
    ...['fc00::1', 'fdee:3a45:9057::1', 'fec0::1'],
  ],
  'carrier-grade NAT': ['100.64.0.0', '100.64.0.1', '100.64.0.100', '100.100.0.0', '100.127.255.255'],
  'link-local and metadata hosts': [
    ...['169.254.169.254', '169.254.255.255', '168.63.129.16', 'fd00:ec2::254'],
    ...['fe80::1', 'fe80::dead:beef', 'fe80::1%eth0', '2606:4700:4700::1111%eth0'],
  ],
  'protocol assignments': [
    ...['192.0.0.0', '192.0.0.7', '192.0.0.9', '192.0.0.10', '192.0.0.170', '192.0.0.171', '192.0.0.255'],
    ...['192.31.196.1', '192.52.193.1', '192.88.99.2', '192.88.99.3', '192.175.48.1'],
    ...[
      '2001:1::1',
      '2001:2::1',
      '2001:3::1',
      '2001:4:112::1',
      '2001:10::1',
      '2001:20::1',
      '2001:30::1',
      '2001:1ff::1',
    ],
    ...['2620:4f:8000::1'],
  ],
  'documentation and benchmarking': [
    ...['192.0.2.1', '198.51.100.1', '198.51.100.65', '203.0.113.1', '198.18.0.1', '198.19.255.255'],
    ...['2001:db8::1', '2001:db8:ffff::1', '3fff::dead:beef', '3fff:fff::1'],
  ],
  multicast: ['224.0.0.251', '224.1.2.3', '233.252.0.16', '239.255.255.255', 'ff02:0:0:0:0:0:0:2'],
  'reserved and broadcast': ['240.0.0.1', '240.240.240.240', '255.255.255.255'],
  'outside of global unicast': [
    '0200::1',
    '100::1',
    '100::1:2:3:4',
    '100:0:0:1::1',
    '1fff::1',
    '4000::1',
    '5f00::dead:beef',
  ],
  'IPv4 in IPv6': [
    ...['::ffff:0.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a83f:8110'],
    ...['::127.0.0.1', '::10.0.0.1', '::a9fe:a9fe', '::ffff:0:127.0.0.1'],
    ...[
      '64:ff9b::c000:201',
      '64:ff9b::a00:1',
      '64:ff9b::808:808',
      '64:ff9b::ffff:ffff',
      '64:ff9c::1',
      '64:ff9b:1::a00:1',
    ],
    ...['2002:a00:1::1', '2002:c000:204::dead:beef', '2002:c0a8:1::dead:beef'],
    ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:1234:5678:9abc:def0:1234:5678'],
  ],
  'no address at all': ['', 'localhost', '1.2.3', '127.0.0.1.'],
};

export const publicAddresses: readonly string[] = [
  ...[
    '8.8.8.8',
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.254',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
  ],
  ...['168.63.129.15', '169.253.255.255', '192.0.1.0', '198.20.0.0', '223.255.255.255'],
  ...['2606:4700:4700::1111', '2001:200::1', '2001:4860:4860::8888', '2000::1', '3fff:1000::1'],
  ...['::ffff:8.8.8.8', '::ffff:808:808'],
];

/** Spellings of a host; each of these leads to an address above, has credentials in it, or is no http URL. */
export const refusedUrls: readonly string[] = [
  ...['http://192.0x00A80001', 'http://%30%78%63%30%2e%30%32%35%30.01%2e', 'http://192.168.257', 'http://192.168.257.'],
  ...[
    'https://0x.0x.0x.0x',
    'https://0000000000000000000000000000000000000000177.0.0.1',
    'http://0xffffffff',
    'http://0',
  ],
  ...[
    'http://4294967295',
    'http://0177.0.0.1',
    'http://2130706433',
    'http://3232235777',
    'http://127.1',
    'http://0177.01:12456',
  ],
  ...['http://0x7f.0x0.0x0.0x1:12456', 'http://0x7f.0x0.0x1:12456', 'http://0x7f000001:12456'],
  ...['http://2852039166', 'http://0xA9.0xFE.0xA9.0xFE', 'http://0xA9FEA9FE', 'http://0251.0376.0251.0376'],
  ...['http://127.1.1.1:80@127.2.2.2:80', 'http://127.1.1.1:80:@@127.2.2.2:80', 'http://127.1.1.1:80#@127.2.2.2:80'],
  ...['http://127.1.1.1:80\\@127.2.2.2:80/', 'http://A.com@127.0.0.1:12456', 'https://user:secret@example.com/'],
  ...['http://[::]:25/', 'http://[0000::1]:80/', 'http://[::ffff:7f00:1]:12456', 'http://0000::1:80'],
  ...[
    'http://localhost:00011211aaaa',
    'http://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'http://①②⑦.⓪.⓪.①/',
  ],
  ...[
    'http://169.254.169.254/computeMetadata/v1/',
    'http://metadata.amazonaws.com/',
    'http://metadata.google.internal./',
  ],
  ...[
    'file:///etc/passwd',
    'dict://attacker:11111/',
    'jar:http://127.0.0.1!/',
    'ftp://127.0.0.1/',
    'javascript:alert(1)',
  ],
  ...[
    '',
    'example.com',
    '//example.com/',
    'https://',
    'https://example.com:0/',
    `https://example.com/${'a'.repeat(2_048)}`,
  ],
];

/** Names that are known for where they lead, with what a resolver says of them. Never resolved here. */
export const namesThatLeadInside: Record<string, readonly string[]> = {
  localhost: ['127.0.0.1'],
  'localtest.me': ['127.0.0.1'],
  'customer1.app.localhost.my.company.127.0.0.1.nip.io': ['127.0.0.1'],
  '169.254.169.254.nip.io': ['169.254.169.254'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'localh.st': ['127.0.0.1'],
  'ip6-localhost': ['::1'],
  'ip6-loopback': ['::1'],
  'make-1.2.3.4-rebind-169.254-169.254-rr.1u.ms': ['1.2.3.4', '169.254.169.254'],
  's-35.185.206.165-127.0.0.1-1-rr-e.d.rebind.it': ['35.185.206.165', '127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
};
