export { type Trails, createTrails } from './trails.ts';
