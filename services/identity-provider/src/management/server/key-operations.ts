import { z } from 'zod'
import { KeyEncryptionKey } from '../../signing/key-encryption-key.ts'
import type { KeyActor } from '../../signing/key-event.ts'
import type { KeyState } from '../../signing/key-ring.ts'
import { SigningError, type SigningErrorCode } from '../../signing/signing-error.ts'
import type { SigningKey } from '../../signing/signing-key.ts'
import { refuse } from '../http/graph-error.ts'
import type { Answer, Call, Operation } from '../http/operation.ts'
import { parseBody } from '../http/parse-body.ts'
import type { RefusalName } from '../http/refusals.ts'
import { parseQuery, supportedOptions } from '../odata/query-options.ts'
import { readsKeys, writesKeys } from './server-roles.ts'

/** What can be asked of the signing keys; they keep their own audit. */
export type KeyManagement = {
  readonly states: () => readonly KeyState[]
  readonly refresh: () => Promise<void>
  readonly rotate: (by: KeyActor) => Promise<SigningKey>
  readonly revoke: (kid: string, by: KeyActor) => Promise<void>
  /** Encrypts the private keys under another key, and says how many there are. */
  readonly reencrypt: (to: KeyEncryptionKey, by: KeyActor) => Promise<number>
}

const reencryptBody = z.strictObject({ keyEncryptionKey: z.string() })

/** The life of the signing keys, which all tenants have in common. */
export const keyOperations = (keys: KeyManagement): readonly Operation[] => [
  {
    method: 'GET',
    path: '/keys',
    requires: readsKeys,
    does: 'Lists the signing keys, each with its phase and when it leaves it.',
    read: async ({ query }) => {
      parseQuery(query, supportedOptions.nothing)
      await keys.refresh()
      return { status: 200, body: { value: keys.states().map(stateJson) } }
    },
  },
  {
    method: 'POST',
    path: '/keys/rotate',
    requires: writesKeys,
    does: 'Rotates without waiting for the schedule, and shows the key that signs next and from when.',
    action: 'signingKey.rotate',
    perform: async (call) => ({ status: 200, body: keyJson(await keys.rotate(actorOf(call))) }),
  },
  {
    method: 'POST',
    path: '/keys/{kid}/revoke',
    requires: writesKeys,
    does: 'Revokes a key at once: it signs no more, and is published no more.',
    action: 'signingKey.revoke',
    perform: (call) =>
      withRefusals(async () => {
        await keys.revoke(call.parameters.kid ?? '', actorOf(call))
        return { status: 204 }
      }),
  },
  {
    method: 'POST',
    path: '/keys/reencrypt',
    requires: writesKeys,
    does: 'Encrypts the private keys at rest under another key-encryption key. Every server is then started again with that key.',
    takesBody: true,
    action: 'signingKey.reencrypt',
    perform: (call) =>
      withRefusals(async () => {
        const { keyEncryptionKey } = parseBody(reencryptBody, call.body)
        const to = KeyEncryptionKey.parse(keyEncryptionKey)
        const reencrypted = await keys.reencrypt(to, actorOf(call))
        return { status: 200, body: { reencrypted, keyEncryptionKeyId: to.id } }
      }),
  },
]

const actorOf = ({ caller, correlationId }: Call): KeyActor => ({
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

/** The faults that the caller can do something about; the others are the operator's. */
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
