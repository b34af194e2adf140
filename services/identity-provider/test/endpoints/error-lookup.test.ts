import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from 'hono/html'
import { refusalTable } from '../../src/refusals/refusal-table.ts'
import { testService } from './test-service.ts'

describe('the page behind error_uri', () => {
  it('lists the remedy for every code with an error_uri', async () => {
    const { app } = await testService()
    for (const { code, remedy, hasErrorUri } of Object.values(refusalTable)) {
      if (!hasErrorUri) continue
      const response = await app.request(`http://login.test/error?code=${code}`, {
        headers: { accept: 'application/json' },
      })
      assert.equal(response.status, 200)
      assert.ok((await response.json()).remedies.includes(remedy))
    }
  })

  it('describes the condition and the remedy of every reason, as text', async () => {
    const { app } = await testService()
    for (const { code, when, remedy } of Object.values(refusalTable)) {
      const text = await (await app.request(`http://login.test/error?code=${code}`)).text()
      assert.ok(text.includes(`If ${when}, then: ${await html`${remedy}`}`), `${code} ${when}`)
    }
  })

  it('is HTML without scripts', async () => {
    const { app } = await testService()
    const response = await app.request('http://login.test/error?code=7000215')
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(await response.text(), /<h1>AADSTS7000215<\/h1>/)
  })

  for (const code of ['1', '', 'x', '<script>']) {
    it(`returns 404 for the unknown code '${code}' without repeating the code`, async () => {
      const { app } = await testService()
      const query = new URLSearchParams({ code })
      const response = await app.request(`http://login.test/error?${query}`)
      assert.equal(response.status, 404)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.doesNotMatch(await response.text(), /script>/)
    })
  }
})
