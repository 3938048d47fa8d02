import { endpoints } from './endpoints.ts';

export const endpointPages = [endpoints];
