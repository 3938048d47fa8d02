import { documentOf } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';

/** Nothing is kept from crawlers, so that they see what has become of each address. */
export const robots = catalogPage({
  path: '/robots.txt',
  title: 'robots.txt',
  isDocument: true,
  answer: ({ origin, base }) =>
    documentOf('text/plain; charset=utf-8', `User-agent: *\nDisallow:\n\nSitemap: ${origin}${base}/sitemap.xml\n`),
});
