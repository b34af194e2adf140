import type { ApiEntry, ClientEntry, RegistrationsFile } from '../../registrations-file.ts'

type Consent = NonNullable<RegistrationsFile['consents']>[number]

/** The entries of a registrations file by their names. Names are unique within a list. */
class FileIndex {
  readonly #apis: ReadonlyMap<string, ApiEntry>
  readonly #clients: ReadonlyMap<string, ClientEntry>
  readonly #consentsByClient: ReadonlyMap<string, readonly Consent[]>

  constructor({ apis, clients, consents = [] }: RegistrationsFile) {
    this.#apis = new Map(apis.map((entry) => [entry.displayName, entry]))
    this.#clients = new Map(clients.map((entry) => [entry.displayName, entry]))
    this.#consentsByClient = Map.groupBy(consents, ({ client }) => client)
  }

  api(name: string): ApiEntry | undefined {
    return this.#apis.get(name)
  }

  client(name: string): ClientEntry | undefined {
    return this.#clients.get(name)
  }

  consentsOf(client: string): readonly Consent[] {
    return this.#consentsByClient.get(client) ?? []
  }
}

const indexes = new WeakMap<RegistrationsFile, FileIndex>()

/** The index of a registrations file. It is built once, because a parsed file does not change. */
export function fileIndex(file: RegistrationsFile): FileIndex {
  const index = indexes.get(file) ?? new FileIndex(file)
  indexes.set(file, index)
  return index
}
