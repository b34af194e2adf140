import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { docsFiles } from './docs-files.ts'

type Html = ReturnType<typeof html>

const style = `
:root { color-scheme: light dark; background: var(--paper) }
body { font: var(--text)/1.6 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem }
.brand { display: flex; gap: .5rem; align-items: center; font-size: var(--large); font-weight: 650 }
h1 { font-size: var(--title); line-height: 1.2 } :is(h2, h3) { margin-top: 2rem; font-size: var(--large) }
a { color: var(--accent) } a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--accent) }
code, pre { font: .9em/1.5 ui-monospace, monospace; background: var(--ground); border-radius: .3rem }
code { padding: .1rem .3rem; overflow-wrap: anywhere } pre { padding: .8rem 1rem; overflow-x: auto }
pre code { padding: 0; background: none }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: var(--edge) }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem }
`

/** The sources of the styles and pictures of every page, as a content security policy has them. */
export const pageSources = `style-src 'self' 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src 'self'`

const policy = [
  "default-src 'none'",
  pageSources,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of a page that runs and submits nothing, and cannot be framed. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Makes a whole page around its content. `html` escapes every value.
 *
 * @param head elements that load files
 */
export function page(title: string, content: Html, head: Html | '' = ''): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${docsFiles.path('mark.svg')}">
<link rel="stylesheet" href="${docsFiles.path('look.css')}">
<style>${raw(style)}</style>
${head}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content">
<p class="brand"><img src="${docsFiles.path('mark.svg')}" alt="" width="24" height="24">Greeting</p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`)
}
