import { type DirectoryObjects, keyCredentialJson, keyCredentialType } from '@greeting/directory'
import { guid, text } from '@greeting/directory/forms'
import { z } from 'zod'
import {
  assertionTimeRefusal,
  maxPossessionSeconds,
  readAssertion,
} from '../../../issuance/assertion.ts'
import { findCertificate, hasValidSignature } from '../../../issuance/certificate-authentication.ts'
import { Refused } from '../../../issuance/refusal.ts'
import { parseBody } from '../../body/parse-body.ts'
import type {
  Call,
  Change,
  ChangeOperation,
  ChangingCall,
  ListCall,
} from '../../operations/operation.ts'
import { hasRoles, type RequiredRoles } from '../../privileges/caller.ts'
import { anyClient, writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { keyCredentialBody, withNewKey } from './credential-body.ts'
import {
  applicationRow,
  type ObjectKind,
  type ObjectRow,
  principalRow,
  stored,
} from './object-operations.ts'

const proof = text(16_384).nullish()

const addKeyBody = z.strictObject({
  keyCredential: keyCredentialBody.required({ key: true, type: true, usage: true }),
  passwordCredential: z
    .null('must be null: only certificates without a private key are supported')
    .optional(),
  proof,
})
const removeKeyBody = z.strictObject({ keyId: guid, proof })

const operationsOf = <Kind extends ObjectKind>(
  row: ObjectRow<Kind>,
  requires: RequiredRoles,
  access: Pick<ChangeOperation, 'access'> = {},
): ChangeOperation[] => [
  {
    method: 'POST',
    path: `/${row.set.name}/{id}/addKey`,
    requires,
    ...access,
    summary: `Adds a certificate to ${row.one}. The key of a present certificate signs the proof.`,
    takesBody: true,
    action: `${row.kind}.addKey`,
    verify: (call) => verifyProof(call, row, addKeyBody),
    change: (call) => addKey(call, row),
  },
  {
    method: 'POST',
    path: `/${row.set.name}/{id}/removeKey`,
    requires,
    ...access,
    summary: `Removes a certificate of ${row.one} by its keyId. The key of a present certificate signs the proof.`,
    takesBody: true,
    action: `${row.kind}.removeKey`,
    verify: (call) => verifyProof(call, row, removeKeyBody),
    change: (call) => removeKey(call, row),
  },
]

/** Certificates with a proof of possession. An application needs no role for its own (entra E238). */
export const keyOperations: readonly ChangeOperation[] = [
  ...operationsOf(applicationRow, anyClient, { access: 'credentials' }),
  ...operationsOf(principalRow, writesApplications),
]

function addKey<Kind extends ObjectKind>(call: ChangingCall, row: ObjectRow<Kind>): Change {
  const { keyCredential, proof } = parseBody(addKeyBody, call.body)
  const { holder } = requireProven(call, row, proof)
  const { added, keyCredentials } = withNewKey(holder.keyCredentials, keyCredential, call.runtime)
  return stored(
    row.kind,
    { ...holder, keyCredentials },
    {
      status: 200,
      body: {
        '@odata.context': `${call.rootUrl}/$metadata#microsoft.graph.${keyCredentialType.type}`,
        ...keyCredentialJson(added, undefined, false),
      },
    },
  )
}

function removeKey<Kind extends ObjectKind>(call: ChangingCall, row: ObjectRow<Kind>): Change {
  const { keyId, proof } = parseBody(removeKeyBody, call.body)
  const { holder } = requireProven(call, row, proof)
  const keyCredentials = holder.keyCredentials.filter((one) => one.keyId !== keyId)
  if (keyCredentials.length === holder.keyCredentials.length) throw refuse('key_unknown')
  return stored(row.kind, { ...holder, keyCredentials })
}

const proofAudiences = new Set(['00000002-0000-0000-c000-000000000000'])
const proofAlgorithms = ['RS256']

/**
 * Finds the certificate whose key must have signed the proof of a request, and checks all but the signature.
 *
 * @throws {GraphError} graph_refusal role_missing, proof_invalid, or a refusal of the object.
 */
function findProof<Kind extends ObjectKind>(
  call: Call,
  row: ObjectRow<Kind>,
  proof: string | null | undefined,
) {
  const holder = findHolder(call, row)
  if (proof == null) throw refuse('role_missing')
  const { clockToleranceSeconds } = call.possessionRules ?? { clockToleranceSeconds: 0 }
  const now = call.runtime.now()
  const assertion = readAssertion(proof, 'iss')
  if (assertion instanceof Refused) throw invalidProof(assertion)
  if (assertion.notBefore === null) throw refuse('proof_invalid', 'claim_missing')
  const signer = { id: holder.id, certificates: holder.keyCredentials }
  const certificate = findCertificate(
    assertion,
    signer,
    proofAudiences,
    now,
    clockToleranceSeconds,
    proofAlgorithms,
  )
  if (certificate instanceof Refused) throw invalidProof(certificate)
  const times = { clockToleranceSeconds, maxLifetimeSeconds: maxPossessionSeconds }
  const late = assertionTimeRefusal(assertion, times, now)
  if (late !== undefined) throw invalidProof(late)
  return { holder, assertion, certificate }
}

const invalidProof = ({ refusal }: Refused<{ readonly reason: string }>) =>
  refuse('proof_invalid', refusal.reason.replace('assertion_', ''))

/** The object of the request. A caller without the role reaches its own application only. */
function findHolder<Kind extends ObjectKind>(
  call: Call,
  { kind, find }: ObjectRow<Kind>,
): DirectoryObjects[Kind] {
  const { caller, cast, directory, parameters } = call
  const needsRole = kind === 'servicePrincipal' || cast !== undefined
  if (!needsRole && !hasRoles(caller.roles, writesApplications)) {
    const own = directory.applicationByAppId(caller.applicationId)
    const names = own === undefined ? [] : [own.id, `appid=${own.appId}`]
    if (!names.includes(parameters.id?.toLowerCase() ?? '')) throw refuse('role_missing')
  }
  const holder = find(call)
  if ('agentIdentityBlueprintId' in holder && holder.agentIdentityBlueprintId !== null) {
    throw refuse('agent_credentials_unsupported')
  }
  return holder
}

/** @returns the thumbprint of the certificate whose key signed the proof */
async function verifyProof<Kind extends ObjectKind>(
  call: ListCall,
  row: ObjectRow<Kind>,
  form: typeof addKeyBody | typeof removeKeyBody,
): Promise<string> {
  const { proof } = parseBody<z.ZodType<{ proof?: string | null | undefined }>>(form, call.body)
  const { assertion, certificate, holder } = await call.read((directory) =>
    findProof({ ...call, directory }, row, proof),
  )
  if (!(await hasValidSignature(assertion, certificate))) {
    throw refuse('proof_invalid', 'signature_invalid')
  }
  if ((await call.possessionRules?.recordUse?.(holder.id, assertion)) === false) {
    throw refuse('proof_invalid', 'replayed')
  }
  return certificate.credential.sha256Thumbprint
}

/** Requires that the object still has the certificate that the proof was verified with. */
function requireProven<Kind extends ObjectKind>(
  call: ChangingCall,
  row: ObjectRow<Kind>,
  proof: string | null | undefined,
) {
  const found = findProof(call, row, proof)
  if (found.certificate.credential.sha256Thumbprint !== call.provenBy) {
    throw refuse('proof_invalid', 'key_unknown')
  }
  return found
}
