import { lookFiles, StaticFiles } from '@greeting/http-service'

const own = (name: string) => new URL(`./static/${name}`, import.meta.url)

const script = 'text/javascript; charset=utf-8'

/** The files that `/docs` loads. Their paths are relative, because a proxy may add a prefix. */
export const docsFiles = new StaticFiles('docs', {
  ...lookFiles,
  'docs.css': { url: own('docs.css'), type: lookFiles['look.css'].type },
  'docs.js': { url: own('docs.js'), type: script },
  'swagger-ui.css': { url: own('swagger-ui.css.gz'), type: lookFiles['look.css'].type },
  'swagger-ui-bundle.js': { url: own('swagger-ui-bundle.js.gz'), type: script },
})
