export {
  type Catalog,
  type CatalogSettings,
  createCatalogs,
  type FoundType,
  type OpenCatalog,
  type Version,
  withTexts,
} from './catalog.ts';
export { createKeptResults } from './kept-answers.ts';
export { catalogPages } from './pages.ts';
export { languages, verifyPage } from './verify.ts';
export { catalogHeader, catalogNavigation, typeColumns, typeView, versionPage } from './views.ts';
