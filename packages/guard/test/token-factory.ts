import { type KeyObject, sign } from 'node:crypto'
import { rsaKeyPair } from '../../../test/fixtures/rsa-key-pair.ts'
import type { GuardOptions } from '../src/index.ts'
import { entra } from '../src/index.ts'

export const tenantId = '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e'
export const apiApplicationId = '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001'
export const clientApplicationId = '6a8b4b39-1111-4222-8333-c0ffee000002'
export const objectId = '0b7c1d2e-aaaa-4bbb-8ccc-c0ffee000003'
export const audience = `api://${apiApplicationId}`
export const issuer = `https://sts.windows.net/${tenantId}/`

export const roles = ['CallHiApiRole', 'CallHelloApiRole'] as const
export type Role = (typeof roles)[number]

/** A Saturday in 2026: the start time of every test. */
export const now = 1_795_000_000

/** The guard options of the greeting API, with changes. */
export const optionsWith = (changes: Partial<GuardOptions<Role>> = {}): GuardOptions<Role> => ({
  ...entra({ tenantId, apiApplicationId, roles, tokenVersions: ['1.0'], realm: 'test' }),
  ...changes,
})

/** The claims of contract section 2, directly after issuance. */
export const claimsWith = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  aud: audience,
  iss: issuer,
  iat: now - 300,
  nbf: now - 300,
  exp: now + 3600,
  aio: 'E2RgYLh',
  appid: clientApplicationId,
  appidacr: '1',
  idp: issuer,
  oid: objectId,
  roles: [...roles],
  sub: objectId,
  tid: tenantId,
  uti: 'AbCdEfGhIjKlMnOpQrStUv',
  ver: '1.0',
  ...changes,
})

export type Json = Record<string, unknown>

const encode = (part: Json | string) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** A signing key with its public JSON Web Key. */
export class TokenFactory {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject

  constructor(kid: string, modulusLength = 2048) {
    this.kid = kid
    const pair = rsaKeyPair(modulusLength)
    this.privateKey = pair.privateKey
    this.publicKey = pair.publicKey
  }

  get jwk(): Json {
    return { ...this.publicKey.export({ format: 'jwk' }), kid: this.kid, use: 'sig' }
  }

  header(changes: Json = {}): Json {
    return { typ: 'JWT', alg: 'RS256', x5t: this.kid, kid: this.kid, ...changes }
  }

  /** A token of the identity provider, with changes. */
  token(claims: Json = {}, header: Json = {}): string {
    return this.sign(this.header(header), claimsWith(claims))
  }

  /** Signs any header and claims, as text or as JSON. */
  sign(header: Json | string, claims: Json | string): string {
    return this.signParts(encode(header), encode(claims))
  }

  /** Signs parts that are already encoded, canonically or not. */
  signParts(header: string, claims: string): string {
    const input = `${header}.${claims}`
    const signature = sign('RSA-SHA256', Buffer.from(input), this.privateKey)
    return `${input}.${signature.toString('base64url')}`
  }
}

/** The published key set of these keys. */
export const keySetOf = (...keys: (TokenFactory | Json)[]): string =>
  JSON.stringify({ keys: keys.map((key) => (key instanceof TokenFactory ? key.jwk : key)) })
