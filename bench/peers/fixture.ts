import { randomBytes, randomUUID } from 'node:crypto'
import {
  apiApplicationId,
  Signer,
  tenantId,
} from '../../test/fixtures/signing-identity-provider.ts'

const issuerUrl = 'https://sts.windows.net'

/** The issuer, the API and the client of one run. They are the same for every server. */
export type Fixture = Awaited<ReturnType<typeof createFixture>>

export async function createFixture() {
  const keyIds = [1, 2, 3].map(() => randomUUID().replaceAll('-', ''))
  const [kid = ''] = keyIds
  const published = await Promise.all(keyIds.map((one) => Signer.make(one, issuerUrl)))
  const forger = await Signer.make(kid, issuerUrl)
  return {
    tenantId,
    apiApplicationId,
    issuerUrl,
    issuer: `${issuerUrl}/${tenantId}/`,
    audience: `api://${apiApplicationId}`,
    role: 'CallHiApiRole',
    clientId: randomUUID(),
    clientSecret: randomUUID() + randomUUID(),
    /** The first one signs. */
    published,
    signer: published[0] ?? forger,
    /** Has an unpublished key with the ID of the first published one. */
    forger,
  }
}

/** Creates a valid token, or one with other claims or another signer. No token is made twice. */
export const accessToken = (fixture: Fixture, claims: object = {}, signer = fixture.signer) =>
  signer.token({
    aio: randomBytes(48).toString('base64'),
    appid: fixture.clientId,
    uti: randomBytes(16).toString('base64url'),
    ...claims,
  })

/** The thread pool of Node signs, and therefore every core. */
const tokensAtOnce = 1000

/** Distinct signed tokens. */
export async function createTokens(fixture: Fixture, count: number): Promise<string[]> {
  const tokens: string[] = []
  while (tokens.length < count) {
    const length = Math.min(tokensAtOnce, count - tokens.length)
    tokens.push(...(await Promise.all(Array.from({ length }, () => accessToken(fixture)))))
  }
  return tokens
}
