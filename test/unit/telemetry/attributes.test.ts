import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { attribute } from '#lib/telemetry';

const known = new Set<unknown>(
  Object.entries(conventions).flatMap(([name, value]) => (name.startsWith('ATTR_') ? [value] : [])),
);

test.each(Object.values(attribute).filter((name) => !name.startsWith('hookline.')))(
  '%s is a name of OpenTelemetry’s semantic conventions',
  (name) => {
    expect(known.size).toBeGreaterThan(500);
    expect(known).toContain(name);
  },
);
