import { hostService } from '#lib/service-host';
import { fields, loadConfig } from './config.ts';
import { build } from './service.ts';

await hostService({ name: 'console', fields, loadConfig, build });
