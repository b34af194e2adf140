import { StaticFiles } from '@greeting/http-service'

const own = (name: string) => new URL(`./static/${name}`, import.meta.url)

const script = 'text/javascript; charset=utf-8'
const style = 'text/css; charset=utf-8'

/** The files that `/docs` loads. Their paths are relative, because a proxy may add a prefix. */
export const docsFiles = new StaticFiles('docs', {
  'docs.css': { url: own('docs.css'), type: style },
  'docs.js': { url: own('docs.js'), type: script },
  'swagger-ui.css': { url: own('swagger-ui.css.gz'), type: style },
  'swagger-ui-bundle.js': { url: own('swagger-ui-bundle.js.gz'), type: script },
})
