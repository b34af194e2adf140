import { keyCredentialJson, keyCredentialType, verifies } from '@greeting/directory'
import { guid, text } from '@greeting/directory/forms'
import { z } from 'zod'
import {
  assertionTimeRefusal,
  maxPossessionSeconds,
  readAssertion,
} from '../../../issuance/assertion.ts'
import { findCertificate, hasValidSignature } from '../../../issuance/certificate-authentication.ts'
import { Refused } from '../../../refusals/refusal.ts'
import { parseBody } from '../../body/parse-body.ts'
import {
  type Call,
  type Change,
  type ChangeOperation,
  type ChangingCall,
  type ListCall,
  operation,
} from '../../operations/operation.ts'
import { hasRoles, type RequiredRoles } from '../../privileges/caller.ts'
import { anyClient, writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { keyCredentialBody, keyPasswordBody, withNewKey } from './credential-body.ts'
import {
  applicationRow,
  type ObjectKind,
  type ObjectRow,
  principalRow,
  stored,
} from './object-operations.ts'

const proof = text(16_384).nullish()
type Proof = z.output<typeof proof>

const addKeyBody = z.strictObject({
  keyCredential: keyCredentialBody.required({ key: true, type: true, usage: true }),
  passwordCredential: keyPasswordBody.nullish(),
  proof,
})
const removeKeyBody = z.strictObject({ keyId: guid, proof })

const operationsOf = <Kind extends ObjectKind>(
  row: ObjectRow<Kind>,
  requires: RequiredRoles,
  access: Pick<ChangeOperation, 'access'> = {},
): ChangeOperation[] =>
  [
    { name: 'addKey', does: `Adds a certificate to ${row.one}.`, form: addKeyBody, change: addKey },
    {
      name: 'removeKey',
      does: `Removes a certificate of ${row.one} by its keyId.`,
      form: removeKeyBody,
      change: removeKey,
    },
  ].map(({ name, does, form, change }) =>
    operation(`POST /${row.set.name}/{id}/${name}`, requires, {
      ...access,
      summary: `${does} The key of a present certificate signs the proof.`,
      action: `${row.kind}.${name}`,
      verify: (call) => verifyProof(call, row, form),
      change: (call) => change(call, row),
    }),
  )

/**
 * The operations on certificates with a proof of possession. An application needs no role for its
 * own certificates (entra E238).
 */
export const keyOperations: readonly ChangeOperation[] = [
  ...operationsOf(applicationRow, anyClient, { access: 'credentials' }),
  ...operationsOf(principalRow, writesApplications),
]

function addKey<Kind extends ObjectKind>(call: ChangingCall, row: ObjectRow<Kind>): Change {
  const { keyCredential, passwordCredential, proof } = parseBody(addKeyBody, call.body)
  if (Boolean(passwordCredential) !== (keyCredential.usage === 'Sign'))
    throw refuse(
      'body_invalid',
      "A key with the usage 'Sign' needs a passwordCredential, no other.",
    )
  const holder = provenHolder(call, row, proof)
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
  const holder = provenHolder(call, row, proof)
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
function findProof<Kind extends ObjectKind>(call: Call, row: ObjectRow<Kind>, proof: Proof) {
  const holder = findHolder(call, row)
  if (proof == null) throw refuse('role_missing')
  const { clockToleranceSeconds } = call.possessionRules ?? { clockToleranceSeconds: 0 }
  const now = call.runtime.now()
  const assertion = accepted(readAssertion(proof, 'iss'))
  if (assertion.notBefore === null) throw refuse('proof_invalid', 'claim_missing')
  const signer = { id: holder.id, certificates: holder.keyCredentials.filter(verifies) }
  const certificate = accepted(
    findCertificate(assertion, signer, proofAudiences, now, clockToleranceSeconds, proofAlgorithms),
  )
  const times = { clockToleranceSeconds, maxLifetimeSeconds: maxPossessionSeconds }
  accepted(assertionTimeRefusal(assertion, times, now))
  return { holder, assertion, certificate, thumbprint: certificate.credential.sha256Thumbprint }
}

function accepted<Part>(part: Part | Refused<{ readonly reason: string }>): Part {
  if (!(part instanceof Refused)) return part
  throw refuse('proof_invalid', part.refusal.reason.replace('assertion_', ''))
}

/** The object of the request. A caller without the role reaches its own application only. */
function findHolder<Kind extends ObjectKind>(call: Call, { kind, find }: ObjectRow<Kind>) {
  const { caller, cast, directory, parameters } = call
  const needsRole = kind === 'servicePrincipal' || cast !== undefined
  if (!needsRole && !hasRoles(caller.roles, writesApplications)) {
    const own = directory.applicationByAppId(caller.applicationId)
    const names = own === undefined ? [] : [own.id, `appid=${own.appId}`]
    if (!names.includes(parameters.id?.toLowerCase() ?? '')) throw refuse('role_missing')
  }
  const holder = find(call)
  if ('agentIdentityBlueprintId' in holder && holder.agentIdentityBlueprintId !== null)
    throw refuse('agent_credentials_unsupported')
  return holder
}

/** @returns the thumbprint of the certificate whose key signed the proof */
async function verifyProof<Kind extends ObjectKind>(
  call: ListCall,
  row: ObjectRow<Kind>,
  form: z.ZodType<{ proof?: Proof }>,
): Promise<string> {
  const { proof } = parseBody(form, call.body)
  const { assertion, certificate, holder, thumbprint } = await call.read((directory) =>
    findProof({ ...call, directory }, row, proof),
  )
  if (!(await hasValidSignature(assertion, certificate)))
    throw refuse('proof_invalid', 'signature_invalid')
  if ((await call.possessionRules?.recordUse?.(holder.id, assertion)) === false)
    throw refuse('proof_invalid', 'replayed')
  return thumbprint
}

/** The object, which must still have the certificate that the proof was verified with. */
function provenHolder<Kind extends ObjectKind>(
  call: ChangingCall,
  row: ObjectRow<Kind>,
  proof: Proof,
) {
  const { holder, thumbprint } = findProof(call, row, proof)
  if (thumbprint !== call.provenBy) throw refuse('proof_invalid', 'key_unknown')
  return holder
}
