/** Stands for what belongs to no tenant, such as a record that names none. No tenant has this name; operators ask for it as `Hookline-Tenant: *`. */
export const noTenant = '*';
