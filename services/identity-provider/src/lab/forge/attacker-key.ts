import { createPrivateKey, createPublicKey } from 'node:crypto'
import { thumbprintOf } from '../../signing/thumbprint.ts'
import { testKeys } from '../test-keys.ts'
import type { ForgeKey } from './forge-key.ts'

/** The key of an attacker, with its certificate: the last of the public test keys. No server publishes it. */
export function attackerKey(): ForgeKey & { readonly certificate: string } {
  const last = testKeys.at(-1)
  if (last === undefined) throw new TypeError('There are no test keys')
  const der = { key: Buffer.from(last.privateKey, 'base64'), format: 'der', type: 'pkcs8' } as const
  const privateKey = createPrivateKey(der)
  const kid = thumbprintOf(Buffer.from(last.certificate, 'base64'))
  return { kid, privateKey, publicKey: createPublicKey(privateKey), certificate: last.certificate }
}
