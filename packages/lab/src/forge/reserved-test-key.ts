import { createPrivateKey, createPublicKey } from 'node:crypto'
import { thumbprintOf } from '@greeting/identity-provider/parts/signing/signing-key'
import { testKeys } from '../test-keys.ts'
import type { ForgeKey } from './forge-key.ts'

/** The public test keys that no server signs with, from the end of their list. */
const reserved = ['attacker', 'issuer'] as const

/** The public test keys that a server may sign with. */
export const supplyTestKeys = testKeys.slice(0, -reserved.length)

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
