export { deleteTenantRows } from './delete-tenant-rows.ts';
export { eraseOne } from './erase-one.ts';
export { deletionOf, findErasureOf } from './erasure-row.ts';
export { openErasing } from './open-erasing.ts';
export { erasureRoutes } from './routes.ts';
export { sendErasure } from './send-erasure.ts';
