import { DirectoryReader, readPolicies } from '@greeting/registrations/apply'
import { type Policy, rulesText } from '@greeting/registrations/planning'
import type { AdministratorRequest } from './administrator-request.ts'

type Asked = Parameters<typeof readPolicies>[2]

/** The policies of the tenant. Their objects are known as far as `holders` has their paths. */
export async function policiesOf({ graph }: AdministratorRequest, asked?: Asked) {
  const reader = new DirectoryReader(graph)
  const { policies = [] } = await readPolicies(graph, reader, { holders: [], ...asked })
  return policies
}

/** The kind of policies that a form names. */
export const policyKindOf = (text: string | undefined): Policy['kind'] =>
  text === 'tokenLifetime' ? text : 'appManagement'

const words: Readonly<Record<string, string>> = {
  passwordAddition: 'no new secret',
  customPasswordAddition: 'no secret with a chosen value',
  passwordLifetime: 'secrets of at most',
  asymmetricKeyLifetime: 'certificates of at most',
  trustedCertificateAuthority: 'certificates of trusted authorities only',
  nonDefaultUriAddition: 'identifier URIs with the application ID only',
  uriAdditionWithoutUniqueTenantIdentifier: 'identifier URIs with a name of the tenant only',
  azureAdMultipleOrgs: 'no new application for other tenants',
  personalMicrosoftAccount: 'no new application for personal accounts',
}

/** What a policy permits, in words. */
export function permitted(policy: Policy): string {
  const rules = rulesText(policy)
  if (policy.kind === 'tokenLifetime') return `tokens that live ${rules}`
  return rules
    .replaceAll(/\w+/g, (name) => words[name] ?? name)
    .replaceAll(/\bP(\d+)D\b/g, '$1 days')
}
