export { hostMetrics } from './metrics.ts';
export { type ServiceContext, type ServiceDefinition, hostService } from './host-service.ts';
