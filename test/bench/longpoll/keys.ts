export const adminKey = 'an-admin-key-for-the-bench';
export const authorization = `Bearer ${adminKey}`;
