export { deleteTenantRows } from './delete-tenant-rows.ts';
export { deletionOf } from './erasure-row.ts';
export { openErasing } from './open-erasing.ts';
export { erasureRoutes } from './routes.ts';
