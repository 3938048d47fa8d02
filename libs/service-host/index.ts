export { type ServiceContext, type ServiceDefinition, hostService } from './host-service.ts';
