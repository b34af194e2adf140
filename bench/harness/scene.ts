import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'

/** One signing key of the run and the identifiers under which the world knows it. */
export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject }

/** Who issues, for whom, in one run: every contender is told the same. */
export type Scene = {
  readonly tenantId: string
  readonly apiApplicationId: string
  readonly issuerUrl: string
  readonly issuer: string
  readonly audience: string
  readonly role: string
  readonly clientId: string
  readonly clientSecret: string
  /** Several keys are published (contract C78); the first one signs. */
  readonly keys: readonly [SigningKey, ...SigningKey[]]
  /** A key that is published nowhere, under the id of the first. */
  readonly stranger: SigningKey
}

const signingKey = (): SigningKey => ({
  kid: randomUUID().replaceAll('-', ''),
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
})

export function createScene(): Scene {
  const tenantId = randomUUID()
  const apiApplicationId = randomUUID()
  const keys: Scene['keys'] = [signingKey(), signingKey(), signingKey()]
  const issuerUrl = 'https://sts.windows.net'
  return {
    tenantId,
    apiApplicationId,
    issuerUrl,
    issuer: `${issuerUrl}/${tenantId}/`,
    audience: `api://${apiApplicationId}`,
    role: 'CallHiApiRole',
    clientId: randomUUID(),
    clientSecret: randomUUID() + randomUUID(),
    keys,
    stranger: { ...signingKey(), kid: keys[0].kid },
  }
}
