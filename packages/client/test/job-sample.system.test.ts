import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

const packageFolder = join(import.meta.dirname, '..')
const sampleOf = (page: string) => {
  const text = readFileSync(join(packageFolder, '../..', page), 'utf8')
  const [, code = ''] = /```ts[^\n]*\n(import \{[^}]*createApiClient.*?)```/s.exec(text) ?? []
  return code
}

/** The answers of the API, and how the job ends. */
const rows: readonly (readonly [status: number, body: string, code: number, says: RegExp])[] = [
  [200, '["order"]', 0, /order/],
  [401, '', 1, /^The API does not accept the token.*\. .+\.\n$/],
  [403, '', 1, /^The client is not allowed.*lacks the application role \w+\. Grant .+\.\n$/],
  [404, '', 1, /^The API refused GET http:.*\(HTTP status 404\).*\. Check the path.+\.\n$/],
  [
    500,
    '',
    1,
    /^The response of the API to GET .*\(HTTP status 500\).*\. Look for the error.+\.\n$/,
  ],
]

describe('the first job sample', () => {
  const folder = mkdtempSync(join(packageFolder, 'test/job-'))
  let answer: readonly [number, string] = [200, '']
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const token = { token_type: 'Bearer', expires_in: 3599, access_token: 'a.b.c' }
    const isToken = request.url?.endsWith('/oauth2/v2.0/token')
    response.statusCode = isToken ? 200 : answer[0]
    response.end(isToken ? JSON.stringify(token) : answer[1])
  })
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  for (const page of ['docs/guides/client.md'])
    for (const [status, body, code, says] of rows)
      it(`in ${page} exits with ${code} for ${status}, without a stack`, async () => {
        answer = [status, body]
        const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const file = join(folder, 'job.ts')
        const local = sampleOf(page)
          .replace('https://login.microsoftonline.com', origin)
          .replace('https://api.example', origin)
        writeFileSync(file, local)
        const ended = await new Promise<{ code: unknown; text: string }>((resolve) => {
          execFile(process.execPath, [file], (error, out, err) =>
            resolve({ code: error ? error.code : 0, text: out + err }),
          )
        })
        assert.equal(ended.code, code, ended.text)
        assert.match(ended.text, says)
      })
})
