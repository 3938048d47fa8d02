export {
  type Catalog,
  type CatalogSettings,
  createCatalogs,
  type OpenCatalog,
  type TypeWithNewest,
  type Version,
  withTexts,
} from './catalog.ts';
export { createKeptResults } from './kept-answers.ts';
export { catalogPages } from './pages.ts';
export { languages, verifyPage } from './verify.ts';
export { catalogHeader, catalogNavigation, typeColumns, typeView, versionPage } from './views.ts';
