import type { AdministratorRequest } from '../graph/administrator-request.ts'

const managementRemedies: Readonly<Record<string, string>> = {
  role_missing: 'Grant the administrator application the role that the operation requires.',
  role_not_owned: 'Only a holder of this management role may assign it.',
  object_changed: 'Read the object again, then repeat the change.',
}

/** What to do after a refusal, by its reason; empty for a reason without advice. */
export const remedyOf = (reason: string, { host }: AdministratorRequest): string =>
  host.remedyOf(reason) ?? managementRemedies[reason] ?? ''
