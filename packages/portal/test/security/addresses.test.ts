import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  linksWithSessionKey,
  sessionKeyOf,
  withoutSessionKey,
  withSessionKey,
} from '../../src/security/addresses.ts'

const key = '0123456789abcdef'.repeat(2)
const keyed = `/portal/s-${key}`

describe('the session key in a path (AS45)', () => {
  for (const [path, found, without] of [
    [keyed, key, '/portal'],
    [`${keyed}/keys`, key, '/portal/keys'],
    [`${keyed}${keyed}`, key, `/portal${keyed}`],
    ['/portal/keys', undefined, '/portal/keys'],
    [`${keyed}0/keys`, undefined, `${keyed}0/keys`],
    [keyed.slice(0, -1), undefined, keyed.slice(0, -1)],
    [keyed.toUpperCase(), undefined, keyed.toUpperCase()],
    [`/x${keyed}`, undefined, `/x${keyed}`],
  ] as const) {
    it(`is ${found ? 'found' : 'absent'} in ${path}`, () => {
      assert.equal(sessionKeyOf(path), found)
      assert.equal(withoutSessionKey(path), without)
    })
  }

  it('is added to a path', () => {
    assert.equal(withSessionKey({ key }, '/portal'), keyed)
    assert.equal(withSessionKey({ key }, '/portal/keys?x=1'), `${keyed}/keys?x=1`)
  })

  for (const [html, expected] of [
    ['<a href="/portal">', `<a href="${keyed}">`],
    ['<form method="post" action="/portal/keys/rotate">', undefined],
    ['<a class="x" href="/portal/logs?log=a#b">', undefined],
    ['<link href="/portal/static/portal.css">', '<link href="/portal/static/portal.css">'],
    ['<a href="/portals">', '<a href="/portals">'],
    ['<a href="https://x.example/portal">', '<a href="https://x.example/portal">'],
    ['<code>href=&quot;/portal&quot;</code>', '<code>href=&quot;/portal&quot;</code>'],
  ] as const) {
    it(`is ${expected === html ? 'not ' : ''}added to ${html}`, () => {
      assert.equal(
        linksWithSessionKey(html, { key }),
        expected ?? html.replace('"/portal', `"${keyed}`),
      )
    })
  }
})
