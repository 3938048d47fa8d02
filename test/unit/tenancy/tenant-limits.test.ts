import { Metrics } from '#lib/telemetry';
import { createTenantLimits, createTenantUsage, limitTable, parseLimitSettings } from '#lib/tenancy';

const limitsOf = (text: string) => {
  const read = parseLimitSettings(text);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return createTenantLimits(read.settings);
};

describe('limits of tenants', () => {
  test('a tenant has its own limit, else the one for all, else the default', () => {
    const limits = limitsOf('endpoints=20, acme/endpoints=50,acme/sources=7');
    expect(limits.of('acme', 'endpoints')).toBe(50);
    expect(limits.of('acme', 'sources')).toBe(7);
    expect(limits.of('other', 'endpoints')).toBe(20);
    expect(limits.of('other', 'sources')).toBe(limitTable.sources.default);
  });

  test('every part that is wrong is named', () => {
    expect(parseLimitSettings('endpoints=-1,rockets=5,acme/endpoints=999999999')).toEqual({
      problems: [
        '“endpoints=-1” must read limit=number or tenant/limit=number',
        expect.stringMatching(/^“rockets=5” names no limit: there are .*endpoints/),
        `“acme/endpoints=999999999” is above ${limitTable.endpoints.max}, the highest that the limit may be`,
      ],
    });
  });
});

describe('usage by tenant', () => {
  test('the ten nearest to a limit are shown, from a half on, and refusals are counted', async () => {
    const metrics = new Metrics();
    const usage = createTenantUsage(metrics, limitsOf('endpoints=100'));
    const used = Array.from({ length: 30 }, (_, index) => [`t${index}`, 40 + index] as const);
    usage.show('endpoints', () => used);
    usage.reached('endpoints');

    const { values } = await metrics.getSingleMetric('hookline_tenant_usage_ratio')!.get();
    expect(values.map(({ labels, value }) => [labels['tenant'], value])).toEqual(
      Array.from({ length: 10 }, (_, index) => [`t${29 - index}`, (69 - index) / 100]),
    );
    const refused = await metrics.getSingleMetric('hookline_tenant_limit_reached_total')!.get();
    expect(refused.values).toMatchObject([{ labels: { limit: 'endpoints' }, value: 1 }]);
  });
});
