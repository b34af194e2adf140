import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Scene } from './scene.ts'

const base64url = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/** What a token says; an override of `undefined` leaves the member out. */
export type Claims = Readonly<Record<string, unknown>>

/** The header and claims of a v1.0 access token of the scene's client, contract C29 to C47. */
export function contractToken(scene: Scene): { header: Claims; claims: Claims } {
  const now = Math.floor(Date.now() / 1000)
  const objectId = 'b7a4f0b2-8d0f-4c51-9f5c-2f4d6a1f3c77'
  const { kid } = scene.keys[0]
  return {
    header: {
      typ: 'JWT',
      alg: 'RS256',
      x5t: createHash('sha1').update(kid).digest('base64url'),
      kid,
    },
    claims: {
      aud: scene.audience,
      iss: scene.issuer,
      iat: now - 300,
      nbf: now - 300,
      exp: now + 3600,
      aio: randomBytes(48).toString('base64'),
      appid: scene.clientId,
      appidacr: '1',
      idp: scene.issuer,
      oid: objectId,
      roles: ['CallHiApiRole', 'CallHelloApiRole'],
      sub: objectId,
      tid: scene.tenantId,
      uti: randomBytes(16).toString('base64url'),
      ver: '1.0',
    },
  }
}

export function signToken(header: Claims, claims: Claims, key: KeyObject): string {
  const input = `${base64url(header)}.${base64url(claims)}`
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}

/** A good token of the scene, or one with other claims. */
export function accessToken(scene: Scene, overrides: Claims = {}, key = scene.keys[0]): string {
  const { header, claims } = contractToken(scene)
  return signToken({ ...header, kid: key.kid }, { ...claims, ...overrides }, key.privateKey)
}
