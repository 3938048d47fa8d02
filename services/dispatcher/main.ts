import { hostService } from '#lib/service-host';
import { fields, loadConfig } from './config.ts';
import { build } from './service.ts';

await hostService({ name: 'dispatcher', fields, loadConfig, build });
