import { refusalTable } from '@greeting/identity-provider/parts/dialect/refusals/refusal-table'

const managementRemedies: Readonly<Record<string, string>> = {
  role_missing: 'Grant the administrator application the role that the operation requires.',
  role_not_owned: 'Only a holder of this management role may assign it.',
  object_changed: 'Read the object again, then repeat the change.',
}

/** What to do after a refusal, by its reason; empty for a reason without advice. */
export function remedyOf(reason: string): string {
  const rows: Readonly<Record<string, { readonly remedy: string }>> = refusalTable
  return (Object.hasOwn(rows, reason) ? rows[reason]?.remedy : managementRemedies[reason]) ?? ''
}
