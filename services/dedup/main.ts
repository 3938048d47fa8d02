import { hostService } from '#lib/service-host';
import { fields, loadConfig } from './config.ts';
import { build } from './service.ts';

await hostService({ name: 'dedup', fields, loadConfig, build });
