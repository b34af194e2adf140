import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'

type Html = ReturnType<typeof html>

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: light-dark(#524ed2, #a49ee6); background: light-dark(#fff, #13171f) }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 1.8rem; line-height: 1.2 } h2 { margin-top: 2.5rem; font-size: 1.3rem } h3 { margin-top: 2rem }
a { color: var(--accent) } a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--accent) }
code, pre { font: .9em/1.5 ui-monospace, monospace; background: var(--soft); border-radius: .3rem }
code { padding: .1rem .3rem; overflow-wrap: anywhere } pre { padding: .8rem 1rem; overflow-x: auto }
pre code { padding: 0; background: none }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line) }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem }
`

/** The style of every page, as a source of a content security policy. */
export const pageStyle = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

const policy = [
  "default-src 'none'",
  `style-src ${pageStyle}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of a page that loads, runs and submits nothing, and cannot be framed. */
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
<style>${raw(style)}</style>
${head}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content">
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`)
}
