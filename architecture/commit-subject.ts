export const maxSubjectCharacters = 72

/** The parts of the repository that a commit subject can name. */
export const scopes = [
  'guard',
  'client',
  'registrations',
  'http-service',
  'api',
  'idp',
  'cli',
  'testing',
  'docs',
  'e2e',
  'examples',
  'bench',
  'architecture',
  'build',
  'deploy',
] as const

/** Reasons why a commit subject does not have the form of docs/explanation/style.md. */
export function subjectFaults(subject: string): string[] {
  const faults: string[] = []
  const [, scope, imperative = ''] = /^([a-z0-9-]+): (.*)$/.exec(subject) ?? []
  if (scope === undefined) faults.push('it must have the form "scope: imperative"')
  else if (!scopes.some((one) => one === scope)) faults.push(`"${scope}" is not a scope`)
  if (subject.length > maxSubjectCharacters) faults.push(`it has ${subject.length} characters`)
  if (/^\p{Lu}\p{Ll}/u.test(imperative)) faults.push('the imperative starts with a capital letter')
  if (subject.endsWith('.')) faults.push('it ends with a full stop')
  return faults
}
