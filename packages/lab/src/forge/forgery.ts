import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { ForgeKey, TokenParts } from '../lab-host.ts'
import { attackerKey } from '../test-keys.ts'
import { encoded, signed } from './forge.ts'

/** One way to create a token that a correct API refuses. */
export type ForgeryRow = {
  /** Why it must be refused. One sentence. */
  readonly reason: string
  /** The section that says so. */
  readonly section: string
  readonly make: (material: ForgeryMaterial) => string
}

/** A hostile token. */
export type Forgery<Name extends string = string> = {
  readonly name: Name
  readonly reason: string
  readonly section: string
  readonly token: string
}

type Part = object | string | Uint8Array

/** The material of forgeries: a genuine token, and the keys of the server and of an attacker. */
export type ForgeryMaterial = TokenParts & {
  /** A token that a correct API accepts. */
  readonly token: string
  /** A role in the genuine token. */
  readonly role: string
  /** The claim that names the client: `appid` or `azp`. */
  readonly clientId: string
  readonly nowSeconds: number
  readonly published: ForgeKey
  readonly attacker: ReturnType<typeof attackerKey>
  /** Signs with the published key: changed members, or whole parts. */
  readonly withClaims: (changes: object) => string
  readonly withHeader: (changes: object) => string
  readonly withParts: (header: Part, claims: Part) => string
  /** Signs with the attacker's key. */
  readonly byAttacker: (header: object) => string
  /** Signs with an algorithm other than RS256. */
  readonly withAlgorithm: (header: object, signature: (content: string) => Uint8Array) => string
}

/** Collects what the forgeries need from a genuine token: header, claims and published key. */
export function forgeryMaterial(
  { header, claims }: TokenParts,
  published: ForgeKey,
  nowSeconds: number,
): ForgeryMaterial {
  const attacker = attackerKey()
  const [role = 'Role'] = Array.isArray(claims.roles) ? claims.roles : []
  const withParts = (head: Part, body: Part) => signed(head as object, body, published.privateKey)
  return {
    header,
    claims,
    token: withParts(header, claims),
    role,
    clientId: String(claims.appid ?? claims.azp),
    nowSeconds,
    published,
    attacker,
    withParts,
    withClaims: (changes) => withParts(header, { ...claims, ...changes }),
    withHeader: (changes) => withParts({ ...header, ...changes }, claims),
    byAttacker: (head) => signed(head, claims, attacker.privateKey),
    withAlgorithm: (changes, signature) => {
      const content = `${encoded({ ...header, ...changes })}.${encoded(claims)}`
      return `${content}.${Buffer.from(signature(content)).toString('base64url')}`
    },
  }
}

/** Returns JSON with one more member, whose name may then occur twice. */
export const withMember = (members: object, member: string): string =>
  `${JSON.stringify(members).slice(0, -1)},${member}}`

/** Computes the HMAC of a text with a public key as the secret. */
export const hmac = (key: string | Uint8Array) => (content: string) =>
  createHmac('sha256', key).update(content).digest()

/** Signs with ECDSA on P-256, in the format of RFC 7518 section 3.4. */
export const ecdsa = (content: string) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

export const publicPem = ({ publicKey }: ForgeKey) =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString()

export const publicDer = ({ publicKey }: ForgeKey) =>
  publicKey.export({ type: 'spki', format: 'der' })

/** The public part of a key, as a JSON Web Key. */
export const publicJwk = ({ publicKey, kid }: ForgeKey) => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
})
