import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startHere } from '../../../../services/identity-provider/test/provider-here.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'

describe('the first page of the portal', () => {
  const folder = freshFolder()

  const rows: [what: string, settings: Record<string, string>, links: RegExp[]][] = [
    ['by default', {}, [/\/portal$/, /openid-configuration$/, /\/readyz$/]],
    [
      'with a listener for metrics',
      { METRICS_PORT: '0' },
      [/\/portal$/, /openid-configuration$/, /\/readyz$/, /:\d+\/metrics$/],
    ],
    ['with a lab', { LAB: 'on' }, [/\/portal$/, /openid-configuration$/, /\/readyz$/]],
    ['without a portal', { PORTAL: 'off' }, []],
  ]
  for (const [index, [what, settings, expected]] of rows.entries())
    it(`links only to working pages, ${what}`, async (test) => {
      const DATA_DIR = join(folder, `${index}`)
      const { url, stop } = await startHere({ DATA_DIR, HTTPS_PORT: 'off', ...settings })
      test.after(() => stop())
      const answer = await fetch(url, { headers: { accept: 'text/html' } })
      const text = await answer.text()
      assert.equal(answer.status, 200)
      const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(
        ([, href = '']) => new URL(href.replaceAll('&amp;', '&'), url).href,
      )
      if (links.length > 0) assert.match(text, /<title>Identity provider · Greeting<\/title>/)
      assert.equal(links.length, expected.length, links.join(' '))
      for (const [at, link] of links.entries()) {
        assert.match(link, expected[at] ?? /^$/)
        // The portal answers with its page for a sign-in.
        const status = link.endsWith('/portal') ? 401 : 200
        assert.equal((await fetch(link)).status, status, link)
      }
    })
})
