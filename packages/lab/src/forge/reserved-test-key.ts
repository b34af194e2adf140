import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import type { ForgeKey } from '../lab-host.ts'
import { testKeys } from '../test-keys.ts'

/** The public test keys that no server signs with, from the end of their list. */
const reserved = ['attacker', 'issuer'] as const

/** The public test keys that a server may sign with. */
export const supplyTestKeys = testKeys.slice(0, -reserved.length)

/** SHA-1 of a certificate's DER in base64url: the key ID of a server. */
export const thumbprintOf = (der: Uint8Array): string =>
  createHash('sha1').update(der).digest('base64url')

/** A public test key for another purpose than signing access tokens, with its certificate. */
export function reservedTestKey(
  name: (typeof reserved)[number],
): ForgeKey & { readonly certificate: string } {
  const key = testKeys.at(-1 - reserved.indexOf(name))
  if (key === undefined) throw new TypeError('There are no test keys')
  const der = { key: Buffer.from(key.privateKey, 'base64'), format: 'der', type: 'pkcs8' } as const
  const privateKey = createPrivateKey(der)
  const kid = thumbprintOf(Buffer.from(key.certificate, 'base64'))
  return { kid, privateKey, publicKey: createPublicKey(privateKey), certificate: key.certificate }
}

/** The key of an attacker, with its certificate. No server publishes it. */
export const attackerKey = () => reservedTestKey('attacker')
