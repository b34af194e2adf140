import assert from 'node:assert/strict'
import { type KeyCredential, put } from '@greeting/directory'
import {
  type Certified,
  certificateOf,
  certifiedKeyOf,
  proofOf,
} from '../../privileges/certificate-of.ts'
import { sampleGraph } from '../../sample-graph.ts'

export const present = await certifiedKeyOf('Present')
export const other = await certifiedKeyOf('Other')
export const added = await certificateOf('Added')
export const base64 = ({ certificate }: KeyCredential) =>
  Buffer.from(certificate).toString('base64')
export const signing = { type: 'X509CertAndPassword', usage: 'Sign', key: base64(added) }
export const keyCredential = { type: 'AsymmetricX509Cert', usage: 'Verify', key: base64(added) }

/** A client without any role, whose application has a certificate. */
export async function rolling(options: Parameters<typeof sampleGraph>[0] = {}) {
  const sample = await sampleGraph(options)
  const { clientWith, clock, commit, log } = sample
  const client = await clientWith([])
  const application = log.directory.applicationByAppId(client.appId)
  assert.ok(application)
  const have = (...keyCredentials: readonly KeyCredential[]) =>
    commit(put('application', { ...application, keyCredentials }))
  await have(present.credential)
  const path = `/applications/${application.id}`
  const proof = (claims: object = {}, certified: Certified = present) =>
    proofOf(certified, application.id, clock.now, { ...claims })
  return {
    ...sample,
    application,
    client,
    have,
    path,
    proof,
    thumbprints: () =>
      log.directory.application(application.id)?.keyCredentials.map((one) => one.sha256Thumbprint),
    add: (sent: unknown = proof(), at = path) =>
      client.post(`${at}/addKey`, { keyCredential, passwordCredential: null, proof: sent }),
    remove: (keyId: string, sent: unknown = proof(), at = path) =>
      client.post(`${at}/removeKey`, { keyId, proof: sent }),
  }
}
