export { hostMetrics } from './metrics.ts';
export { hostService, hostServices } from './host-services.ts';
export { type LoadedService, type ServiceContext, loadService } from './service-definition.ts';
export { type ReportedLag, reportProcess } from './report-process.ts';
