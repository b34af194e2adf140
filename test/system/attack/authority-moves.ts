import { randomUUID } from 'node:crypto'
import { type Objects, type Special, saw, seenPart, targetOf, text } from './move.ts'
import { authorityOf } from './observed-directory.ts'

/** Builds an assignment from the side of the API or of the client. */
export const assign =
  (side: 'resource' | 'client'): Special =>
  (context) => {
    const { random, caller, directory, roles } = context
    const near = [...directory.principals.values()].filter(
      (one) => one.tenantId === caller.tenantId || random.isLikely(0.1),
    )
    const apis = near.filter((one) => one.managementApi !== undefined)
    const clients = near.filter((one) => one.managementApi === undefined)
    if (apis.length === 0 || clients.length === 0) return {}
    const resource = random.oneOf(apis)
    const client = random.oneOf(clients)
    const api = resource.managementApi ?? 'graph'
    const role = random.oneOf(roles[api])
    const authority = authorityOf(resource.tenantId, api, role.name)
    const [principalId, resourceId] = [client.id, resource.id]
    const path =
      side === 'resource'
        ? `/servicePrincipals/${resourceId}/appRoleAssignedTo`
        : `/servicePrincipals/${principalId}/appRoleAssignments`
    return {
      path,
      body: { principalId, resourceId, appRoleId: role.id },
      target: { client: principalId, authority },
      onSuccess: (answer) => {
        const id = text(answer.id)
        const { tenantId } = resource
        directory.assignments.set(id, { id, principalId, resourceId, tenantId, authority })
        context.given(client.appId, authority)
      },
    }
  }

/** A request for one assignment. */
export const oneAssignment =
  (side: 'resource' | 'client', isWithdrawn: boolean): Special =>
  ({ random, directory, caller }) => {
    const all = [...directory.assignments.values()]
    const near = all.filter((one) => one.tenantId === caller.tenantId)
    if (all.length === 0) return {}
    const one = random.oneOf(near.length > 0 && random.isLikely(0.8) ? near : all)
    const path =
      side === 'resource'
        ? `/servicePrincipals/${one.resourceId}/appRoleAssignedTo/${one.id}`
        : `/servicePrincipals/${one.principalId}/appRoleAssignments/${one.id}`
    const principal = side === 'resource' ? one.resourceId : one.principalId
    if (!isWithdrawn) return { path, target: { principal } }
    return {
      path,
      target: { principal, client: one.principalId, authority: one.authority },
      onSuccess: () => {
        directory.assignments.delete(one.id)
      },
    }
  }

const proofAudience = '00000002-0000-0000-c000-000000000000'

/** Adds an attacker's certificate. The sender's certificate proves possession, if the object has it. */
export const addKey =
  (kind: keyof Objects): Special =>
  (context, objects) => {
    const { random, certificate, certificates, directory, learn } = context
    const added = random.oneOf(certificates)
    const keyCredential = { type: 'AsymmetricX509Cert', usage: 'Verify', key: added.base64 }
    return {
      body: { keyCredential, proof: certificate.assertion(objects[kind], proofAudience) },
      onSuccess: (answer) => {
        saw(context, 'key', objects[kind], answer.keyId)
        const application = directory.applications.get(objects.application)
        const principal = directory.principals.get(objects.principal)
        if (kind === 'application') learn(application?.appId ?? '', added)
        else learn(principal?.appId ?? '', added, principal?.tenantId)
      },
    }
  }

export const removeKey =
  (kind: keyof Objects): Special =>
  (context, objects) => {
    const one = seenPart(context, 'key')
    const folder = kind === 'application' ? 'applications' : 'servicePrincipals'
    const of = one !== undefined && targetOf(context, one)[kind] ? one.of : objects[kind]
    const proof = context.certificate.assertion(of, proofAudience)
    return {
      path: `/${folder}/${of}/removeKey`,
      body: { keyId: one?.id ?? randomUUID(), proof },
      target: { [kind]: of },
    }
  }
