import crypto, { type KeyObject, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'

type SigningKey = { readonly kid: string; readonly privateKey: KeyObject }

/** The issuer, the API and the client of one run. They are the same for every server. */
export type Fixture = {
  readonly tenantId: string
  readonly apiApplicationId: string
  readonly issuerUrl: string
  readonly issuer: string
  readonly audience: string
  readonly role: string
  readonly clientId: string
  readonly clientSecret: string
  /** All are published. The first one signs. */
  readonly keys: readonly [SigningKey, ...SigningKey[]]
  /** An unpublished key with the ID of the first published one. */
  readonly forgedKey: SigningKey
}

const newPrivateKey = () => crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** @param privateKey makes the keys, new ones by default */
export function createFixture(privateKey: () => KeyObject = newPrivateKey): Fixture {
  const newKey = (): SigningKey => ({
    kid: randomUUID().replaceAll('-', ''),
    privateKey: privateKey(),
  })
  const tenantId = randomUUID()
  const apiApplicationId = randomUUID()
  const keys: Fixture['keys'] = [newKey(), newKey(), newKey()]
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
    forgedKey: { ...newKey(), kid: keys[0].kid },
  }
}

/** The published keys as a JWK set. */
export const keySetOf = ({ keys }: Fixture): string =>
  JSON.stringify({
    keys: keys.map(({ kid, privateKey }) => {
      const jwk = crypto.createPublicKey(privateKey).export({ format: 'jwk' })
      return { ...jwk, kid, use: 'sig', alg: 'RS256' }
    }),
  })

const base64url = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/** Header and claims of a v1.0 access token, ready to be signed. */
function signingInput(fixture: Fixture, overrides: object, kid: string): string {
  const now = Math.floor(Date.now() / 1000)
  const objectId = 'b7a4f0b2-8d0f-4c51-9f5c-2f4d6a1f3c77'
  const x5t = crypto.createHash('sha1').update(kid).digest('base64url')
  const claims = {
    aud: fixture.audience,
    iss: fixture.issuer,
    iat: now - 300,
    nbf: now - 300,
    exp: now + 3600,
    aio: crypto.randomBytes(48).toString('base64'),
    appid: fixture.clientId,
    appidacr: '1',
    idp: fixture.issuer,
    oid: objectId,
    roles: ['CallHiApiRole', 'CallHelloApiRole'],
    sub: objectId,
    tid: fixture.tenantId,
    uti: crypto.randomBytes(16).toString('base64url'),
    ver: '1.0',
    ...overrides,
  }
  return `${base64url({ typ: 'JWT', alg: 'RS256', x5t, kid })}.${base64url(claims)}`
}

/** A valid token, or one with other claims or another key. */
export function accessToken(fixture: Fixture, overrides: object = {}, key = fixture.keys[0]) {
  const input = signingInput(fixture, overrides, key.kid)
  return `${input}.${crypto.sign('sha256', Buffer.from(input), key.privateKey).toString('base64url')}`
}

// With a callback, Node signs on its thread pool and therefore on every core.
const signOnThreadPool = promisify(crypto.sign)
const tokensAtOnce = 1000

/** Distinct signed tokens. */
export async function createTokens(fixture: Fixture, count: number): Promise<string[]> {
  const [{ kid, privateKey }] = fixture.keys
  const tokens: string[] = []
  while (tokens.length < count) {
    const length = Math.min(tokensAtOnce, count - tokens.length)
    const signed = Array.from({ length }, async () => {
      const input = signingInput(fixture, {}, kid)
      const signature = await signOnThreadPool('sha256', Buffer.from(input), privateKey)
      return `${input}.${signature.toString('base64url')}`
    })
    tokens.push(...(await Promise.all(signed)))
  }
  return tokens
}
