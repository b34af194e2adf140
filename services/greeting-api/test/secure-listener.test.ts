import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { apiApplicationId, tenantId } from '../../../test/fixtures/signing-identity-provider.ts'
import { client, server } from '../../../test/fixtures/tls-identities.ts'
import { openSecureListener } from '../src/secure-listener.ts'
import { readSettings } from '../src/settings.ts'

const folder = freshFolder()
let files: { HTTPS_CERTIFICATE_FILE: string; HTTPS_KEY_FILE: string }
before(async () => {
  const [certificate, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name))
  files = { HTTPS_CERTIFICATE_FILE: certificate ?? '', HTTPS_KEY_FILE: key ?? '' }
})

async function writeIdentity({ cert, key }: typeof server) {
  await writeFile(files.HTTPS_CERTIFICATE_FILE, cert)
  await writeFile(files.HTTPS_KEY_FILE, key)
}

/** The subject of the certificate that a listener shows. */
async function shownBy(url: string): Promise<unknown> {
  const socket = connect({ port: Number(new URL(url).port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.CN
}

const ids = { TENANT_ID: tenantId, API_APPLICATION_ID: apiApplicationId }

describe('the HTTPS listener', () => {
  it('is off by default', async () => {
    const log = { info: () => {}, warn: () => {} }
    assert.equal(await openSecureListener(readSettings(ids), log), undefined)
  })

  it('uses a renewed certificate, but keeps the old one if the new one is unusable', async () => {
    const logged: string[] = []
    const note = (_: unknown, text?: string) => void logged.push(text ?? String(_))
    await writeIdentity(server)
    const settings = readSettings({ ...ids, HTTPS_PORT: '0', ...files })
    const listener = await openSecureListener(settings, { info: note, warn: note })
    assert.ok(listener)
    assert.match(listener.url, /^https:\/\/localhost:\d+$/)
    assert.equal(await shownBy(listener.url), 'server')
    await listener.reload()
    assert.deepEqual(logged, [])
    await writeIdentity({ cert: client.cert, key: server.key })
    await listener.reload()
    assert.equal(await shownBy(listener.url), 'server')
    await writeIdentity(client)
    await listener.reload()
    assert.equal(await shownBy(listener.url), 'client')
    assert.deepEqual(logged, [
      'the server certificate could not be read again',
      'the new server certificate is in use',
    ])
    await listener.stop()
  })
})
