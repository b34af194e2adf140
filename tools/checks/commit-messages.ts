import { execFileSync } from 'node:child_process'

// `node tools/checks/commit-messages.ts origin/main..` checks each commit of the range; without one, the last commit.

const scopes =
  'guard authorizer client registrations http-service directory portal lab api idp cli testing docs e2e examples bench site architecture build deploy'.split(
    ' ',
  )

/** Lists what a commit message violates: `scope: imperative`, then a body that gives the reason. */
export function faultsOf(message: string): string[] {
  const [header = '', blank = '', ...body] = message.trimEnd().split('\n')
  // An imperative starts in lower case, but for a name such as ETag.
  const [, scope] = /^([a-z0-9-]+): (?!\p{Lu}\p{Ll})\S/u.exec(header) ?? []
  return [
    scope === undefined && 'the header is not "scope: imperative"',
    scope !== undefined && !scopes.includes(scope) && `"${scope}" is not one of ${scopes}`,
    header.length > 72 && `the header has ${header.length} characters, and at most 72 are allowed`,
    header.endsWith('.') && 'the header ends with a full stop',
    blank !== '' && 'no blank line follows the header',
    body.join('').trim() === '' && 'the body that gives the reason is missing',
  ].filter((fault) => fault !== false)
}

if (import.meta.main) {
  const range = process.argv[2] ?? '-1'
  const log = execFileSync('git', ['log', '--no-merges', '-z', '--format=%B', range, '--'])
  for (const message of log.toString().split('\0').filter(Boolean))
    for (const fault of faultsOf(message)) {
      process.stderr.write(`${message.split('\n', 1)}: ${fault}\n`)
      process.exitCode = 1
    }
}
