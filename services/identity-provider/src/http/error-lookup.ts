import { Hono } from 'hono'
import { html } from 'hono/html'
import { refusalTable } from '../dialect/refusals/refusal-table.ts'
import type { ServerEnv } from './server-env.ts'

/** Serves the page that `error_uri` leads to: what a code means, and what to do. */
export function errorLookup(): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get('/error', (context) => {
    const code = Number(context.req.query('code'))
    const rows = Object.values(refusalTable).filter((row) => row.code === code)
    const remedies = [...new Set(rows.map(({ remedy }) => remedy))]
    const wantsJson = context.req.header('accept')?.includes('application/json') ?? false
    const status = rows.length > 0 ? 200 : 404
    if (wantsJson) return context.json({ code, remedies }, status)
    const title = rows.length > 0 ? `AADSTS${code}` : 'This code is not known here'
    return context.html(
      html`<!doctype html>
        <html lang="en">
          <meta charset="utf-8" />
          <title>${title}</title>
          <h1>${title}</h1>
          ${remedies.map((remedy) => html`<p>${remedy}</p>`)}
        </html>`,
      status,
      {
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
      },
    )
  })
}
