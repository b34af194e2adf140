import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { StaticFiles } from '../src/static-files.ts'

const url = new URL(import.meta.url)
const files = new StaticFiles('/static', {
  'a.js': { url, type: 'text/javascript; charset=utf-8' },
  'missing.js': { url: new URL('./missing.js', url), type: 'text/javascript' },
})

describe('static files', () => {
  it('are served unchanged or with gzip', async () => {
    const text = await readFile(url, 'utf8')
    const plain = await files.answer('a.js', undefined)
    assert.equal(await plain?.text(), text)
    assert.equal(plain?.headers.get('content-encoding'), null)
    const zipped = await files.answer('a.js', 'br, gzip')
    assert.equal(zipped?.headers.get('content-encoding'), 'gzip')
    assert.equal(gunzipSync(await zipped.arrayBuffer()).toString(), text)
  })

  it('may be cached, because their paths change with their content', async () => {
    assert.match(files.path('a.js'), /^\/static\/a\.js\?v=[\w-]{12}$/)
    const { headers } = (await files.answer('a.js', undefined)) ?? new Response()
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(headers.get('cache-control') ?? '', /immutable/)
    assert.equal(headers.get('vary'), 'accept-encoding')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  for (const name of ['b.js', '..%2Fa.js', '../static-files.ts', 'toString', '__proto__', ''])
    it(`include only listed names, and not ${name || 'an empty name'}`, async () => {
      assert.equal(await files.answer(name, 'gzip'), undefined)
    })

  it('are read at their first request', async () => {
    await assert.rejects(files.answer('missing.js', undefined), { code: 'ENOENT' })
  })
})
