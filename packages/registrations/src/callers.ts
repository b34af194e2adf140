import type { BlueprintEntry, ClientEntry, RegistrationsFile } from './registrations-file.ts'

/** An entry that can have roles. An agent also has the name of its blueprint. */
export type CallerEntry = ClientEntry &
  Partial<BlueprintEntry> & {
    readonly kind: 'client' | 'blueprint' | 'agent'
    readonly blueprint?: string
    /** Its path in the file. */
    readonly place: readonly (string | number)[]
  }

/** The clients, blueprints and agents of a file. */
export const callersOf = (file: Pick<RegistrationsFile, 'clients' | 'blueprints'>) => [
  ...file.clients.map((entry, at): CallerEntry => {
    return { ...entry, kind: 'client', place: ['clients', at] }
  }),
  ...file.blueprints.flatMap((entry, at): CallerEntry[] => {
    const place = ['blueprints', at]
    const { agents = [], displayName: blueprint } = entry
    const agentPlace = (index: number) => [...place, 'agents', index]
    return [
      { ...entry, kind: 'blueprint', place },
      ...agents.map((agent, index): CallerEntry => {
        return { ...agent, kind: 'agent', blueprint, place: agentPlace(index) }
      }),
    ]
  }),
]
