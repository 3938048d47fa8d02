import type { ServiceName, StackPorts } from './ports.ts';

/** The services' URLs on this machine. */
export interface StackUrls {
  url(service: 'ingress' | 'api' | 'console'): string;
  adminUrl(service: ServiceName): string;
}

export const urlsAt = (ports: StackPorts): StackUrls => ({
  url: (service) => `http://127.0.0.1:${ports[service]}`,
  adminUrl: (service) => `http://127.0.0.1:${ports.admin[service]}`,
});
