import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { useEntra } from '@greeting/testing/node-test'
import { rollOwn } from './roll-certificate.ts'

describe('a job without any permission', () => {
  const entra = useEntra({
    registrations: {
      apis: {},
      clients: {
        Job: { credential: 'certificate' },
        Spare: { credential: 'certificate' },
        Strict: { credential: 'certificate' },
      },
    },
  })

  const pemOf = (name: 'Job' | 'Spare' | 'Strict') => {
    const { certificate, privateKey } = entra().client(name).certificate
    return `${privateKey.export({ type: 'pkcs8', format: 'pem' })}${certificate}`
  }

  async function job(name: 'Job' | 'Strict') {
    const { clientId } = entra().client(name)
    const path = `/applications(appId='${clientId}')`
    type Shown = { id: string; keyCredentials: { keyId: string; customKeyIdentifier: string }[] }
    const shown = () => entra().graph.send<Shown>('GET', path)
    const { id, keyCredentials: before } = await shown()
    const file = join(entra().dataDir, `${name}.pem`)
    await writeFile(file, `keyId: ${before[0]?.keyId}\n${pemOf(name)}`)
    const settings = {
      AUTHORITY: `${entra().url}/${entra().tenantId}`,
      GRAPH_URL: `${entra().url}/v1.0`,
      CLIENT_ID: clientId,
      CLIENT_OBJECT_ID: id,
      CLIENT_CERTIFICATE_FILE: file,
    }
    return { before, file, settings, shown }
  }

  it('replaces its certificate before it expires, and removes the old one', async () => {
    const { before, file, settings, shown } = await job('Job')
    const create = async () => pemOf('Spare')
    assert.equal(await rollOwn(settings, create), false)
    assert.deepEqual((await shown()).keyCredentials, before)

    assert.equal(await rollOwn({ ...settings, RENEW_DAYS: '3650' }, create), true)
    const { keyCredentials: after } = await shown()
    assert.equal(after.length, 1)
    assert.notEqual(after[0]?.keyId, before[0]?.keyId)
    assert.equal(await readFile(file, 'utf8'), `keyId: ${after[0]?.keyId}\n${pemOf('Spare')}`)
  })

  it('reports that a policy forbids certificates with its lifetime', async () => {
    const { before, settings, shown } = await job('Strict')
    const restrictionType = 'asymmetricKeyLifetime'
    const keyCredentials = [{ restrictionType, maxLifetime: 'P1D', state: 'enabled' }]
    const applicationRestrictions = { keyCredentials }
    const policy = { isEnabled: true, applicationRestrictions }
    await entra().graph.send('PATCH', '/policies/defaultAppManagementPolicy', policy)
    await assert.rejects(
      rollOwn({ ...settings, RENEW_DAYS: '3650' }, async () => pemOf('Spare')),
      { message: /CredentialInvalidLifetimeAsPerAppPolicy: Credential lifetime exceeds/ },
    )
    const idsOf = (all: typeof before) => all.map(({ keyId }) => keyId)
    assert.deepEqual(idsOf((await shown()).keyCredentials), idsOf(before))
  })
})
