import { checkUrl, parseAllowedNetworks, type Resolve } from '#lib/http-client';
import { namesThatLeadInside, publicAddresses, refusedUrls } from './address-cases.ts';

const policy = { allowHttp: true, allowedNetworks: parseAllowedNetworks([]) };
const neverAsked: Resolve = (hostname) => Promise.reject(new Error(`asked for ${hostname}`));

describe('the check of a URL, for an operator', () => {
  it('refuses what is refused without asking for a name', async () => {
    const allowed: string[] = [];
    for (const url of refusedUrls) if ((await checkUrl(url, policy, neverAsked)).allowed) allowed.push(url);
    expect(allowed).toEqual([]);
  });

  it('refuses names by each of their addresses, and names the rule and the address', async () => {
    for (const [name, addresses] of Object.entries(namesThatLeadInside))
      expect(await checkUrl(`https://${name}/`, policy, async () => addresses)).toMatchObject({ allowed: false });
    expect(await checkUrl('https://receiver.test/', policy, async () => ['8.8.8.8', '10.0.0.1'])).toEqual({
      allowed: false,
      reason: 'a private network (10.0.0.1)',
    });
  });

  it('refuses a name that leads nowhere', async () => {
    const none = { allowed: false, reason: 'a name without an address' };
    expect(await checkUrl('https://receiver.test/', policy, neverAsked)).toEqual(none);
    expect(await checkUrl('https://receiver.test/', policy, async () => [])).toEqual(none);
  });

  it('allows a name whose addresses are public, and asks for none where an address is given', async () => {
    expect(await checkUrl('https://receiver.test/', policy, async () => publicAddresses)).toEqual({ allowed: true });
    expect(await checkUrl('https://8.8.8.8/', policy, neverAsked)).toEqual({ allowed: true });
  });
});
