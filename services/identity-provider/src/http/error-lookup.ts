import type { ServerEnv } from '@greeting/http-service'
import { errorAnswer, errorResponse } from '@greeting/http-service'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { refusalTable } from '../dialect/refusals/refusal-table.ts'

const unknownCode = errorAnswer(404, 'not_found', 'The code is not known')
const pageHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** Serves the page behind `error_uri`: the meaning of a code, and its remedy. */
export function errorLookup(): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get('/error', (context) => {
    const code = Number(context.req.query('code'))
    const rows = Object.values(refusalTable).filter((row) => row.code === code)
    if (rows.length === 0) return errorResponse(unknownCode)
    const remedies = [...new Set(rows.map(({ remedy }) => remedy))]
    const acceptsJson = context.req.header('accept')?.includes('application/json') ?? false
    if (acceptsJson) return context.json({ code, remedies })
    const title = `AADSTS${code}`
    return context.html(
      html`<!doctype html>
        <html lang="en">
          <meta charset="utf-8" />
          <title>${title}</title>
          <h1>${title}</h1>
          ${remedies.map((remedy) => html`<p>${remedy}</p>`)}
        </html>`,
      200,
      pageHeaders,
    )
  })
}
