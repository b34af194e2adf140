import type { TokenPreview } from '@greeting/portal'
import { rowOf } from '../dialect/refusals/refusal-table.ts'
import { createOpaqueClaims } from '../dialect/token/opaque-claims.ts'
import { lifetimeOf, tokenTimes } from '../dialect/token/token-times.ts'
import { tokenVersionOf } from '../dialect/token/token-versions.ts'
import type { ServiceOptions } from '../endpoints/service-options.ts'
import { isAgent } from '../issuance/agent-identity.ts'
import { findClient } from '../issuance/client.ts'
import { Refused } from '../issuance/refusal.ts'
import { decideAccess, findIssuingTenant } from '../issuance/token-decision.ts'

type PreviewRequest = Readonly<Record<'tenantId' | 'clientId' | 'resourceName', string>>

/**
 * Creates the token that a client would get for an API, with the code that issues tokens. It authenticates
 * no client, so the result must not leave the server: the guard checks it, and the page shows its claims.
 */
export async function previewToken(
  service: ServiceOptions,
  { tenantId, clientId, resourceName }: PreviewRequest,
  now: Date,
): Promise<TokenPreview> {
  const decision = await service.directory.read((directory) => {
    const tenant = findIssuingTenant(directory, tenantId)
    if (tenant instanceof Refused) return tenant
    const client = findClient(directory, tenant, clientId)
    if (client === undefined) {
      const refusal = {
        reason: 'client_unknown',
        clientId,
        tenantName: tenant.displayName,
      } as const
      return new Refused(refusal)
    }
    const { application, principal } = client
    if (principal === undefined) {
      return new Refused({
        reason: 'service_principal_missing',
        clientId,
        tenantId: tenant.id,
      } as const)
    }
    const authenticated = {
      client: { application, principal },
      method: isAgent(client) ? 'assertion' : 'secret',
      credentialId: '',
    } as const
    return decideAccess(directory, tenant, authenticated, { resource: resourceName })
  })
  if (decision instanceof Refused) {
    const { code, sentence } = rowOf(decision.refusal)
    return { refusal: decision.refusal.reason, code, sentence }
  }
  const { keyMembers, claims } = tokenVersionOf(decision)
  const times = tokenTimes(lifetimeOf(decision, service.lifetime), now, 0)
  const opaque = createOpaqueClaims(service.randomBytes, decision)
  const made = claims(decision, { authority: service.authority, times, opaque })
  return { token: await service.keys.sign(made, keyMembers) }
}
