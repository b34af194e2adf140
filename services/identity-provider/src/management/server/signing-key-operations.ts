import type { KeyActor, SigningKey } from '@greeting/directory/keys'
import { z } from 'zod'
import { KeyEncryptionKey } from '../../signing/key-encryption-key.ts'
import type { KeyState } from '../../signing/key-ring.ts'
import { SigningError, type SigningErrorCode } from '../../signing/signing-error.ts'
import { parseBody } from '../body/parse-body.ts'
import { parseQuery, supportedOptions } from '../odata/query-options.ts'
import {
  type Answer,
  type Operation,
  operation,
  type RequestCall,
} from '../operations/operation.ts'
import { readsKeys, writesKeys } from '../privileges/server-roles.ts'
import { refuse } from '../refusals/graph-error.ts'
import type { RefusalName } from '../refusals/refusals.ts'

/** The key ring functions that the operations call. They write the audit records. */
export type KeyManagement = {
  readonly states: () => readonly KeyState[]
  readonly refresh: () => Promise<void>
  readonly rotate: (by: KeyActor) => Promise<SigningKey>
  readonly revoke: (kid: string, by: KeyActor) => Promise<void>
  /** Encrypts the private keys under another key, and returns their number. */
  readonly reencrypt: (to: KeyEncryptionKey, by: KeyActor) => Promise<number>
}

const reencryptBody = z.strictObject({ keyEncryptionKey: z.string() })

/** The operations on the signing keys, which all tenants share. */
export const signingKeyOperations = (keys: KeyManagement): readonly Operation[] => [
  operation('GET /keys', readsKeys, {
    summary: 'Lists the signing keys, each with its phase and the end of the phase.',
    read: async (call) => {
      parseQuery(call, supportedOptions.nothing)
      await keys.refresh()
      return { status: 200, body: { value: keys.states().map(stateJson) } }
    },
  }),
  operation('POST /keys/rotate', writesKeys, {
    summary: 'Rotates the keys immediately, and shows the next signing key with its start.',
    action: 'signingKey.rotate',
    perform: async (call) => ({ status: 200, body: keyJson(await keys.rotate(actorOf(call))) }),
    takesBody: false,
  }),
  operation('POST /keys/{kid}/revoke', writesKeys, {
    summary: 'Revokes a key immediately. It no longer signs, and it is no longer published.',
    action: 'signingKey.revoke',
    perform: (call) =>
      withRefusals(async () => {
        await keys.revoke(call.parameters.kid ?? '', actorOf(call))
        return { status: 204 }
      }),
    takesBody: false,
  }),
  operation('POST /keys/reencrypt', writesKeys, {
    summary:
      'Encrypts the stored private keys under another key-encryption key. Restart every server with that key afterwards.',
    action: 'signingKey.reencrypt',
    perform: (call) =>
      withRefusals(async () => {
        const { keyEncryptionKey } = parseBody(reencryptBody, call.body)
        const to = KeyEncryptionKey.parse(keyEncryptionKey)
        const reencrypted = await keys.reencrypt(to, actorOf(call))
        return { status: 200, body: { reencrypted, keyEncryptionKeyId: to.id } }
      }),
  }),
]

const actorOf = ({ caller, correlationId }: RequestCall): KeyActor => ({
  actor: caller.applicationId,
  correlationId,
})

const keyJson = ({ kid, announcedAt, signsFrom, certificate }: SigningKey) => ({
  kid,
  announcedDateTime: announcedAt.toISOString(),
  signsFromDateTime: signsFrom.toISOString(),
  certificate,
})

const stateJson = ({ key, phase, until }: KeyState) => ({
  ...keyJson(key),
  phase,
  untilDateTime: until?.toISOString() ?? null,
})

/** Errors that the caller can correct. The others are reported to the operator. */
const refusalOf: { readonly [Code in SigningErrorCode]?: RefusalName } = {
  signing_key_unknown: 'signing_key_unknown',
  key_encryption_key_malformed: 'body_invalid',
  key_encryption_key_wrong: 'key_encryption_key_wrong',
}

async function withRefusals(perform: () => Promise<Answer>): Promise<Answer> {
  try {
    return await perform()
  } catch (error) {
    const name = error instanceof SigningError ? refusalOf[error.code] : undefined
    if (!(error instanceof SigningError) || name === undefined) throw error
    throw refuse(name, error.message)
  }
}
