import { callersOf } from '../callers.ts'
import type { RegistrationsFile } from '../registrations-file.ts'

/** The names by which a file or a person identifies applications. */
export type Names = {
  readonly displayNames: readonly string[]
  readonly applicationIds?: readonly string[]
  readonly identifierUris?: readonly string[]
  /** Names of APIs that may have a service principal only; default: all display names. */
  readonly apis?: readonly string[]
  /** Names and IDs of agents. The default reads no agent. */
  readonly agents?: readonly string[] | undefined
}

/** The names by which a registrations file identifies applications. */
export function namesOf(file: RegistrationsFile): Names {
  const { apis, consents = [], removed } = file
  const callers = callersOf(file)
  const entries = [...apis, ...callers.filter(({ kind }) => kind !== 'agent')]
  const named = [
    ...callers.flatMap(({ permissions = [], inherit = [] }) => [
      ...permissions.map(({ api }) => api),
      ...inherit,
    ]),
    ...consents.map(({ api }) => api),
    ...removed,
  ]
  return {
    displayNames: [...entries.map(({ displayName }) => displayName), ...named],
    apis: named,
    ...(file.blueprints.length > 0 && {
      agents: callers.flatMap(({ applicationId, displayName, kind }) =>
        kind === 'agent' ? (applicationId ?? displayName) : [],
      ),
    }),
    applicationIds: [
      ...entries.flatMap(({ applicationId }) => applicationId ?? []),
      ...named.filter((name) => /^[0-9a-f-]{36}$/i.test(name)),
    ],
    identifierUris: apis
      .flatMap(({ identifierUris = [] }) => identifierUris)
      .filter((uri) => !uri.includes('{')),
  }
}
