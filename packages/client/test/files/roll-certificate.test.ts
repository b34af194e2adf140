import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { rollCertificate } from '../../src/files/index.ts'
import { type CertifiedKey, createCertifiedKey } from '../fakes/certified-key.ts'

const objectId = 'b1a7c0de-0000-4000-8000-000000000001'
const [oldId, newId] = [objectId.replace(/1$/, '2'), objectId.replace(/1$/, '3')]
const pemOf = ({ certificate, privateKey }: CertifiedKey) => privateKey + certificate
const sha1 = (pem: string) => createHash('sha1').update(derOf(pem)).digest('base64url')
const sha256 = (pem: string) => createHash('sha256').update(derOf(pem)).digest('base64url')
const derOf = (pem: string) =>
  Buffer.from(pem.split('-----BEGIN CERTIFICATE-----')[1]?.split('-----')[0] ?? '', 'base64')

const longBefore = { wallClockMs: () => Date.now() - 40 * 86_400_000 }

describe('a certificate that renews itself', () => {
  const folder = freshFolder()

  /** A server with the certificates of one application. `crashAt` fails the request with this number. */
  async function scene(name: string) {
    const certificateFile = join(folder, `${name}.pem`)
    const [old, next] = [pemOf(await createCertifiedKey()), pemOf(await createCertifiedKey())]
    await writeFile(certificateFile, old)
    const registered = new Map([[oldId, old]])
    const calls: string[] = []
    let crashAt = Number.POSITIVE_INFINITY
    let late = 0
    let made = 0
    let refusal: string | undefined
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const url = new URL(String(input instanceof Request ? input.url : input))
      const text = String(init?.body)
      calls.push(url.pathname.split('/').at(-1) ?? '')
      const has = (thumbprint: unknown, hashOf: (pem: string) => string) =>
        [...registered.values()].some((pem) => hashOf(pem) === thumbprint)
      if (url.pathname.endsWith('/token')) {
        const assertion = new URLSearchParams(text).get('client_assertion') ?? ''
        const thumbprint = decodeProtectedHeader(assertion)['x5t#S256']
        const isLate = thumbprint === sha256(next) && late-- > 0
        return has(thumbprint, sha256) && !isLate
          ? Response.json({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 })
          : Response.json({ error: 'invalid_client', error_codes: [700027] }, { status: 401 })
      }
      const { keyCredential, keyId, proof } = JSON.parse(text)
      assert.ok(has(decodeProtectedHeader(proof).x5t, sha1), 'the proof is by a present key')
      assert.equal(decodeJwt(proof).iss, objectId)
      const error = { code: refusal, message: 'the words of the server' }
      if (refusal) return Response.json({ error }, { status: refusal === 'Other' ? 403 : 400 })
      if (url.pathname.endsWith('/addKey')) {
        assert.equal(keyCredential.key, derOf(next).toString('base64'))
        registered.set(newId, next)
      } else registered.delete(keyId)
      if (calls.length >= crashAt) throw new TypeError('fetch failed')
      return url.pathname.endsWith('/addKey')
        ? Response.json({ keyId: newId })
        : new Response(null, { status: 204 })
    }
    const roll = (part: object = {}, runtime: object = {}) =>
      rollCertificate({
        authority: 'https://login.example/tenant',
        graphUrl: 'https://graph.example/v1.0',
        clientId: 'client',
        objectId,
        keyId: oldId,
        certificateFile,
        createCertificate: async () => {
          made += 1
          return next
        },
        runtime: { fetch, sleep: async () => {}, ...runtime },
        ...part,
      })
    return {
      certificateFile,
      calls,
      crash: (at: number) => {
        crashAt = at
      },
      delay: (tokens: number) => {
        late = tokens
      },
      made: () => made,
      refuse: (code: string | undefined) => {
        refusal = code
      },
      next,
      old,
      registered,
      roll,
    }
  }

  it('is replaced in its file, and the old one is removed', async () => {
    const { certificateFile, next, registered, roll } = await scene('simple')
    assert.equal(await roll(), true)
    assert.deepEqual([...registered.keys()], [newId])
    const kept = await readFile(certificateFile, 'utf8')
    assert.equal(kept, `keyId: ${newId}\n${next}`)
    assert.ok(!(await readdir(folder)).some((file) => file.startsWith('simple.pem.')))
  })

  it('stays until shortly before its expiry', async () => {
    const { certificateFile, calls, old, roll } = await scene('early')
    assert.equal(await roll({}, longBefore), false)
    assert.deepEqual(calls, [])
    assert.equal(await readFile(certificateFile, 'utf8'), old)
  })

  it('waits until the new certificate works', async () => {
    const { calls, delay, roll } = await scene('late')
    delay(3)
    assert.equal(await roll(), true)
    assert.ok(calls.filter((call) => call === 'token').length > 5)
  })

  it('stays in the file if the new certificate never works', async () => {
    const { certificateFile, delay, old, registered, roll } = await scene('never')
    delay(1000)
    await assert.rejects(roll({ deadlineMs: 1 }), { code: 'credential_refused' })
    assert.equal(await readFile(certificateFile, 'utf8'), old)
    assert.equal(registered.size, 2)
  })

  for (const [name, at, remaining] of [
    ['after the new certificate was added', 2, [newId]],
    ['after the old certificate was removed', 5, [newId]],
  ] as const)
    it(`continues its renewal at the next call, ${name}`, async () => {
      const { certificateFile, crash, made, next, registered, roll } = await scene(`crash-${at}`)
      crash(at)
      await assert.rejects(roll())
      assert.ok(registered.size > 0)
      crash(Number.POSITIVE_INFINITY)
      await roll({}, longBefore)
      assert.deepEqual([...registered.keys()], remaining)
      assert.equal(made(), 1)
      assert.ok((await readFile(certificateFile, 'utf8')).endsWith(next))
    })

  for (const [refusal, made] of [
    ['CredentialInvalidLifetimeAsPerAppPolicy', 2],
    ['Request_BadRequest', 2],
    ['Other', 1],
  ] as const)
    it(`reports the refusal ${refusal} immediately, and makes ${made} certificates at the next call`, async () => {
      const name = `refused-${refusal}`
      const rolling = await scene(name)
      rolling.refuse(refusal)
      const sleep = async () => assert.fail('it waits')
      await assert.rejects(rolling.roll({}, { sleep }), {
        code: 'request_refused',
        details: { status: refusal === 'Other' ? 403 : 400, graphError: refusal },
        message: new RegExp(`/addKey \\(.*\\): ${refusal}: the words of the server$`),
      })
      rolling.refuse(undefined)
      assert.equal(await rolling.roll(), true)
      assert.equal(rolling.made(), made)
    })

  it('waits for a certificate from an earlier call, and reports the refusal of a second one', async () => {
    const { crash, delay, refuse, roll } = await scene('added')
    crash(2)
    await assert.rejects(roll())
    crash(Number.POSITIVE_INFINITY)
    refuse('Request_BadRequest')
    delay(1000)
    await assert.rejects(roll({ deadlineMs: 1 }), { code: 'request_refused' })
    delay(2)
    assert.equal(await roll(), true)
  })

  it('is not replaced by a text that is not a certificate', async () => {
    const { roll } = await scene('text')
    await assert.rejects(roll({ createCertificate: async () => 'none' }), TypeError)
    assert.equal(await roll(), true)
  })
})
