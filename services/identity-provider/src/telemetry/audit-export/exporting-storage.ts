import type { AuditRecord } from '@greeting/directory/audit'
import { keyEventRecord, type Storage } from '@greeting/directory/storage'

type Commit = Storage['directory']['commit']

/**
 * A storage that exports the records of a change after its commit. If the result of a commit is
 * unknown, only the table has its records.
 */
export function exportingStorage(storage: Storage, offer: (record: AuditRecord) => void): Storage {
  const { directory, keyRing } = storage
  const offerAll = (records: readonly AuditRecord[]) => {
    for (const record of records) offer(record)
  }
  const exporting =
    (commit: Commit, written: (records: readonly AuditRecord[]) => void): Commit =>
    async (...change) => {
      const result = await commit(...change)
      if (result !== 'conflict') written(change[3])
      return result
    }
  return {
    ...storage,
    directory: {
      latest: () => directory.latest(),
      surveyTenants: (...query) => directory.surveyTenants(...query),
      changesAfter: (...query) => directory.changesAfter(...query),
      commit: exporting((...change) => directory.commit(...change), offerAll),
      exclusively: async (logs, write) => {
        const unsent: AuditRecord[] = []
        const result = await directory.exclusively(logs, (log) =>
          write({
            latest: () => log.latest(),
            changesAfter: (...query) => log.changesAfter(...query),
            commit: exporting(
              (...change) => log.commit(...change),
              (records) => unsent.push(...records),
            ),
          }),
        )
        offerAll(unsent)
        return result
      },
      giveUp: (numbers) => directory.giveUp(numbers),
      list: (query) => directory.list(query),
      listChanges: (query) => directory.listChanges(query),
      deletedBefore: (...query) => directory.deletedBefore(...query),
      prune: () => directory.prune(),
    },
    keyRing: {
      read: (known) => keyRing.read(known),
      commit: async (base, mark, ring, events) => {
        const result = await keyRing.commit(base, mark, ring, events)
        if (result === 'committed') offerAll(events.map(keyEventRecord))
        return result
      },
    },
  }
}
