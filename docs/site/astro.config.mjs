import { readFileSync } from 'node:fs'
import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'

/** Where the site will be, for example https://owner.example/greeting. Its path is the base of every link. */
const { SITE_URL } = process.env
/** The mark, the accent and the type scale of the services. */
const look = '../../packages/http-service/src/look'
const sidebar = JSON.parse(readFileSync(new URL('.pages/sidebar.json', import.meta.url), 'utf8'))
const { description, repository } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

// The keyboard scrolls only what has the focus.
const focusWideTables =
  "for (const table of document.querySelectorAll('table')) if (table.scrollWidth > table.clientWidth) table.tabIndex = 0"

// biome-ignore lint/style/noDefaultExport: Astro takes the default export.
export default defineConfig({
  ...(SITE_URL && { site: new URL(SITE_URL).origin, base: new URL(SITE_URL).pathname }),
  image: { service: passthroughImageService() },
  // Typographic quotes would change code and addresses in tables.
  markdown: { processor: satteri({ features: { smartPunctuation: false } }) },
  integrations: [
    starlight({
      title: 'Greeting',
      description,
      logo: { src: `${look}/mark.svg`, alt: '' },
      components: { Search: './src/search.astro' },
      customCss: [`${look}/look.css`, './src/site.css'],
      // A scrolling block would be a landmark without a name.
      expressiveCode: { defaultProps: { wrap: true } },
      head: [{ tag: 'script', attrs: { type: 'module' }, content: focusWideTables }],
      sidebar,
      // A word counts more than a longer one that begins with it: port, not portal.
      pagefind: {
        ranking: { pageLength: 0.75, termFrequency: 1, termSaturation: 2, termSimilarity: 15 },
      },
      social: [
        {
          icon: 'github',
          label: 'Source',
          href: repository.url.replace(/^git\+|\.git$/g, ''),
        },
      ],
    }),
  ],
})
