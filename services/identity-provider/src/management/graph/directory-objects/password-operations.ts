import { passwordCredentialJson } from '@greeting/directory'
import { guid } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import {
  type Change,
  type ChangeOperation,
  type ChangingCall,
  operation,
} from '../../operations/operation.ts'
import { writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { addedPasswordBody, newPassword } from './credential-body.ts'
import {
  applicationRow,
  type ObjectKind,
  type ObjectRow,
  principalRow,
  stored,
} from './object-operations.ts'

/** @param extent where the secrets authenticate the application */
const operationsOf = <Kind extends ObjectKind>(
  row: ObjectRow<Kind>,
  extent = '',
  access: Pick<ChangeOperation, 'access'> = {},
): ChangeOperation[] => [
  operation(`POST /${row.set.name}/{id}/addPassword`, writesApplications, {
    ...access,
    summary: `Creates a client secret${extent}. Only this response contains it.`,
    action: `${row.kind}.addPassword`,
    change: (call) => addPassword(call, row),
  }),
  operation(`POST /${row.set.name}/{id}/removePassword`, writesApplications, {
    ...access,
    summary: `Removes a client secret${extent} by its keyId.`,
    action: `${row.kind}.removePassword`,
    change: (call) => removePassword(call, row),
  }),
]

/** The operations on client secrets: registration step 6. */
export const passwordOperations: readonly ChangeOperation[] = [
  ...operationsOf(applicationRow, '', { access: 'credentials' }),
  ...operationsOf(principalRow, ' for this tenant only'),
]

/** As in Microsoft Graph, an application has at most this many entries in all collections together. */
const maxSecrets = 1200

const addPasswordBody = z.strictObject({ passwordCredential: addedPasswordBody.nullish() })
const removePasswordBody = z.strictObject({ keyId: guid })

function addPassword<Kind extends ObjectKind>(
  call: ChangingCall,
  { kind, find }: ObjectRow<Kind>,
): Change {
  const holder = find(call)
  if ('agentIdentityBlueprintId' in holder && holder.agentIdentityBlueprintId !== null)
    throw refuse('agent_credentials_unsupported')
  const { passwordCredential } = parseBody(addPasswordBody, call.body)
  const { credential, secretText } = newPassword(passwordCredential ?? {}, call.runtime)
  const others = [...holder.passwordCredentials, ...holder.keyCredentials]
  if (others.some(({ keyId }) => keyId === credential.keyId))
    throw refuse('body_invalid', 'Another credential of this object has the keyId.')
  // The order of Graph's answer (entra E318).
  const {
    displayName,
    hint,
    lastUsedDateTime,
    secretText: _none,
    ...times
  } = passwordCredentialJson(credential)
  const passwordCredentials = [...holder.passwordCredentials, credential]
  if (passwordCredentials.length > maxSecrets)
    throw refuse('body_invalid', `An object must not have more than ${maxSecrets} secrets.`)
  return stored(
    kind,
    { ...holder, passwordCredentials },
    {
      status: 200,
      body: {
        '@odata.context': `${call.rootUrl}/$metadata#microsoft.graph.passwordCredential`,
        ...times,
        secretText,
        hint,
        displayName,
        lastUsedDateTime,
      },
    },
  )
}

function removePassword<Kind extends ObjectKind>(
  call: ChangingCall,
  { kind, find }: ObjectRow<Kind>,
): Change {
  const holder = find(call)
  const { keyId } = parseBody(removePasswordBody, call.body)
  const passwordCredentials = holder.passwordCredentials.filter((one) => one.keyId !== keyId)
  if (passwordCredentials.length === holder.passwordCredentials.length)
    throw refuse('password_unknown')
  return stored(kind, { ...holder, passwordCredentials })
}
