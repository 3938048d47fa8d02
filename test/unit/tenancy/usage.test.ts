import { createTenantLimits, createTenantUsage, noLimitSettings } from '#lib/tenancy';
import { Metrics } from '#lib/telemetry';

const shown = async (registry: Metrics): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('hookline_tenant_usage_ratio{'));

describe('who is near a limit or a share', () => {
  const begin = () => {
    const registry = new Metrics();
    const limits = createTenantLimits({ ...noLimitSettings, forAll: { endpoints: 100 } });
    return { registry, usage: createTenantUsage(registry, limits) };
  };

  it('is shown from a half on, by the part of the limit, or of the share', async () => {
    const { registry, usage } = begin();
    usage.show('endpoints', () => [
      ['near', 90],
      ['far', 49],
    ]);
    usage.showShare('places_in_flight', () => [
      ['busy', 1],
      ['idle', 0.4],
    ]);
    expect(await shown(registry)).toEqual([
      'hookline_tenant_usage_ratio{limit="endpoints",tenant="near"} 0.9',
      'hookline_tenant_usage_ratio{limit="places_in_flight",tenant="busy"} 1',
    ]);
  });

  it('is no more than the ten nearest, of each', async () => {
    const { registry, usage } = begin();
    usage.showShare('queued_rows', () => Array.from({ length: 50 }, (_, at) => [`t${at}`, 0.5 + at / 100] as const));
    const lines = await shown(registry);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toContain('t49');
  });

  it('is counted where it is held back', async () => {
    const { registry, usage } = begin();
    usage.reached('queued_bytes');
    expect(await registry.metrics()).toContain('hookline_tenant_limit_reached_total{limit="queued_bytes"} 1');
  });
});
