export const pathOf = (collection: string, id: string, action = ''): string =>
  `/${collection}/${encodeURIComponent(id)}${action === '' ? '' : `/${action}`}`;
