import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServerEnv } from '@greeting/http-service'
import { Hono } from 'hono'
import type { Form } from '../../src/security/portal-form.ts'
import { type FormBody, readPortalForm } from '../../src/security/portal-form.ts'

const urlEncoded = 'application/x-www-form-urlencoded'
const multipart = { encoding: 'multipart/form-data', maxBodyBytes: 2 * 1024 * 1024 } as const
const ofBoundary = 'multipart/form-data; boundary=b'
const disposition = 'Content-Disposition: form-data; name="a"'
const part = `--b\r\n${disposition}\r\n\r\n1\r\n`
/** Far more than a form may take, on a busy machine too. */
const maxCpuMs = 1500

/** Sends a body to a route that reads a form. */
async function read(body: BodyInit, rules: FormBody, type?: string) {
  let form: Form | undefined
  let fault: { readonly code?: string; readonly status?: number } = {}
  const app = new Hono<ServerEnv>()
  app.post('/', async (context) => {
    form = await readPortalForm(context, rules).catch((cause) => {
      fault = cause
      return undefined
    })
    return context.text('')
  })
  const startedAt = process.cpuUsage()
  await app.request('/', {
    method: 'POST',
    body,
    ...(type && { headers: { 'content-type': type } }),
  })
  const { user, system } = process.cpuUsage(startedAt)
  return { form, code: fault.code, status: fault.status, cpuMs: (user + system) / 1000 }
}

describe('a portal form', () => {
  it('keeps the last of several fields with the same name, and empty fields', async () => {
    const { form } = await read('a=1&b=&a=%E2%82%AC+2&c', {}, urlEncoded)
    assert.deepEqual(
      [...(form ?? [])],
      [
        ['a', '€ 2'],
        ['b', ''],
        ['c', ''],
      ],
    )
  })

  it('reads the fields and the file of a multipart/form-data body', async () => {
    const body = new FormData()
    body.set('a', 'x')
    body.set('file', new Blob(['€']), 'file.json')
    const { form } = await read(body, multipart)
    assert.deepEqual(
      [...(form ?? [])],
      [
        ['a', 'x'],
        ['file', '€'],
      ],
    )
  })

  const refused: [string, BodyInit, FormBody, string | undefined, number][] = [
    ['of another type', '{}', {}, 'application/json', 415],
    ['as multipart/form-data if its page uses the URL encoding', part, {}, ofBoundary, 415],
    ['in the URL encoding if its page sends a file', 'a=1', multipart, urlEncoded, 415],
    ['without a boundary', part, multipart, 'multipart/form-data', 415],
    ['with a damaged encoding', 'a=%zz', {}, urlEncoded, 400],
    ['that is not UTF-8', Buffer.from('a=\xe9', 'latin1'), {}, urlEncoded, 400],
    ['with a missing end boundary', part, multipart, ofBoundary, 400],
    ['with too many pairs of the same name', 'a=1&'.repeat(2001), {}, urlEncoded, 413],
    ['with too many parts of the same name', `${part.repeat(21)}--b--`, multipart, ofBoundary, 413],
  ]
  for (const [what, body, rules, type, status] of refused) {
    it(`is refused ${what} (AS44)`, async () => {
      const { form, code, ...fault } = await read(body, rules, type)
      assert.deepEqual([form, code, fault.status], [undefined, 'portal_form_unreadable', status])
    })
  }

  it('may have 2000 pairs and 20 parts', async () => {
    const pairs = Array.from({ length: 2000 }, (_, n) => `a${n}=1`).join('&')
    assert.equal((await read(pairs, {}, urlEncoded)).form?.size, 2000)
    const parts = await read(`${part.repeat(20)}--b--\r\n`, multipart, ofBoundary)
    assert.equal(parts.form?.size, 1)
  })

  it('has a size limit of 64 KiB by default', async () => {
    const { code } = await read('a'.repeat(64 * 1024 + 1), {}, urlEncoded)
    assert.equal(code, 'body_too_large')
  })

  const filled = (piece: string, bytes = 1_900_000) => piece.repeat(bytes / piece.length)
  const worst: [string, FormBody, string, string][] = [
    ['names without values', { maxBodyBytes: 2 ** 21 }, urlEncoded, filled('a&')],
    ['separators', { maxBodyBytes: 2 ** 21 }, urlEncoded, filled('&')],
    ['one value of spaces', { maxBodyBytes: 2 ** 21 }, urlEncoded, filled('+')],
    ['one value of encoded bytes', { maxBodyBytes: 2 ** 21 }, urlEncoded, `a=${filled('%41')}`],
    ['parts', multipart, ofBoundary, filled(part)],
    ['headers of a part', multipart, ofBoundary, `--b\r\n${filled('a:\r\n')}${part.slice(5)}--b--`],
    ['dispositions of a part', multipart, ofBoundary, `--b\r\n${filled(`${disposition}\r\n`)}\r\n`],
    [
      'parameters of a part',
      multipart,
      ofBoundary,
      `--b\r\nContent-Disposition: form-data; ${filled('a=b; ')}name="a"\r\n\r\n1\r\n--b--`,
    ],
    ['lines of a value', multipart, ofBoundary, `${part}${filled('\r\n--')}\r\n--b--`],
  ]
  for (const [what, rules, type, body] of worst) {
    it(`is parsed quickly with 1.9 MB of ${what} (AS44)`, async () => {
      const { cpuMs } = await read(body, rules, type)
      assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms`)
    })
  }
})
