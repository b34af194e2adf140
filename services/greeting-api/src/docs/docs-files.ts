import { StaticFiles } from '@greeting/http-service'

const own = (name: string) => new URL(`./static/${name}`, import.meta.url)
const viewer = (name: string) => new URL(import.meta.resolve(`swagger-ui-dist/${name}`))

const script = 'text/javascript; charset=utf-8'
const style = 'text/css; charset=utf-8'

/** The files that `/docs` loads. Their paths are relative, because a proxy may add a prefix. */
export const docsFiles = new StaticFiles('docs', {
  'docs.css': { url: own('docs.css'), type: style },
  'docs.js': { url: own('docs.js'), type: script },
  'swagger-ui.css': { url: viewer('swagger-ui.css'), type: style },
  'swagger-ui-bundle.js': { url: viewer('swagger-ui-bundle.js'), type: script },
})
