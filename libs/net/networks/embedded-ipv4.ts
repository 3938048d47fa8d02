/** The 16-bit groups of an IPv6 address that `isIPv6` holds for, without a zone. */
function groupsOf(ipv6: string): number[] {
  const hex = ipv6.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_dotted, ...octets: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail = []] = hex.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/**
 * The IPv4 address that a packet to this IPv6 address would end at, where the form says so: IPv4-mapped and -compatible (RFC 4291), NAT64
 * (RFC 6052, the well-known prefix), 6to4 (RFC 3056), Teredo (RFC 4380: the client's address, inverted).
 */
export function embeddedIpv4(ipv6: string): { form: 'mapped' | 'tunnelled'; address: string } | undefined {
  const groups = groupsOf(ipv6);
  const [first = 0, second = 0, third = 0] = groups;
  const last = [groups[6] ?? 0, groups[7] ?? 0] as const;
  const zerosUpTo = (end: number): boolean => groups.slice(0, end).every((group) => group === 0);

  if (zerosUpTo(5) && groups[5] === 0xffff) return { form: 'mapped', address: dotted(...last) };
  if (zerosUpTo(6)) return { form: 'tunnelled', address: dotted(...last) };
  if (first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0)) {
    return { form: 'tunnelled', address: dotted(...last) };
  }
  if (first === 0x2002) return { form: 'tunnelled', address: dotted(second, third) };
  if (first === 0x2001 && second === 0) {
    return { form: 'tunnelled', address: dotted(last[0] ^ 0xffff, last[1] ^ 0xffff) };
  }
  return undefined;
}
